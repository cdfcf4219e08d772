// Returns how the reader of engines' output understands some lines, as text.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "tools/text/engine_output_parser.h"

namespace manyply {

using Lines = std::initializer_list<std::string_view>;

/// Returns lines of which each is an answer by itself.
template <typename... Text>
std::array<std::string_view, sizeof...(Text)> each_of(Text... lines) {
  return {lines...};
}

inline std::string text_of(const EngineAnswer& answer) {
  std::string text;
  for (const EngineRow& row : answer.rows) text += row.move + ' ' + row.nodes.to_string() + "; ";
  text += answer.total ? "total " + answer.total->to_string() : "no total";
  for (const UnreadLine& line : answer.unread) text += "; unread " + to_string(line);
  return text;
}

inline std::string read_in(std::string_view fen, Lines lines) {
  EngineOutputParser parser(*parse_position(fen));
  for (const std::string_view line : lines) parser.feed(line);
  return text_of(parser.answer());
}
inline std::string read(Lines lines) { return read_in("startpos", lines); }

/// Returns only rows and total, because most of these tests print only some of the moves.
inline std::string rows_of(Lines lines, std::string_view fen = "startpos") {
  const std::string text = read_in(fen, lines);
  return text.substr(0, text.find("; unread"));
}

inline constexpr const char* kOneKnight =
    "7k/8/8/8/8/8/8/K5N1 w - - 0 1";  // each piece has three moves

}  // namespace manyply
