// Declares the configuration kernels of this build: three for each instruction set, defined in one
// translation unit per set. Private to core/.
#pragma once

#include "core/configurations/leaf_kernel.h"
#include "core/configurations/pair_kernel.h"
#include "core/configurations/row_kernel.h"
#include "core/processor.h"

#define MANYPLY_DECLARE(space, name)   \
  namespace manyply::space {           \
  extern const RowKernel kRowKernel;   \
  extern const PairKernel kPairKernel; \
  extern const LeafKernel kLeafKernel; \
  }
MANYPLY_ALL_SETS(MANYPLY_DECLARE)
#undef MANYPLY_DECLARE
