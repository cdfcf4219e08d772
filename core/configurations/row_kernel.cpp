#include "core/configurations/row_kernel.h"

#include "core/configurations/row_kernel_registry.h"

namespace manyply {

const RowKernel& row_kernel_for(const Kernel& kernel) {
  switch (kernel.hashed) {
#if MANYPLY_X86
    case HashedPartner::kAvx512:
      return avx512::kRowKernel;
    case HashedPartner::kAvx2:
      return avx2::kRowKernel;
    case HashedPartner::kAvx:
      return avx::kRowKernel;
#endif
    case HashedPartner::kPortable:
      break;
  }
  return portable::kRowKernel;
}

}  // namespace manyply
