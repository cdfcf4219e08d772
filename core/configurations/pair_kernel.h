// What is done with whole rows of pairs at a time, once for each instruction set.
//
// A row of pairs has a bit for each configuration of the other side that it has been met with. A
// move of the mover's alone serves all of them: those are kept that do not stand in its way, which
// is an AND for each square of its path and 512 columns. README.md has the whole method.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/columns.h"
#include "core/configurations/lone_moves.h"
#include "core/configurations/pair_planes.h"
#include "core/configurations/pair_row.h"
#include "core/kernel.h"

namespace manyply {

/// Pairs after a double push that the other side's pawns stand beside, so that it may give a right
/// to capture en passant.
struct PushedPairs {
  std::uint32_t block;
  LoneMove push;
  std::array<std::uint64_t, kBlockWords> words;
};

/// The part of a ply that one row needs.
struct PairStep {
  Color mover;
  const PairPlanes& planes;
  const Losses& losses;
};

/// Immutable; any thread, each with its own row.
struct PairKernel {
  /// Adds to `row` what `move` makes of the pairs of `source`; but double pushes beside one of the
  /// other side's pawns go to `pushed`. `own` are the mover's pieces before the move.
  void (*pull)(const PairStep& step, const LoneMove& move, Bitboard own, const PairRowView& source,
               PairRow& row, std::vector<PushedPairs>& pushed);
  /// Takes out what attacks the king of `pieces`, whose side has just moved.
  void (*drop_illegal)(const PairStep& step, const Pieces& pieces, PairRow& row);
  void (*drop_illegal_pushes)(const PairStep& step, const Pieces& pieces, PushedPairs* pushed,
                              std::size_t count);
  /// Pairs of `row` among `counted`, by word; all of them if that is null.
  std::uint64_t (*count)(const PairRow& row, const std::uint64_t* counted);
};

/// In `kernel`'s instruction set.
const PairKernel& pair_kernel_for(const Kernel& kernel);

}  // namespace manyply
