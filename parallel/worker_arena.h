// The threads that count: tbb_arena.cpp has them from oneTBB, and is the only door to it;
// threads_arena.cpp and loop_arena.cpp are for where there is none. MANYPLY_ARENA says which.
#pragma once

#include <functional>
#include <memory>

#include "parallel/topology.h"

namespace manyply {

/// `workers` threads, the caller's among them, even where the machine has fewer cores. Those of our
/// own start at the first call that needs them, and end with the arena. Any thread, and several at
/// once; hold no lock.
class WorkerArena {
 public:
  /// Precondition: workers >= 1.
  static std::unique_ptr<WorkerArena> of(int workers);
  WorkerArena() = default;
  virtual ~WorkerArena() = default;
  WorkerArena(const WorkerArena&) = delete;
  WorkerArena& operator=(const WorkerArena&) = delete;

  /// Calls body(0), body(1), … body(workers - 1), each once, and returns when all have returned. A
  /// thread that comes late may find the others' bodies done and its own run by one of them: bodies
  /// must not wait for each other. What the first body to throw has thrown is thrown here once all
  /// have returned. With `pin_to`, each body runs pinned to its worker's core.
  virtual void run(const std::function<void(int)>& body, const Topology* pin_to = nullptr) = 0;
};

}  // namespace manyply
