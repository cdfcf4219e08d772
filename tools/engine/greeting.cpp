#include "tools/engine/greeting.h"

#include <array>

#include "core/base/ascii.h"

namespace manyply {

bool is_complaint(std::string_view line) {
  constexpr std::array<std::string_view, 11> kWords{
      "unknown",     "unrecogni", "invalid",   "illegal", "error",      "usage:",
      "unsupported", "not found", "not known", "no such", "bad command"};
  const std::string small = to_lower(line);
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

bool is_board_rank(std::string_view line) {
  constexpr std::string_view kPieces = "PNBRQKpnbrqk";
  constexpr std::string_view kNothing = ".-_*+#:";
  constexpr std::size_t kSquares = 8;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  std::size_t squares = 0;
  std::size_t bars = 0;
  std::string numbers;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    // Lines and pieces of Unicode, three bytes each.
    const std::string_view glyph = line.substr(i, 2);
    if (glyph == "\xe2\x94" || glyph == "\xe2\x99") {
      ++(glyph == "\xe2\x94" ? bars : squares);
      i += 2;
    } else if (c == '|') {
      ++bars;
    } else if (kPieces.find(c) != std::string_view::npos) {
      ++squares;
    } else if (kNothing.find(c) != std::string_view::npos) {
      // "*R" is one square.
      const bool marks = i + 1 < line.size() && kPieces.find(line[i + 1]) != std::string_view::npos;
      squares += marks ? 0 : 1;
    } else if (c >= '1' && c <= '8') {
      numbers += c;
    } else if (!is_blank(c)) {
      return false;
    }
  }
  const bool one_rank = numbers.size() < 2 || (numbers.size() == 2 && numbers[0] == numbers[1]);
  if (!one_rank) return false;
  return bars >= kSquares ? squares <= kSquares : squares == kSquares && bars <= 2;
}

}  // namespace manyply
