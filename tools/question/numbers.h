// Numbers for people, and from them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/node_count.h"
#include "core/result.h"

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
/// `,` `.` `'` `_` or a blank: 1,234,567. Errors as of NodeCount::parse.
Result<NodeCount> parse_grouped(std::string_view text);

}  // namespace manyply
