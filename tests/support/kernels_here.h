#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
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

/// The best kernel, but one that knows of how many children it has told. One at a time; counted
/// with by any number of threads.
class TellingKernel {
 public:
  TellingKernel() : kernel_(best_kernel()) {
    children_ = 0;
    kernel_.count_two_plies = [](const Board* boards, std::size_t count, std::uint32_t* leaves) {
      const std::uint64_t children = best_kernel().count_two_plies(boards, count, leaves);
      children_ += children;
      return children;
    };
  }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] std::uint64_t children() const { return children_; }

 private:
  static inline std::atomic<std::uint64_t> children_;  // a kernel's functions have no state
  Kernel kernel_;
};

}  // namespace manyply
