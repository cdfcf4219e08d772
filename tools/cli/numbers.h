// Numbers for people.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

/// "3195901860" as "3,195,901,860".
[[nodiscard]] std::string grouped(std::string_view digits);

/// Three significant digits and an SI prefix: "231 M", "1.04 G", "12".
[[nodiscard]] std::string si(double value);

/// "45 s", "12 min", "3.4 h", "2.1 days".
[[nodiscard]] std::string duration(double seconds);

}  // namespace manyply
