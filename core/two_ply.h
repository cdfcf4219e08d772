// Plain data that the two-ply kernel and its instruction sets' code share (core/two_ply.inc).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/bitboard.h"
#include "core/board.h"
#include "core/geometry.h"

namespace manyply {

/// What a king meets, for each square: its rank, file, diagonal and antidiagonal without itself,
/// its steps, knights' steps from there, and the pawn attacks of White and of Black.
using KingRow = std::array<Bitboard, 8>;
inline constexpr std::array<KingRow, 64> kKingRows = [] {
  std::array<KingRow, 64> rows{};
  for (int square = 0; square < 64; ++square) {
    const auto s = static_cast<std::size_t>(square);
    const auto line = [&](detail::Step step) {
      return detail::ray(square, step, 0) | detail::ray(square, {-step.file, -step.rank}, 0);
    };
    rows[s] = {line({1, 0}),
               line({0, 1}),
               line({1, 1}),
               line({1, -1}),
               kKingAttacks[s],
               kKnightAttacks[s],
               pawn_attacks<Color::kWhite>(bit(square)),
               pawn_attacks<Color::kBlack>(bit(square))};
  }
  return rows;
}();

/// What of a child's count a move may change, against the count after a null move. A child counts
/// as a whole, or it is the sum of the other parts, each its own or the null move's.
enum class Part : std::uint8_t {
  kWhole,     ///< check, pins: everything
  kKing,      ///< the king's moves, castling included
  kSlanted,   ///< diagonal moves of bishops and queens
  kStraight,  ///< rank and file moves of rooks and queens
  kLeaps,     ///< moves of knights and pawns
};
inline constexpr std::size_t kParts = 5;

/// Squares at which a move must start or end to change a part: for kWhole and kKing by the kind of
/// man that moves, in the order of Men; for the other parts whoever moves.
struct Zones {
  std::array<Bitboard, 5> whole;
  Bitboard slanted;
  Bitboard straight;
  Bitboard leaps;
  std::array<Bitboard, 5> king;
  std::array<Bitboard, 3> unused;
};
static_assert(sizeof(Zones) == 128);

/// An ordinary move: to + 256 * from. Castling, promotion and en passant are not ordinary.
using PackedMove = std::uint16_t;

/// A batch is filled up with moves from nowhere to nowhere.
inline constexpr PackedMove kNullMove = 0xFFFF;

/// In place of the parent of a null move.
inline constexpr std::uint8_t kNoParent = 0xFF;

/// What a Board begins with, as 64-bit words: five of each side's men, castling, en passant.
inline constexpr std::size_t kBoardWords = 12;
static_assert(sizeof(Board) > kBoardWords * sizeof(Bitboard));
static_assert(offsetof(Board, castling) == 10 * sizeof(Bitboard));
static_assert(offsetof(Board, en_passant) == 11 * sizeof(Bitboard));

/// Ordinary moves of one position at most: 16 men of at most 27 moves each.
inline constexpr std::size_t kMostMoves = std::size_t{16} * 27;

/// Elements that a block write may touch behind the last move of a list.
inline constexpr std::size_t kMoveSlack = 128;

/// Moves of up to `kParents` positions, waiting to be counted.
template <std::size_t kParents>
struct MovePool {
  std::uint64_t size = 0;
  std::array<std::uint16_t, kParents * kMostMoves + kMoveSlack> moves;
  std::array<std::uint8_t, kParents * kMostMoves + kMoveSlack> parents;
  std::array<std::uint64_t, kParents + 1> begin;  ///< of each parent's moves
};

}  // namespace manyply
