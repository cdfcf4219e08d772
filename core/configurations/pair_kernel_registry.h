// The kernels of pairs this program was built with, one per translation unit. Private to core/.
#pragma once

#include "core/configurations/pair_kernel.h"
#include "core/instruction_sets.h"

#define MANYPLY_DECLARE(space, name)   \
  namespace manyply::space {           \
  extern const PairKernel kPairKernel; \
  }
MANYPLY_ALL_SETS(MANYPLY_DECLARE)
#undef MANYPLY_DECLARE
