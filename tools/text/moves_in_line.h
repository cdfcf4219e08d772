// Finds the moves that a printed line mentions, in one word or in several.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/fen.h"
#include "core/geometry.h"
#include "core/move_text.h"
#include "core/position.h"
#include "tools/text/line_tokens.h"

// Finds the legal or illegal move that a written move means in a position.
namespace manyply {

/// The move that a text means.
struct MoveMeaning {
  /// The move as to_uci() writes it. An illegal move is written in the same way: its two squares,
  /// and its promotion piece if it has one. Empty if the text means no move or several moves.
  std::string move;
  std::string why_not;  ///< the reason if `move` is empty: "may be d2f3 or g1f3"
  bool legal = false;
  /// Whether the text may also mean another legal move that is written in the same way.
  bool doubtful = false;
};

/// A move in a line.
struct MentionedMove {
  MoveMeaning meaning;
  bool is_long;  ///< the text contains both squares
  Square to;
  std::size_t first;  ///< index of the move's first token
  std::size_t last;   ///< index of its last token
};

/// Returns the moves of a line in their order. If a move is repeated immediately, it is returned
/// once: `Nf3 (g1f3): 20`, `"uci": "e2e4", "san": "e4"`.
///
/// A move is one word (`e2e4`, `Nf3`, `O-O`) or two successive squares. The squares are in small or
/// capital letters, with only marks and words like `to` between them: `e2 -> e4`,
/// `{"from":"e2","to":"e4"}`, `Move { from: E2, to: E4 }`. The first square must hold a piece of
/// the side to move. Otherwise two SAN moves could be read as one move. If the two squares are an
/// illegal move, there must be more than a space between them.
///
/// The piece of a promotion follows the move (`e7e8 = Q`, `(e7, e8, queen)`). If the line has only
/// one move, the piece may also follow a word for promotions: `promotion: Some(Queen)`.
[[nodiscard]] std::vector<MentionedMove> moves_in(const Tokens& tokens, const NamedPosition& where);

/// Returns whether a line has a move, two successive squares, or a word that looks like a move
/// ("e2e9", "i2-i4").
[[nodiscard]] bool resembles_move(const Tokens& tokens);

// Computes the squares that a piece reaches.

/// Returns the squares that a piece on `from` can move to or capture on, including occupied ones.
/// Sliding pieces stop at the first occupied square. Returns 0 for a pawn, because its moves and
/// captures differ.
[[nodiscard]] inline Bitboard reach(PieceType type, Square from, Bitboard occupied) {
  const int square = index(from);
  const Bitboard diagonal = bishop_attacks_by_walking(square, occupied);
  const Bitboard orthogonal = rook_attacks_by_walking(square, occupied);
  switch (type) {
    case PieceType::kKnight:
      return kKnightAttacks[static_cast<std::size_t>(square)];
    case PieceType::kBishop:
      return diagonal;
    case PieceType::kRook:
      return orthogonal;
    case PieceType::kQueen:
      return diagonal | orthogonal;
    case PieceType::kKing:
      return kKingAttacks[static_cast<std::size_t>(square)];
    default:
      return 0;
  }
}

}  // namespace manyply
