// Distributes numbered chunks of work to workers.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <functional>
#include <optional>

#include "core/base/stop_view.h"
#include "core/configurations/sort_all.h"
#include "parallel/workers.h"

namespace manyply {

/// A queue of the numbers of chunks. next() returns each number from 0 to count - 1 once, until a
/// stop is requested. Any thread may call next(). The queue does not synchronise data between
/// workers: other threads can read a worker's results only after Workers::run has returned.
class ChunkQueue {
 public:
  enum class Order : std::uint8_t {
    kAscending,
    /// next() returns runs of consecutive numbers, because neighbouring chunks use the same data
    /// and are faster one after another. The order of the runs spreads the numbers returned so far
    /// evenly over all numbers.
    kSpread,
  };

  ChunkQueue(std::size_t count, StopView stop, Order order = Order::kAscending)
      : count_(count), stop_(stop), order_(order) {
    if (order == Order::kAscending || count == 0) return;
    run_ = std::max(count / kRuns, std::min(count / kFewRuns, kShortRun - 1)) + 1;
    bits_ = static_cast<unsigned>(std::bit_width((count - 1) / run_));
    end_ = run_ << bits_;
  }

  /// Returns the next number; nullopt if all numbers were returned or a stop is requested.
  std::optional<std::size_t> next() {
    while (!stop_.stop_requested()) {
      const std::size_t next = next_.fetch_add(1, std::memory_order_relaxed);
      if (next >= end_) break;
      if (order_ == Order::kAscending) return next;
      const std::size_t number = spread(next / run_) * run_ + next % run_;
      if (number < count_) return number;
    }
    return std::nullopt;
  }

  /// Calls body(number of the worker) on all workers, and rethrows an exception of a worker. After
  /// an exception, next() returns no more numbers, so that the other workers finish soon.
  template <typename Body>
  void run_on(const Workers& workers, const Body& body) {
    workers.run([&](int number) {
      try {
        body(number);
      } catch (...) {
        next_.store(end_, std::memory_order_relaxed);
        throw;
      }
    });
  }

 private:
  // Longer runs are faster, but shorter runs divide the work more evenly among workers. kRuns is
  // the largest number of runs. A run has at least kShortRun numbers, unless this would result in
  // fewer than about kFewRuns runs.
  static constexpr std::size_t kShortRun = 3;
  static constexpr std::size_t kFewRuns = 256;
  static constexpr std::size_t kRuns = 1024;

  /// Returns which run is at place `place` of the order; places start at 0. The number of the run
  /// has the bits of `place` in reverse order, with every second bit inverted. The reversal spreads
  /// the runs: for example, the first four runs come from four different quarters. Without the
  /// inversion, run 0 would come first, but its chunks often cost most.
  [[nodiscard]] std::size_t spread(std::size_t place) const {
    std::size_t run = 0;
    for (unsigned bit = 0; bit < bits_; ++bit) run = run << 1 | ((place >> bit ^ bit) & 1);
    return run;
  }

  const std::size_t count_;
  const StopView stop_;
  const Order order_;
  std::size_t run_ = 1;       // length of a run
  unsigned bits_ = 0;         // number of bits in a run's number
  std::size_t end_ = count_;  // limit of next_; with kSpread, some values below it have no chunk
  std::atomic<std::size_t> next_{0};
};

/// Calls body(number) for each number below `count` on all workers, until a stop is requested. A
/// single chunk runs on the calling thread, because waking other threads would take longer.
template <typename Body>
void for_each_chunk(std::size_t count, const Workers& workers, StopView stop, const Body& body) {
  ChunkQueue chunks(count, stop);
  const auto take_all = [&](int) {
    while (const auto chunk = chunks.next()) body(*chunk);
  };
  count <= 1 ? take_all(0) : chunks.run_on(workers, take_all);
}

/// Divides the numbers below `count` into runs of `at_once` consecutive numbers; the last run may
/// be shorter. Calls body(begin, end) for each run. Otherwise the same as for_each_chunk().
template <typename Body>
void for_each_range(std::size_t count, std::size_t at_once, const Workers& workers, StopView stop,
                    const Body& body) {
  for_each_chunk((count + at_once - 1) / at_once, workers, stop, [&](std::size_t chunk) {
    body(chunk * at_once, std::min(count, (chunk + 1) * at_once));
  });
}

/// Returns for_each_chunk() as a function object, for code that does not know Workers. `workers`
/// and the state behind `stop` must outlive the function object.
inline ForEach on_all(const Workers& workers, StopView stop) {
  return [&workers, stop](std::size_t count, const std::function<void(std::size_t)>& body) {
    for_each_chunk(count, workers, stop, body);
  };
}

}  // namespace manyply
