// The kernels this program was built with, one per translation unit. Private to core/.
#pragma once

#include "core/kernel.h"

namespace manyply {

namespace portable {
extern const Kernel kKernel;
extern const StatisticsKernel kStatistics;  ///< the scalar kernels', too

// Rules that Position needs outside of counting.
Bitboard checkers(const Board& board);  ///< pieces that give check to the side to move
bool en_passant_is_possible(const Board& board, Square target);  ///< a legal capture exists
}  // namespace portable

// The same scalar code twice, under one name: in plain instructions, and for BMI2.
namespace scalar {
extern const Kernel kKernel;
}

#if MANYPLY_X86
namespace avx512 {
extern const Kernel kKernel;
}
namespace avx2 {
extern const Kernel kKernel;
}
namespace avx {
extern const Kernel kKernel;
}
#endif

}  // namespace manyply
