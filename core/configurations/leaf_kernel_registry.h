// The leaf kernels this program was built with, one per translation unit. Private to core/.
#pragma once

#include "core/configurations/leaf_kernel.h"

#if MANYPLY_X86
namespace manyply::avx512 {
extern const LeafKernel kLeafKernel;
}
namespace manyply::avx2 {
extern const LeafKernel kLeafKernel;
}
namespace manyply::avx {
extern const LeafKernel kLeafKernel;
}
#endif
#if defined(__SSE2__)
namespace manyply::portable {
extern const LeafKernel kLeafKernel;
}
#endif
