// Declares the configuration kernels of this build, and includes what their *.inc files need. Each
// instruction set has three kernels in one translation unit. Only core/ may include this file.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "core/configurations/leaf_kernel.h"
#include "core/configurations/pair_kernel.h"
#include "core/configurations/rays.h"
#include "core/configurations/row_kernel.h"
#include "core/kernels/kernel_constants.h"
#include "core/processor.h"

#define MANYPLY_DECLARE(space, name)   \
  namespace manyply::space {           \
  extern const RowKernel kRowKernel;   \
  extern const PairKernel kPairKernel; \
  extern const LeafKernel kLeafKernel; \
  }
MANYPLY_ALL_SETS(MANYPLY_DECLARE)
#undef MANYPLY_DECLARE
