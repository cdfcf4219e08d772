// The threads of a job. There are three versions: tbb_arena.cpp gets threads from oneTBB,
// threads_arena.cpp starts its own, and loop_arena.cpp uses no threads. CMake's MANYPLY_ARENA
// selects one.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include "parallel/topology.h"

namespace manyply {

/// `workers` threads including the calling thread, even if the machine has fewer cores. An arena
/// that starts its own threads starts them at the first run() and ends them in its destructor.
/// Several threads may call run() at once; hold no lock.
class WorkerArena {
 public:
  /// Returns the arena of this build. Precondition: workers >= 1.
  static std::unique_ptr<WorkerArena> of(int workers);
  WorkerArena() = default;
  virtual ~WorkerArena() = default;
  WorkerArena(const WorkerArena&) = delete;
  WorkerArena& operator=(const WorkerArena&) = delete;

  /// Calls body(0), body(1), … body(workers - 1) once each, and returns when all calls have
  /// returned. One thread may run several bodies one after another, so bodies must not wait for
  /// each other. If bodies throw, rethrows the first exception after all calls have returned. With
  /// `pin_to`, each body runs pinned to its worker's core.
  virtual void run(const std::function<void(int)>& body, const Topology* pin_to = nullptr) = 0;
};

// How every arena runs one worker: pins it if requested and catches exceptions.

/// Runs the body of each worker on the thread that calls run(). Keeps the first exception.
class WorkerRun {
 public:
  WorkerRun(int workers, const std::function<void(int)>& body, const Topology* pin_to)
      : workers_(workers), body_(body), pin_to_(pin_to) {}

  /// Runs one body. Any thread; once per worker.
  void run(int worker) noexcept {
    try {
      std::optional<Topology::Pin> pin;
      if (pin_to_ != nullptr) pin.emplace(*pin_to_, worker, workers_);
      body_(worker);
    } catch (...) {
      if (!failed_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// Rethrows the first exception, if any. Call it after all run() calls have returned.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  int workers_;
  const std::function<void(int)>& body_;
  const Topology* pin_to_;
  std::exception_ptr first_;
  std::atomic<bool> failed_{false};  // set once, by the thread that then writes `first_`
};

}  // namespace manyply
