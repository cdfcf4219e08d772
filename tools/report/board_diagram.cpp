#include "tools/report/board_diagram.h"

#include <fmt/format.h>

#include <string_view>

namespace manyply {

std::string board_diagram(const Position& position) {
  constexpr std::string_view kLine = " +---+---+---+---+---+---+---+---+\n";
  constexpr std::string_view kLetters = "PNBRQKpnbrqk";
  std::string text(kLine);
  for (int rank = 7; rank >= 0; --rank) {
    for (int file = 0; file < 8; ++file) {
      const auto piece = position.piece_on(square_at(file, rank));
      const int letter = piece ? index(piece->type) + 6 * index(piece->color) : 0;
      text += fmt::format(" | {}", piece ? kLetters[static_cast<std::size_t>(letter)] : ' ');
    }
    text += fmt::format(" | {}\n{}", rank + 1, kLine);
  }
  return text + "   a   b   c   d   e   f   g   h\n";
}

}  // namespace manyply
