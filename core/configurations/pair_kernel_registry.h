// The kernels of pairs this program was built with, one per translation unit. Private to core/.
#pragma once

#include "core/configurations/pair_kernel.h"

namespace manyply {

namespace portable {
extern const PairKernel kPairKernel;
}

#if MANYPLY_X86
namespace avx512 {
extern const PairKernel kPairKernel;
}
namespace avx2 {
extern const PairKernel kPairKernel;
}
namespace avx {
extern const PairKernel kPairKernel;
}
#endif

}  // namespace manyply
