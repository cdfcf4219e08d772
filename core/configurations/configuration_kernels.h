// Declares the configuration kernels of this build. Each instruction set has three kernels in one
// translation unit. Only core/ may include this file.
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
