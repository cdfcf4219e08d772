#include "core/configurations/leaf_kernel.h"

#include "core/configurations/leaf_kernel_registry.h"

namespace manyply {

const LeafKernel* leaf_kernel_for(const Kernel& kernel) {
#define MANYPLY_CASE(space, name) \
  case HashedPartner::name:       \
    return &space::kLeafKernel;
  switch (kernel.hashed) {
    MANYPLY_WIDE_SETS(MANYPLY_CASE)
    case HashedPartner::kPortable:
      break;
  }
#undef MANYPLY_CASE
#if defined(__SSE2__)
  return &portable::kLeafKernel;
#else
  return nullptr;
#endif
}

}  // namespace manyply
