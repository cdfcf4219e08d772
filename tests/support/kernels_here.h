#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/kernel.h"

namespace manyply {

/// Returns all kernels that this processor can run.
inline std::vector<const Kernel*> kernels_here() {
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : all_kernels()) {
    if (runs_here(kernel)) kernels.push_back(&kernel);
  }
  return kernels;
}

/// The best kernel, which also adds up the numbers of children that count_two_plies() returns. Only
/// one object may exist at a time. Any number of threads may count with it.
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
  // Static, because a kernel's functions have no state.
  static inline std::atomic<std::uint64_t> children_;
  Kernel kernel_;
};

/// The best kernel, which requests a stop at the beginning of call number `calls` + 1 of its two
/// functions that count two plies. Only one object may exist at a time. Any number of threads may
/// count with it.
class StoppingKernel {
 public:
  explicit StoppingKernel(std::uint64_t calls) : kernel_(best_kernel()) {
    calls_left_ = static_cast<std::int64_t>(calls);
    stop_.emplace();
    kernel_.count_two_plies = [](const Board* boards, std::size_t count, std::uint32_t* leaves) {
      called();
      return best_kernel().count_two_plies(boards, count, leaves);
    };
    kernel_.count_two_plies_in_lanes = [](const BoardLanes& boards, std::size_t count,
                                          std::uint32_t* leaves) {
      called();
      return best_kernel().count_two_plies_in_lanes(boards, count, leaves);
    };
  }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] std::stop_token token() const { return stop_->get_token(); }
  /// Returns the number of calls after the call that requested the stop; below 0 if there was no
  /// request yet.
  [[nodiscard]] std::int64_t calls_after() const { return -1 - calls_left_; }

 private:
  static void called() {
    if (calls_left_.fetch_sub(1, std::memory_order_relaxed) == 0) stop_->request_stop();
  }

  // Static, because a kernel's functions have no state of their own.
  static inline std::atomic<std::int64_t> calls_left_;
  static inline std::optional<std::stop_source> stop_;
  Kernel kernel_;
};

}  // namespace manyply
