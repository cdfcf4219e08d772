#include "core/configurations/pair_kernel.h"

#include "core/configurations/pair_kernel_registry.h"

namespace manyply {

const PairKernel& pair_kernel_for(const Kernel& kernel) {
  switch (kernel.hashed) {
#if MANYPLY_X86
    case HashedPartner::kAvx512:
      return avx512::kPairKernel;
    case HashedPartner::kAvx2:
      return avx2::kPairKernel;
    case HashedPartner::kAvx:
      return avx::kPairKernel;
#endif
    case HashedPartner::kPortable:
      break;
  }
  return portable::kPairKernel;
}

}  // namespace manyply
