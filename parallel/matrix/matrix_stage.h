// From the rows after a ply to the matrix before the next one.
#pragma once

#include <atomic>
#include <cstdint>

#include "parallel/matrix/matrix_ply.h"

namespace manyply {

/// Bytes that matrices may take. Any thread.
class MatrixBudget {
 public:
  explicit MatrixBudget(std::uint64_t limit) : limit_(limit) {}

  /// Throws MatrixDoesNotFit when there are no more.
  void take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// The most that was taken at any time.
  [[nodiscard]] std::uint64_t most() const { return most_.load(std::memory_order_relaxed); }

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};  // by all workers; publishes nothing
  std::atomic<std::uint64_t> most_{0};
};

/// Plays a ply and turns it over: its rows become columns, since now the other side moves. Rows and
/// columns that no path reaches are left out. After `stop` the answer is good for nothing. Throws
/// MatrixDoesNotFit.
MatrixStage next_stage(const MatrixPly& ply, const Workers& workers, StopView stop,
                       MatrixBudget& budget);

}  // namespace manyply
