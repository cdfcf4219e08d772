// The scalar kernel with PEXT slider look-ups and hardware bit counting (x86-64 with BMI2).
#include "core/kernel_registry.h"

#if MANYPLY_X86

#include <immintrin.h>

#include <array>
#include <cstdint>

#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/target_region.h"

namespace manyply::bmi2 {
namespace {

/// Attacks of a slider on one square, indexed by the occupied squares of `mask` packed by PEXT.
struct SliderEntry {
  Bitboard mask;
  const Bitboard* attacks;
};

constexpr std::size_t kRookEntries = 102400;
constexpr std::size_t kBishopEntries = 5248;

struct SliderTables {
  std::array<SliderEntry, 64> rook;
  std::array<SliderEntry, 64> bishop;
  std::array<Bitboard, kRookEntries + kBishopEntries> attacks;
};

// Filled by prepare() before any kernel runs, constant from then on.
SliderTables tables;

/// Lines from the square without their last squares: a blocker on the edge changes nothing.
template <std::size_t N>
Bitboard relevant_mask(int square, const std::array<detail::Step, N>& steps) {
  Bitboard mask = 0;
  for (const detail::Step step : steps) {
    const int file = square & 7;
    const int rank = square >> 3;
    const int length = [&] {
      int n = 0;
      while (detail::on_board(file + (n + 1) * step.file, rank + (n + 1) * step.rank)) ++n;
      return n;
    }();
    for (int i = 1; i < length; ++i) mask |= bit((rank + i * step.rank) * 8 + file + i * step.file);
  }
  return mask;
}

/// Fills one piece type's entries from `next` on; returns the first free place behind them. Subsets
/// of a mask in counting order are in PEXT order, so PEXT itself is not needed.
template <std::size_t N>
Bitboard* fill(std::array<SliderEntry, 64>& entries, const std::array<detail::Step, N>& steps,
               Bitboard* next) {
  for (int square = 0; square < 64; ++square) {
    const Bitboard mask = relevant_mask(square, steps);
    entries[static_cast<std::size_t>(square)] = {mask, next};
    Bitboard occupied = 0;
    do {
      *next++ = detail::rays(square, steps, occupied);
      occupied = (occupied - mask) & mask;
    } while (occupied != 0);
  }
  return next;
}

}  // namespace

void prepare() {
  Bitboard* next = fill(tables.rook, detail::kOrthogonalSteps, tables.attacks.data());
  next = fill(tables.bishop, detail::kDiagonalSteps, next);
  MANYPLY_CHECK(next == tables.attacks.data() + tables.attacks.size());
}

MANYPLY_TARGET_BEGIN("bmi,bmi2,lzcnt,popcnt")
namespace {

inline Bitboard rook_attacks(int square, Bitboard occupied) {
  const SliderEntry& entry = tables.rook[static_cast<std::size_t>(square)];
  return entry.attacks[_pext_u64(occupied, entry.mask)];
}
inline Bitboard bishop_attacks(int square, Bitboard occupied) {
  const SliderEntry& entry = tables.bishop[static_cast<std::size_t>(square)];
  return entry.attacks[_pext_u64(occupied, entry.mask)];
}

#include "core/scalar_kernel.inc"

}  // namespace
MANYPLY_TARGET_END

const Kernel kKernel{"bmi2",          "scalar, x86-64 with fast PEXT",
                     kernel_count,    kernel_count_two_plies,
                     kernel_generate, kernel_make_unchecked};

}  // namespace manyply::bmi2

#endif  // MANYPLY_X86
