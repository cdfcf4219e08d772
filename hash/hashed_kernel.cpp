#include "hash/hashed_kernel.h"

#include "core/check.h"
#include "hash/hashed_registry.h"

namespace manyply {

const HashedKernel& hashed_kernel_for(const Kernel& kernel) {
  switch (kernel.hashed) {
    case HashedPartner::kPortable:
      return portable::kHashedKernel;
#if MANYPLY_X86
    case HashedPartner::kAvx:
      return avx::kHashedKernel;
    case HashedPartner::kAvx2:
      return avx2::kHashedKernel;
    case HashedPartner::kAvx512:
      return avx512::kHashedKernel;
#endif
  }
  fail_check("a kernel without a hashed partner");
}

}  // namespace manyply
