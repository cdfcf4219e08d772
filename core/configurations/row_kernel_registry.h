// The row kernels this program was built with, one per translation unit. Private to core/.
#pragma once

#include "core/configurations/row_kernel.h"

namespace manyply {

namespace portable {
extern const RowKernel kRowKernel;
}

#if MANYPLY_X86
namespace avx512 {
extern const RowKernel kRowKernel;
}
namespace avx2 {
extern const RowKernel kRowKernel;
}
namespace avx {
extern const RowKernel kRowKernel;
}
#endif

}  // namespace manyply
