#include "core/configurations/configuration_kernels.h"

#include "core/base/check.h"

namespace manyply {
namespace {

/// The three kernels of one instruction set.
struct Set {
  const RowKernel& rows;
  const PairKernel& pairs;
  const LeafKernel& leaves;
};

Set set_for(const Kernel& kernel) {
#define MANYPLY_CASE(space, name) \
  case HashedPartner::name:       \
    return {space::kRowKernel, space::kPairKernel, space::kLeafKernel};
  switch (kernel.hashed) { MANYPLY_ALL_SETS(MANYPLY_CASE) }
#undef MANYPLY_CASE
  fail_check("no configuration kernels for the instruction set of this kernel");
}

}  // namespace

const RowKernel& row_kernel_for(const Kernel& kernel) { return set_for(kernel).rows; }
const PairKernel& pair_kernel_for(const Kernel& kernel) { return set_for(kernel).pairs; }
const LeafKernel& leaf_kernel_for(const Kernel& kernel) { return set_for(kernel).leaves; }

}  // namespace manyply
