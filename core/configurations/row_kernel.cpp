#include "core/configurations/row_kernel.h"

#include "core/check.h"
#include "core/configurations/row_kernel_registry.h"

namespace manyply {

const RowKernel& row_kernel_for(const Kernel& kernel) {
#define MANYPLY_CASE(space, name) \
  case HashedPartner::name:       \
    return space::kRowKernel;
  switch (kernel.hashed) { MANYPLY_ALL_SETS(MANYPLY_CASE) }
#undef MANYPLY_CASE
  fail_check("a kernel without a partner");
}

}  // namespace manyply
