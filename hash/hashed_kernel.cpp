#include "hash/hashed_kernel.h"

#include "hash/hashed_registry.h"

namespace manyply {

const HashedKernel& hashed_kernel_for(const Kernel& kernel) {
#if MANYPLY_X86
  for (const HashedKernel* hashed :
       {&avx512::kHashedKernel, &avx2::kHashedKernel, &avx::kHashedKernel}) {
    if (hashed->name == kernel.name) return *hashed;
  }
#endif
  return portable::kHashedKernel;
}

}  // namespace manyply
