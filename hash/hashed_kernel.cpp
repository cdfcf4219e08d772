#include "hash/hashed_kernel.h"

#include "core/base/check.h"

namespace manyply {

const HashedKernel& hashed_kernel_for(const Kernel& kernel) {
#define MANYPLY_CASE(space, name) \
  case HashedPartner::name:       \
    return space::kHashedKernel;
  switch (kernel.hashed) { MANYPLY_ALL_SETS(MANYPLY_CASE) }
#undef MANYPLY_CASE
  fail_check("a kernel without a hashed partner");
}

}  // namespace manyply
