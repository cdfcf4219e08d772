#include "tools/engine/engine_protocol.h"

#include <array>
#include <utility>

#include "core/base/text.h"

namespace manyply {

std::string with_value(std::string text, std::string_view place, const std::string& value) {
  for (std::size_t at = text.find(place); at != std::string::npos;
       at = text.find(place, at + value.size()))
    text.replace(at, place.size(), value);
  return text;
}

std::string with_word(std::string command, std::string_view place, const std::string& value) {
  for (std::size_t at = command.find(place); at != std::string::npos;) {
    const bool quoted = at > 0 && (command[at - 1] == '"' || command[at - 1] == '\'');
    std::string word = quoted ? value : '"' + value + '"';
    command.replace(at, place.size(), word);
    at = command.find(place, at + word.size());
  }
  return command;
}

std::string asked_in_words(const std::string& ask, const std::string& fen, const std::string& moves,
                           int depth) {
  std::string text = with_value(ask, "\\n", "\n");
  if (!has_place(text, kFenPlace)) {
    std::string position = "position fen " + fen;
    if (!moves.empty()) position += " moves " + moves;
    position += '\n';
    position += text;
    text = std::move(position);
  }
  text = with_value(std::move(text), kFenPlace, fen);
  text = with_value(std::move(text), kMovesPlace, moves);
  return with_value(std::move(text), kDepthPlace, std::to_string(depth));
}

std::string chess960_command(bool value) {
  return std::string("setoption name UCI_Chess960 value ") + (value ? "true\n" : "false\n");
}

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
    // In UTF-8, each character for a frame line or a piece has three bytes.
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
