// Numbers for people, and from them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/node_count.h"
#include "core/base/result.h"

namespace manyply {

/// "3195901860" as "3,195,901,860".
[[nodiscard]] std::string grouped(std::string_view digits);
/// "8902  (8,902)"; of three digits and less those alone.
[[nodiscard]] std::string with_groups(const std::string& digits);

/// Three significant digits and an SI prefix, up to quetta (10^30): "231 M", "1.04 G", "12".
[[nodiscard]] std::string si(double value);

/// A rate as JSON: whole, as an integer if 64 bits hold it. Leaves are counts of up to 128 bits.
[[nodiscard]] nlohmann::ordered_json rate_json(double per_second);

/// "45 s", "12 min", "3.4 h", "2.1 days".
[[nodiscard]] std::string duration(double seconds);

/// The whole number from `low` to `high` that `text` is in decimal digits, with nothing around
/// them. The error has no field.
Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t low, std::uint64_t high);

/// A count as people print it: digits, or groups of three with the same mark between them, which is
/// `,` `.` `'` `_` or a blank: 1,234,567; or as whole_digits() takes it. Errors as of
/// NodeCount::parse; 1.19E+08, as spreadsheets show it, is refused as rounded.
Result<NodeCount> parse_grouped(std::string_view text);

/// The digits of a whole number that a program has written as a fraction or by its power of ten, if
/// it wrote them all: of "2039.0" and "2.039e3". Nothing of "2e3", which may be rounded, and of
/// "1.5" or what is no number.
[[nodiscard]] std::optional<std::string> whole_digits(std::string_view number);
/// Whether it is a number with a point: "2039.0", "1.5", "1.19E+08".
[[nodiscard]] bool is_decimal(std::string_view number);

}  // namespace manyply
