#include "tools/text/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/text.h"

namespace manyply {
namespace {

/// A number such as "2.039E+03": the digits before and after the point, and the power of ten (0
/// without an E).
struct Scientific {
  std::string_view whole;
  std::string_view fraction;
  std::size_t power = 0;
  bool has_power = false;
};
/// Parses a number such as "2.039E+03"; nullopt if `text` has another form.
std::optional<Scientific> scientific(std::string_view text) {
  const auto cut_digits = [&] {
    const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
    text.remove_prefix(digits.size());
    return digits;
  };
  Scientific number;
  number.whole = cut_digits();
  if (number.whole.empty()) return std::nullopt;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    number.fraction = cut_digits();
    if (number.fraction.empty()) return std::nullopt;
  }
  if (!text.empty() && to_lower(text.front()) == 'e') {
    text.remove_prefix(text.substr(1).starts_with('+') ? 2 : 1);
    const Result<std::uint64_t> power = parse_number(cut_digits(), 0, 99);
    if (!power) return std::nullopt;
    number.power = static_cast<std::size_t>(*power);
    number.has_power = true;
  }
  return text.empty() ? std::optional(number) : std::nullopt;
}

/// Returns whether the number is small enough to be exact. A number with a point or an exponent may
/// come from a double, and doubles are exact only up to 2^53. So such a number must be below 10^15.
/// A number without a point or an exponent counts as exact.
bool is_exact(const Scientific& number) {
  constexpr std::size_t kExactDigits = 15;
  const bool is_float = number.has_power || !number.fraction.empty();
  return !is_float || number.whole.size() + number.power <= kExactDigits;
}

/// Returns the digits of a number that is written in groups of three; nullopt if `text` has another
/// form. Underscores, as in source code, may stand between any digits.
std::optional<std::string> ungrouped(std::string_view text) {
  constexpr std::size_t kGroup = 3;
  std::string digits;
  char mark = 0;
  std::size_t run = 0;
  const auto is_group = [&] {
    return mark == '_' ? run > 0 : mark == 0 ? run > 0 && run <= kGroup : run == kGroup;
  };
  for (const char c : text) {
    if (is_digit(c)) {
      digits += c;
      ++run;
      continue;
    }
    const bool first = mark == 0;
    if (std::string_view(",.' _").find(c) == std::string_view::npos || (!first && c != mark))
      return std::nullopt;
    if (first && c == '_') mark = c;
    if (!is_group() || (c != '_' && digits[0] == '0')) return std::nullopt;
    mark = c;
    run = 0;
  }
  return mark != 0 && is_group() ? std::optional(digits) : std::nullopt;
}

}  // namespace

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
                 "'" + std::string(text) + "' is not a whole number from " + std::to_string(low) +
                     " to " + std::to_string(high)};
  }
  return number;
}

Result<NodeCount> parse_grouped(std::string_view written) {
  const std::string text = typewritten(written);
  if (const auto digits = ungrouped(text)) return NodeCount::parse(*digits);
  if (const auto digits = whole_digits(text)) return NodeCount::parse(*digits);
  if (const auto number = scientific(text); number && (number->has_power || !is_exact(*number)))
    return Error{ErrorCode::kInvalidInput, "count", 1,
                 quote(text) + " may be rounded; write all digits"};
  return NodeCount::parse(std::string(written));
}

bool is_decimal(std::string_view text) {
  const std::optional<Scientific> number = scientific(text);
  return number && !number->fraction.empty();
}

std::optional<std::string> whole_digits(std::string_view text) {
  const std::optional<Scientific> number = scientific(text);
  if (!number || number->power > number->fraction.size() || !is_exact(*number)) return std::nullopt;
  if (number->fraction.find_first_not_of('0', number->power) != std::string_view::npos)
    return std::nullopt;
  std::string digits = std::string(number->whole) += number->fraction.substr(0, number->power);
  const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  return digits.substr(number->has_power ? zeros : 0);
}

}  // namespace manyply
