// Setup: any position that a user may enter. Position: a legal position, immutable, with its legal
// moves.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/board.h"
#include "core/move.h"

namespace manyply {

struct Piece {
  Color color;
  PieceType type;
  friend constexpr auto operator<=>(Piece, Piece) = default;
};

/// An unvalidated position. The members `…_column` are columns of the parsed text, which appear in
/// error messages. Columns start at 1; 0 means unknown.
struct Setup {
  std::array<std::optional<Piece>, kSquares> pieces;
  Color side_to_move = Color::kWhite;
  Bitboard castling_rooks = 0;       ///< squares of the rooks with a castling right
  std::optional<Square> en_passant;  ///< as in the text; a capture there may be illegal
  bool chess960 = false;             ///< the text requires Chess960 notation for castling

  std::array<int, kSquares> piece_column{};
  std::array<int, kSquares> castling_column{};  ///< indexed by the rook's square
  int placement_column = 0;
  int en_passant_column = 0;
};

/// A legal chess position:
///   - Each side has one king and at most 16 pieces.
///   - The king of the side that has just moved is not in check.
///   - No pawn is on a back rank.
///   - For every castling right, king and rook are on the back rank. Each colour has at most one
///     right west of its king and one east of it.
///   - If there is an en passant square, the opponent's last move can have been a double step over
///     it, and an en passant capture is legal.
/// This is a value type with cheap copies. Const access is thread-safe.
class Position {
 public:
  /// The start position of chess.
  Position();

  /// Returns the position that `setup` describes. Drops an en passant square on which no capture is
  /// legal, because such a square is not part of the position's identity. If the position is not
  /// legal, returns kIllegal for the first broken rule, with its field and column.
  static Result<Position> from_setup(const Setup& setup);

  [[nodiscard]] const Board& board() const { return board_; }
  [[nodiscard]] Color side_to_move() const { return board_.side_to_move; }
  /// Returns the piece on a square; nullopt if the square is empty.
  [[nodiscard]] std::optional<Piece> piece_on(Square square) const;
  /// Returns the pieces that give check to the side to move.
  [[nodiscard]] Bitboard checkers() const;
  [[nodiscard]] bool in_check() const { return checkers() != 0; }

  /// Returns the position after `move`. Precondition: `move` is legal in this position.
  [[nodiscard]] Position after_unchecked(Move move) const;

  friend auto operator<=>(const Position&, const Position&) = default;

 private:
  friend Position position_unchecked(const Board& board);
  explicit Position(const Board& board) : board_(board) {}
  Board board_;
};

/// Makes a Position without validating `board`. Precondition: `board` is legal, for example because
/// a kernel made it from a Position.
inline Position position_unchecked(const Board& board) { return Position(board); }

/// Returns all legal moves, in a fixed order that does not depend on the machine.
[[nodiscard]] MoveList legal_moves(const Position& position);

}  // namespace manyply
