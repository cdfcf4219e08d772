// The operations on whole rows of pairs, implemented once for each instruction set.
//
// A row of pairs has one bit per column, which is set if the row forms a pair with the column. A
// move of the mover is applied to all pairs of a row at once: for each square of its path, one AND
// per register removes the columns with a piece on this square. README.md explains the whole
// method.
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

/// The pairs of one row and one block after a double push next to a pawn of the other side. The
/// push may create a right to capture en passant.
struct PushedPairs {
  std::uint32_t block;
  LoneMove push;
  /// One bit for each column of the block, which is set if the pair exists.
  std::array<std::uint64_t, kBlockWords> words;
};

/// The inputs of a ply that are the same for all its rows.
struct PairStep {
  Color mover;
  const PairPlanes& planes;
  const Losses& losses;
};

/// The functions of one instruction set. Immutable. Any thread may call them with its own row.
struct PairKernel {
  /// Adds to `row` the pairs that `move` creates from the pairs of `source`. If `move` is a double
  /// push, pairs with an enemy pawn next to the pushed pawn are added to `pushed` instead. `own`
  /// are the mover's pieces before the move.
  void (*pull)(const PairStep& step, const LoneMove& move, Bitboard own, const PairRowView& source,
               PairRow& row, std::vector<PushedPairs>& pushed);
  /// Removes the pairs in which the column attacks the king of `pieces`, whose side has just moved.
  void (*drop_illegal)(const PairStep& step, const Pieces& pieces, PairRow& row);
  /// Like drop_illegal(), for the pairs of the first `count` elements of `pushed`.
  void (*drop_illegal_pushes)(const PairStep& step, const Pieces& pieces, PushedPairs* pushed,
                              std::size_t count);
  /// Returns the number of pairs of `row` in the columns whose bits are set in `counted`, which has
  /// kBlockWords words for each block of columns. If `counted` is null, returns the number of all
  /// pairs of `row`.
  std::uint64_t (*count)(const PairRow& row, const std::uint64_t* counted);
};

/// Returns the kernel for the instruction set of `kernel`.
const PairKernel& pair_kernel_for(const Kernel& kernel);

}  // namespace manyply
