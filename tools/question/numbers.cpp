#include "tools/question/numbers.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/ascii.h"

namespace manyply {
namespace {

/// `text` with the blanks and the apostrophe of typesetters as those of typewriters.
std::string typewritten(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 4> kMarks{
      {{"\xC2\xA0", ' '}, {"\xE2\x80\x89", ' '}, {"\xE2\x80\xAF", ' '}, {"\xE2\x80\x99", '\''}}};
  std::string plain(text);
  for (const auto& [mark, ascii] : kMarks) {
    for (std::size_t at = 0; (at = plain.find(mark, at)) != std::string::npos;)
      plain.replace(at, mark.size(), 1, ascii);
  }
  return plain;
}

/// The digits of groups of three; nothing if `text` is something else. Programmers' underscores may
/// stand between any digits.
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

Result<NodeCount> parse_grouped(std::string_view text) {
  const std::optional<std::string> digits = ungrouped(typewritten(text));
  return NodeCount::parse(digits ? *digits : std::string(text));
}

}  // namespace manyply
