// The hashed kernels in this program, one per translation unit. Private to hash/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "core/instruction_sets.h"
#include "hash/hashed_kernel.h"

#define MANYPLY_DECLARE(space, name)       \
  namespace manyply::space {               \
  extern const HashedKernel kHashedKernel; \
  }
MANYPLY_ALL_SETS(MANYPLY_DECLARE)
#undef MANYPLY_DECLARE
