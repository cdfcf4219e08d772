// Setup (anything a person may type) and Position (legal, immutable identity).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/board.h"
#include "core/move.h"
#include "core/result.h"

namespace manyply {

struct Piece {
  Color color;
  PieceType type;
  friend constexpr auto operator<=>(Piece, Piece) = default;
};

/// An unvalidated position. Columns (from 1; 0 = unknown) let validation point into the text.
struct Setup {
  std::array<std::optional<Piece>, kSquares> pieces;
  Color side_to_move = Color::kWhite;
  Bitboard castling_rooks = 0;       ///< squares of the rooks that claim the right to castle
  std::optional<Square> en_passant;  ///< the square passed over, as written
  bool chess960 = false;             ///< the text needs Chess960 castling notation

  std::array<int, kSquares> piece_column{};
  std::array<int, kSquares> castling_column{};  ///< by rook square
  int placement_column = 0;
  int en_passant_column = 0;
};

/// A legal chess position: exactly one king a side, no capturable king, no pawn on a back rank,
/// at most 16 pieces a side, every castling right backed by king and rook, an en passant square
/// that the opponent's last move could have passed. A value; copies are cheap; const access is
/// thread-safe.
class Position {
 public:
  /// The start position of chess.
  Position();

  /// Validates. An en passant square that no legal capture can use is dropped: it is not part of
  /// the position's identity.
  static Result<Position> from_setup(const Setup& setup);

  [[nodiscard]] const Board& board() const { return board_; }
  [[nodiscard]] Color side_to_move() const { return board_.side_to_move; }
  [[nodiscard]] std::optional<Piece> piece_on(Square square) const;
  /// The pieces that give check to the side to move.
  [[nodiscard]] Bitboard checkers() const;
  [[nodiscard]] bool in_check() const { return checkers() != 0; }

  /// Precondition: `move` is one of this position's legal moves.
  [[nodiscard]] Position after_unchecked(Move move) const;

  friend auto operator<=>(const Position&, const Position&) = default;

 private:
  friend Position position_unchecked(const Board& board);
  explicit Position(const Board& board) : board_(board) {}
  Board board_;
};

/// Wraps a board that is known to be legal, such as one made by a kernel from a Position.
inline Position position_unchecked(const Board& board) { return Position(board); }

}  // namespace manyply
