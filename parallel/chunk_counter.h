// Hands numbers to workers, one after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <utility>

#include "parallel/workers.h"

namespace manyply {

/// 0 … count - 1, each once, until somebody wants work to end. Any thread. The counter publishes
/// nothing: what workers wrote is visible when Workers::run has returned.
class ChunkCounter {
 public:
  ChunkCounter(std::size_t count, std::stop_token stop) : count_(count), stop_(std::move(stop)) {}

  std::optional<std::size_t> next() {
    if (stop_.stop_requested()) return std::nullopt;
    const std::size_t number = next_.fetch_add(1, std::memory_order_relaxed);
    return number < count_ ? std::optional(number) : std::nullopt;
  }

 private:
  const std::size_t count_;
  const std::stop_token stop_;
  std::atomic<std::size_t> next_{0};
};

/// body(number) for each number below `count` on all of `workers`, until somebody wants work to
/// end. What is one chunk only is not worth waking anybody.
template <typename Body>
void for_each_chunk(std::size_t count, const Workers& workers, const std::stop_token& stop,
                    const Body& body) {
  ChunkCounter chunks(count, stop);
  const auto take_all = [&](int) {
    while (const auto chunk = chunks.next()) body(*chunk);
  };
  count <= 1 ? take_all(0) : workers.run(take_all);
}

}  // namespace manyply
