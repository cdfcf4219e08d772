// Forsyth-Edwards Notation: FEN, X-FEN, Shredder-FEN.
#pragma once

#include <string>
#include <string_view>

#include "core/position.h"

namespace manyply {

/// Reads 4 to 6 fields (the two clocks are optional, checked, and ignored). Castling letters: KQkq
/// (X-FEN: the outermost rook), or rook files (Shredder-FEN, X-FEN inner rooks). One error for the
/// first field that is wrong, with its column. Does not judge legality: Position::from_setup does.
Result<Setup> parse_fen(std::string_view fen);

/// A position together with how its castling moves are written.
struct NamedPosition {
  Position position;
  CastlingNotation notation = CastlingNotation::kStandard;
};

/// Reads and validates a FEN or one of the names of position_names.h. Chess960 is
/// detected: a castling right whose king is not on the e-file or whose rook is not on a corner
/// file needs it, and so does a right written as a file letter.
Result<NamedPosition> parse_position(std::string_view text);

// The two halves of parse_position, for callers that need the Setup between them.

/// The FEN that `text` stands for: a name's, else `text` without a line end.
[[nodiscard]] std::string_view fen_of(std::string_view text);
/// The position that `setup` describes, if it is a legal one.
Result<NamedPosition> named_position(const Setup& setup);

/// Canonical FEN with clocks "0 1". Castling as KQkq when every right stands at its standard place
/// and notation is kStandard, else as rook files.
[[nodiscard]] std::string to_fen(const Position& position,
                                 CastlingNotation notation = CastlingNotation::kStandard);

inline constexpr std::string_view kStartFen =
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
inline constexpr std::string_view kKiwipeteFen =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

}  // namespace manyply
