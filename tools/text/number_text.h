// Formats numbers for people, and parses numbers that people and programs write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/node_count.h"
#include "core/base/result.h"

namespace manyply {

/// Returns the digits in groups of three: "3195901860" becomes "3,195,901,860".
[[nodiscard]] std::string grouped(std::string_view digits);
/// Returns "8902  (8,902)"; only the digits if there are at most three.
[[nodiscard]] std::string with_groups(const std::string& digits);

/// Returns three significant digits and an SI prefix up to quetta (10^30): "231 M", "1.04 G", "12".
[[nodiscard]] std::string si(double value);

/// Returns a duration in the unit that suits it: "45 s", "12 min", "3.4 h", "2.1 days".
[[nodiscard]] std::string duration(double seconds);

/// Parses a whole number in decimal digits. It must be from `low` to `high`, both included. The
/// error has no field.
Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t low, std::uint64_t high);

/// Parses a count as people write it: 1234567 or 1,234,567. One kind of mark (`,` `.` `'` `_` or a
/// space) may separate groups of three digits; `_` may separate any digits. Also accepts the forms
/// of whole_digits(), such as 2.039e3. Errors: those of NodeCount::parse. Also returns an error for
/// a number that may be rounded, such as 1.19E+08, which has fewer digits than its exponent needs.
Result<NodeCount> parse_grouped(std::string_view text);

/// Returns the digits of a whole number, which may be written with a decimal point or an exponent:
/// "2039" for "2039", "2039.0" and "2.039e3". Returns nullopt for text that is no number, for
/// "1.5", and if the number may be rounded: "2e3", or a number of at least 10^15 with a point or an
/// exponent.
[[nodiscard]] std::optional<std::string> whole_digits(std::string_view number);
/// Returns whether `number` is a number with a decimal point: "2039.0", "1.5", "1.19E+08".
[[nodiscard]] bool is_decimal(std::string_view number);

}  // namespace manyply
