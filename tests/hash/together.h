// Threads that start at the same moment.
#pragma once

#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/support/budget.h"

namespace manyply {

/// Number of operations of each thread if many share a table.
inline constexpr std::uint64_t kOperations = budget(100'000);

/// Runs body(0) … body(threads - 1), each on its own thread. No thread begins before all have
/// started.
template <typename Body>
void run_together(int threads, const Body& body) {
  std::barrier start(threads);
  std::vector<std::jthread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      start.arrive_and_wait();
      body(thread);
    });
  }
}

}  // namespace manyply
