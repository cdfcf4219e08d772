// The hashed kernels this program was built with, one per translation unit. Private to hash/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "core/processor.h"
#include "hash/hashed_kernel.h"

namespace manyply {

namespace portable {
extern const HashedKernel kHashedKernel;
}

#if MANYPLY_X86
namespace avx512 {
extern const HashedKernel kHashedKernel;
}
namespace avx2 {
extern const HashedKernel kHashedKernel;
}
namespace avx {
extern const HashedKernel kHashedKernel;
}
#endif

}  // namespace manyply
