// Distributes numbered chunks of work among workers.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>

#include "core/base/stop_view.h"
#include "core/configurations/sort_all.h"
#include "parallel/workers.h"

namespace manyply {

/// Hands out each number from 0 to count - 1 once, until a stop is requested. Any thread. It does
/// not synchronise data between workers: the results of a worker are visible to others when
/// Workers::run has returned.
class ChunkCounter {
 public:
  enum class Order : std::uint8_t {
    kAscending,
    /// At any time, the numbers handed out so far are spread evenly over the whole range. They come
    /// in runs of consecutive numbers, because neighbouring chunks have much in common and are
    /// faster together.
    kSpread,
  };

  ChunkCounter(std::size_t count, StopView stop, Order order = Order::kAscending)
      : count_(count),
        run_(order == Order::kSpread ? count / kRuns + 1 : 1),
        runs_((count + run_ - 1) / run_),
        stride_(order == Order::kSpread ? spread_stride(runs_) : 1),
        stop_(stop) {}

  /// Returns the next number; nullopt if all are handed out or a stop is requested.
  std::optional<std::size_t> next() {
    while (!stop_.stop_requested()) {
      const std::size_t next = next_.fetch_add(1, std::memory_order_relaxed);
      if (next >= runs_ * run_) break;
      const std::size_t number = next / run_ * stride_ % runs_ * run_ + next % run_;
      if (number < count_) return number;  // the last run is shorter
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kRuns = 256;  // the maximum number of runs

  /// Returns a stride near the golden ratio times `count`, so that the numbers handed out leave no
  /// large gaps at any time. The stride is coprime to `count`, so each number comes once. It is
  /// below 2^31, so products do not overflow.
  static std::size_t spread_stride(std::size_t count) {
    auto stride =
        static_cast<std::size_t>(static_cast<double>(count % (std::size_t{1} << 31)) * 0.618);
    while (std::gcd(stride, count) > 1 || stride == 0) ++stride;
    return stride;
  }

  const std::size_t count_;
  const std::size_t run_;  // numbers in a run
  const std::size_t runs_;
  const std::size_t stride_;  // from one run to the next
  const StopView stop_;
  std::atomic<std::size_t> next_{0};
};

/// Calls body(number) for each number below `count` on all workers, until a stop is requested. A
/// single chunk runs on the calling thread, because waking other threads would cost more.
template <typename Body>
void for_each_chunk(std::size_t count, const Workers& workers, StopView stop, const Body& body) {
  ChunkCounter chunks(count, stop);
  const auto take_all = [&](int) {
    while (const auto chunk = chunks.next()) body(*chunk);
  };
  count <= 1 ? take_all(0) : workers.run(take_all);
}

/// Returns for_each_chunk() as a function object, for code that does not know Workers. `workers`
/// and the state behind `stop` must outlive it.
inline ForEach on_all(const Workers& workers, StopView stop) {
  return [&workers, stop](std::size_t count, const std::function<void(std::size_t)>& body) {
    for_each_chunk(count, workers, stop, body);
  };
}

}  // namespace manyply
