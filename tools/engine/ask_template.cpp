#include "tools/engine/ask_template.h"

#include <utility>

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

}  // namespace manyply
