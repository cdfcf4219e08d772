#include "core/move.h"

#include "core/base/text.h"
#include "core/position.h"

namespace manyply {

std::string to_uci(Move move, CastlingNotation notation) {
  Square to = move.to();
  if (move.kind() == MoveKind::kCastling && notation == CastlingNotation::kStandard) {
    const int file = file_of(to) > file_of(move.from()) ? 6 : 2;
    to = square_at(file, rank_of(to));
  }
  std::string text = to_string(move.from()) + to_string(to);
  if (move.is_promotion()) text += "pnbrqk"[index(move.promoted_to())];
  return text;
}

Result<Move> parse_uci(const Position& position, std::string_view text, CastlingNotation notation) {
  std::string wanted(text);
  if (wanted.size() == 5) wanted[4] = to_lower(wanted[4]);
  for (const Move move : legal_moves(position)) {
    if (to_uci(move, notation) == wanted || to_uci(move, CastlingNotation::kChess960) == wanted)
      return move;
  }
  const auto is_square = [&](std::size_t at) {
    return wanted[at] >= 'a' && wanted[at] <= 'h' && wanted[at + 1] >= '1' && wanted[at + 1] <= '8';
  };
  const bool well_formed =
      (wanted.size() == 4 || wanted.size() == 5) && is_square(0) && is_square(2) &&
      (wanted.size() == 4 || std::string_view("nbrq").find(wanted[4]) != std::string_view::npos);
  const char* why =
      well_formed ? "is not legal here" : "is not a move in UCI form, such as e2e4 or e7e8q";
  return Error{well_formed ? ErrorCode::kIllegal : ErrorCode::kInvalidInput, "move", 0,
               quote(text) + " " + why};
}

}  // namespace manyply
