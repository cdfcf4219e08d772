// The threads of a job. tbb_arena.cpp gets them from oneTBB; threads_arena.cpp starts its own;
// loop_arena.cpp runs without threads. CMake's MANYPLY_ARENA selects one of them.
#pragma once

#include <functional>
#include <memory>

#include "parallel/topology.h"

namespace manyply {

/// `workers` threads including the calling thread, even if the machine has fewer cores. An arena
/// that starts its own threads does so at the first run() and ends them in its destructor. Any
/// thread, several at once; hold no lock.
class WorkerArena {
 public:
  /// Returns the arena of this build. Precondition: workers >= 1.
  static std::unique_ptr<WorkerArena> of(int workers);
  WorkerArena() = default;
  virtual ~WorkerArena() = default;
  WorkerArena(const WorkerArena&) = delete;
  WorkerArena& operator=(const WorkerArena&) = delete;

  /// Calls body(0), body(1), … body(workers - 1) once each, and returns when all have returned. One
  /// thread may run several bodies one after another, so bodies must not wait for each other. If
  /// bodies throw, rethrows the first exception after all have returned. With `pin_to`, each body
  /// runs pinned to its worker's core.
  virtual void run(const std::function<void(int)>& body, const Topology* pin_to = nullptr) = 0;
};

}  // namespace manyply
