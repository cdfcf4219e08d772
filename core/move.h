// Moves, lists of moves, and the UCI text of moves.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/types.h"

namespace manyply {

enum class MoveKind : std::uint8_t {
  kNormal,
  kDoublePush,
  kEnPassant,
  kCastling,  ///< from the king's square to the square of the rook, also in standard chess
  kPromoteKnight,
  kPromoteBishop,
  kPromoteRook,
  kPromoteQueen,
};

/// A move in 16 bits: from, to, kind. A move has a meaning only in the position for which it was
/// generated.
class Move {
 public:
  constexpr Move() = default;
  constexpr Move(Square from, Square to, MoveKind kind)
      : bits_(static_cast<std::uint16_t>(index(from) | (index(to) << 6) |
                                         (static_cast<int>(kind) << 12))) {}

  [[nodiscard]] constexpr Square from() const { return square_at(bits_ & 63); }
  [[nodiscard]] constexpr Square to() const { return square_at((bits_ >> 6) & 63); }
  [[nodiscard]] constexpr MoveKind kind() const { return static_cast<MoveKind>(bits_ >> 12); }
  [[nodiscard]] constexpr bool is_promotion() const { return kind() >= MoveKind::kPromoteKnight; }
  /// Precondition: is_promotion().
  [[nodiscard]] constexpr PieceType promoted_to() const {
    constexpr int kOffset =
        static_cast<int>(MoveKind::kPromoteKnight) - static_cast<int>(PieceType::kKnight);
    return static_cast<PieceType>(static_cast<int>(kind()) - kOffset);
  }
  friend constexpr auto operator<=>(Move, Move) = default;

 private:
  std::uint16_t bits_ = 0;
};

/// The legal moves of one position. The capacity is enough for every legal Position, even with 15
/// queens.
class MoveList {
 public:
  static constexpr std::size_t kCapacity = 512;

  void push_back(Move move) { moves_[size_++] = move; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] Move operator[](std::size_t i) const { return moves_[i]; }
  [[nodiscard]] const Move* begin() const { return moves_.data(); }
  [[nodiscard]] const Move* end() const { return moves_.data() + size_; }

 private:
  std::size_t size_ = 0;
  std::array<Move, kCapacity> moves_;
};

/// How castling is written. kStandard writes the king's move: e1g1. kChess960 writes the king's
/// capture of its own rook: e1h1.
enum class CastlingNotation : std::uint8_t { kStandard, kChess960 };

/// Returns UCI long algebraic notation: "e2e4", "e7e8q".
[[nodiscard]] std::string to_uci(Move move, CastlingNotation notation);

class Position;

/// Returns the legal move of `position` that `text` means in UCI notation. The letter of a
/// promotion may be a capital. If `notation` is kStandard, castling may be written in either
/// notation. If it is kChess960, castling must be written as the king's capture of its rook.
/// Errors: kIllegal if the move is not legal; kInvalidInput if `text` is not in UCI notation.
[[nodiscard]] Result<Move> parse_uci(const Position& position, std::string_view text,
                                     CastlingNotation notation);

}  // namespace manyply
