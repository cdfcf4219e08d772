// Constants, small types and headers that lanes_*.inc and the sets kernel (sets_kernel.inc) need.
// They are the same for every instruction set.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "core/base/stop_view.h"
#include "core/board.h"
#include "core/geometry.h"
#include "core/kernels/slider_tables.h"
#include "core/kernels/target_region.h"
#include "core/move_statistics.h"

namespace manyply {

/// The surroundings of a king on one square: the rank, file, diagonal and antidiagonal through the
/// square (without the square itself), the king's steps, a knight's steps, and the pawn attacks of
/// White and of Black. kKingRows has one row for each square.
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

/// A normal move (not castling, promotion or en passant), stored as to + 256 * from.
using PackedMove = std::uint16_t;

/// Fills the unused lanes of the last register of a pool (sets_pools.inc). The counts of these
/// lanes are ignored, because their parent is kNoParent.
inline constexpr PackedMove kNullMove = 0xFFFF;

/// The parent that is stored for each kNullMove.
inline constexpr std::uint8_t kNoParent = 0xFF;

}  // namespace manyply
