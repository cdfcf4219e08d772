#pragma once

#include <vector>

#include "core/kernel.h"

namespace manyply {

/// All kernels that this processor can run.
inline std::vector<const Kernel*> kernels_here() {
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : all_kernels()) {
    if (runs_here(kernel)) kernels.push_back(&kernel);
  }
  return kernels;
}

}  // namespace manyply
