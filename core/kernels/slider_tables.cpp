// Fills the tables for PEXT.
#include "core/kernels/slider_tables.h"

#include "core/base/check.h"

namespace manyply {

SliderTables pext_tables;

namespace {

/// Returns the squares on which a blocker changes the attacks from `square`. These are the lines
/// from `square` without the last square of each line.
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

/// Fills the entries of one piece type. Writes the attacks of one entry after another, starting at
/// `next`. Returns the first free place. Visits the subsets of each mask in ascending order,
/// because PEXT gives them ascending indices.
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

void prepare_pext_tables(bool is_fast) {
  pext_tables.is_fast = is_fast;
  Bitboard* next = fill(pext_tables.rook, detail::kOrthogonalSteps, pext_tables.attacks.data());
  next = fill(pext_tables.bishop, detail::kDiagonalSteps, next);
  MANYPLY_CHECK(next == pext_tables.attacks.data() + pext_tables.attacks.size());
}

}  // namespace manyply
