// Declares the kernels in this program, one per translation unit. Only core/ may include this file.
#pragma once

#include "core/kernel.h"
#include "core/processor.h"

namespace manyply {

namespace portable {
extern const Kernel kKernel;
extern const StatisticsKernel kStatistics;  ///< also used by the scalar kernel

// The class Position uses these two functions.

/// Returns the pieces that give check to the side to move.
Bitboard checkers(const Board& board);
/// Returns whether the side to move has a legal en passant capture on `target`.
bool en_passant_is_possible(const Board& board, Square target);
}  // namespace portable

// The scalar kernel counts one position at a time without vector instructions.
namespace scalar {
extern const Kernel kKernel;
}

#define MANYPLY_DECLARE(space, name) \
  namespace space {                  \
  extern const Kernel kKernel;       \
  }
MANYPLY_WIDE_SETS(MANYPLY_DECLARE)
#undef MANYPLY_DECLARE

}  // namespace manyply
