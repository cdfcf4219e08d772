// Writes and parses JSON. The reader and the writer of the JSON library are templates. They are
// compiled only here, not in every file that uses JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace manyply {

/// Returns `json` on one line without a line end. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

/// Returns json_text() with a line end.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

/// Returns a rate as JSON: an integer if it is below 2^63, otherwise a floating-point number. Rates
/// may exceed 2^63, because leaf counts have up to 128 bits.
[[nodiscard]] nlohmann::ordered_json rate_json(double per_second);

/// Returns the parsed document. If `text` is not JSON, the result's `is_discarded()` is true, and
/// its `at()` throws.
[[nodiscard]] nlohmann::ordered_json read_json(std::string_view text);

/// Returns `text` with each byte that is not UTF-8 replaced by U+FFFD. JSON cannot contain such
/// bytes.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace manyply
