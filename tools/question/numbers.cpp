#include "tools/question/numbers.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace manyply {

std::string grouped(std::string_view digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string with_groups(const std::string& digits) {
  return digits.size() <= 3 ? digits : digits + "  (" + grouped(digits) + ")";
}

std::string si(double value) {
  constexpr std::array kPrefixes{"", " k", " M", " G", " T", " P", " E", " Z", " Y", " R", " Q"};
  std::size_t step = 0;
  while (value >= 999.5 && step + 1 < kPrefixes.size()) {
    value /= 1000;
    ++step;
  }
  const int decimals = step == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", value, decimals, kPrefixes[step]);
}

nlohmann::ordered_json rate_json(double per_second) {
  if (per_second < 0x1p63) return std::llround(per_second);
  return per_second;
}

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 100 * 60.0) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 48 * 3600.0) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.1f} days", seconds / 86400);
}

Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t low, std::uint64_t high) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size() || number < low || number > high) {
    return Error{ErrorCode::kInvalidInput, "", 0,
                 "'" + std::string(text) + "' is not a number from " + std::to_string(low) +
                     " to " + std::to_string(high)};
  }
  return number;
}

}  // namespace manyply
