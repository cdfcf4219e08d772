// Hands numbers to workers, one after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>

#include "core/configurations/sort_all.h"
#include "core/stop_view.h"
#include "parallel/workers.h"

namespace manyply {

/// 0 … count - 1, each once, until somebody wants work to end. Any thread. The counter publishes
/// nothing: what workers wrote is visible when Workers::run has returned.
class ChunkCounter {
 public:
  ChunkCounter(std::size_t count, StopView stop) : count_(count), stop_(stop) {}

  std::optional<std::size_t> next() {
    if (stop_.stop_requested()) return std::nullopt;
    const std::size_t number = next_.fetch_add(1, std::memory_order_relaxed);
    return number < count_ ? std::optional(number) : std::nullopt;
  }

 private:
  const std::size_t count_;
  const StopView stop_;
  std::atomic<std::size_t> next_{0};
};

/// body(number) for each number below `count` on all of `workers`, until somebody wants work to
/// end. What is one chunk only is not worth waking anybody.
template <typename Body>
void for_each_chunk(std::size_t count, const Workers& workers, StopView stop, const Body& body) {
  ChunkCounter chunks(count, stop);
  const auto take_all = [&](int) {
    while (const auto chunk = chunks.next()) body(*chunk);
  };
  count <= 1 ? take_all(0) : workers.run(take_all);
}

/// The same for those who know no workers; these and what `stop` views outlive it.
inline ForEach on_all(const Workers& workers, StopView stop) {
  return [&workers, stop](std::size_t count, const std::function<void(std::size_t)>& body) {
    for_each_chunk(count, workers, stop, body);
  };
}

}  // namespace manyply
