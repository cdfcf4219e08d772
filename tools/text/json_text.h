// Writes and parses JSON. The JSON library's reader and writer are templates, so they are compiled
// only here instead of in every file that uses them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace manyply {

/// Returns `json` on one line without a line end. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

/// Returns json_text() with a line end.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

/// Returns the parsed document. If `text` is not JSON, the result's `is_discarded()` is true, and
/// its `at()` throws.
[[nodiscard]] nlohmann::ordered_json read_json(std::string_view text);

/// Returns `text` with each byte that is not UTF-8 replaced by U+FFFD, so that JSON can hold it.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace manyply
