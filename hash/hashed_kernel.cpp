#include "hash/hashed_kernel.h"

#include "hash/hashed_registry.h"

namespace manyply {

const HashedKernel& hashed_kernel_for(const Kernel& kernel) {
#if MANYPLY_X86
  if (kernel.name == bmi2::kHashedKernel.name) return bmi2::kHashedKernel;
#endif
  return portable::kHashedKernel;
}

}  // namespace manyply
