// The position to count from, as asked for: a FEN or a name, and moves played from there.
#pragma once

#include <optional>
#include <string_view>

#include "core/fen.h"

namespace manyply {

struct Root {
  NamedPosition named;
  /// The square that the last move, a pawn's double step, passed over. Unlike the en passant square
  /// of a Position it may be useless: the order of Stockfish's move list depends on it all the
  /// same.
  std::optional<Square> passed;
};

/// `fen` as parse_position takes it. Without `notation` castling is written as the FEN needs it.
Result<Root> parse_root(std::string_view fen, std::optional<CastlingNotation> notation);

/// Plays `moves` (UCI text, separated by spaces) on `root`. The error names the first one that
/// cannot be played, its place among them and its column; `root` then stands before it.
[[nodiscard]] std::optional<Error> play_moves(Root& root, std::string_view moves);

}  // namespace manyply
