// The row kernels this program was built with, one per translation unit. Private to core/.
#pragma once

#include "core/configurations/row_kernel.h"
#include "core/instruction_sets.h"

#define MANYPLY_DECLARE(space, name) \
  namespace manyply::space {         \
  extern const RowKernel kRowKernel; \
  }
MANYPLY_ALL_SETS(MANYPLY_DECLARE)
#undef MANYPLY_DECLARE
