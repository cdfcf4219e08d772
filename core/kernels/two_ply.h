// Plain data that the two-ply kernel and its instruction sets' code share
// (core/kernels/sets_kernel.inc).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/bitboard.h"
#include "core/board.h"
#include "core/board_lanes.h"
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

/// An ordinary move: to + 256 * from. Castling, promotion and en passant are not ordinary.
using PackedMove = std::uint16_t;

/// A batch is filled up with moves from nowhere to nowhere.
inline constexpr PackedMove kNullMove = 0xFFFF;

/// In place of the parent of a null move.
inline constexpr std::uint8_t kNoParent = 0xFF;

}  // namespace manyply
