// Tests and conversions of ASCII characters that do not depend on the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace manyply {

/// The characters that separate words, including line ends.
inline constexpr std::string_view kSpace = " \t\r\n";

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_small(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(char c) { return is_capital(c) || is_small(c); }

/// Returns the value of a hexadecimal digit, 0 to 15; -1 for any other character.
constexpr int hex_digit(char c) {
  return is_digit(c)            ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/// Returns the small letter for an ASCII capital; any other byte unchanged.
constexpr char to_lower(char c) { return is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c; }

[[nodiscard]] inline std::string to_lower(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = to_lower(c);
  return low;
}

[[nodiscard]] inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return to_lower(x) == to_lower(y); });
}

}  // namespace manyply
