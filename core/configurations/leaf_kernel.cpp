#include "core/configurations/leaf_kernel.h"

#include "core/configurations/leaf_kernel_registry.h"

namespace manyply {

const LeafKernel* leaf_kernel_for(const Kernel& kernel) {
  switch (kernel.hashed) {
#if MANYPLY_X86
    case HashedPartner::kAvx512:
      return &avx512::kLeafKernel;
    case HashedPartner::kAvx2:
      return &avx2::kLeafKernel;
    case HashedPartner::kAvx:
      return &avx::kLeafKernel;
#endif
    case HashedPartner::kPortable:
      break;
  }
#if defined(__SSE2__)
  return &portable::kLeafKernel;
#else
  return nullptr;
#endif
}

}  // namespace manyply
