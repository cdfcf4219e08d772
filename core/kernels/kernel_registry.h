// The kernels in this program, one per translation unit. Private to core/.
#pragma once

#include "core/kernel.h"
#include "core/processor.h"

namespace manyply {

namespace portable {
extern const Kernel kKernel;
extern const StatisticsKernel kStatistics;  ///< also used by the scalar kernel

// Two functions for Position.

/// Returns the pieces that give check to the side to move.
Bitboard checkers(const Board& board);
/// Returns whether a legal en passant capture on `target` exists.
bool en_passant_is_possible(const Board& board, Square target);
}  // namespace portable

// Counts one position at a time without vector instructions.
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
