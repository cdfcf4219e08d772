// The kernels this program was built with, one per translation unit. Private to core/.
#pragma once

#include "core/instruction_sets.h"
#include "core/kernel.h"

namespace manyply {

namespace portable {
extern const Kernel kKernel;
extern const StatisticsKernel kStatistics;  ///< the scalar kernels', too

// Rules that Position needs outside of counting.
Bitboard checkers(const Board& board);  ///< pieces that give check to the side to move
bool en_passant_is_possible(const Board& board, Square target);  ///< a legal capture exists
}  // namespace portable

// One position at a time, in plain instructions.
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
