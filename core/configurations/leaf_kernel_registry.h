// The leaf kernels this program was built with, one per translation unit. Private to core/.
#pragma once

#include "core/configurations/leaf_kernel.h"
#include "core/instruction_sets.h"

#define MANYPLY_DECLARE(space, name)   \
  namespace manyply::space {           \
  extern const LeafKernel kLeafKernel; \
  }
MANYPLY_WIDE_SETS(MANYPLY_DECLARE)
#if defined(__SSE2__)
MANYPLY_DECLARE(portable, kPortable)
#endif
#undef MANYPLY_DECLARE
