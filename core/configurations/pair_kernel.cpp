#include "core/configurations/pair_kernel.h"

#include "core/check.h"
#include "core/configurations/pair_kernel_registry.h"

namespace manyply {

const PairKernel& pair_kernel_for(const Kernel& kernel) {
#define MANYPLY_CASE(space, name) \
  case HashedPartner::name:       \
    return space::kPairKernel;
  switch (kernel.hashed) { MANYPLY_ALL_SETS(MANYPLY_CASE) }
#undef MANYPLY_CASE
  fail_check("a kernel without a partner");
}

}  // namespace manyply
