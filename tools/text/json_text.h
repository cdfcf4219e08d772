// JSON as text and back, compiled here once: the library writes its reader and writer anew into
// every file that calls them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace manyply {

/// `json` on one line, without its end. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

/// The same, with a line end.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

/// What `text` says; `is_discarded()` where it is not JSON, and then `at()` throws.
[[nodiscard]] nlohmann::ordered_json read_json(std::string_view text);

/// `text` as JSON can hold it: bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace manyply
