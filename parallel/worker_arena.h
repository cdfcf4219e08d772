// Runs the workers of a job on threads. There are three versions: tbb_arena.cpp uses threads of
// oneTBB, threads_arena.cpp starts its own threads, and loop_arena.cpp uses no threads. The CMake
// option MANYPLY_ARENA selects one.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include "parallel/topology.h"

namespace manyply {

/// Runs bodies on `workers` threads, including the calling thread, even if the machine has fewer
/// cores. Uses fewer threads if the build has no threads or if the system does not allow more. An
/// arena that starts its own threads starts them in the first run() and ends them in its
/// destructor. Several threads may call run() at the same time. The callers must not hold a lock.
class WorkerArena {
 public:
  /// Makes an arena of this build's version. Precondition: workers >= 1.
  static std::unique_ptr<WorkerArena> of(int workers);
  WorkerArena() = default;
  virtual ~WorkerArena() = default;
  WorkerArena(const WorkerArena&) = delete;
  WorkerArena& operator=(const WorkerArena&) = delete;

  /// Calls body(0), body(1), … body(workers - 1) once each. Returns when all calls have returned.
  /// One thread may run several bodies one after another, so bodies must not wait for each other.
  /// If bodies throw, rethrows the first exception after all calls have returned. If `pin_to` is
  /// not null, the thread is pinned to the core of worker i while it runs body(i).
  virtual void run(const std::function<void(int)>& body, const Topology* pin_to = nullptr) = 0;
};

// Code that all arenas use. It pins a thread if requested, runs a body, and catches exceptions.

/// Runs the bodies of the workers and keeps the first exception. Each body runs on the thread that
/// calls run() for it.
class WorkerRun {
 public:
  WorkerRun(int workers, const std::function<void(int)>& body, const Topology* pin_to)
      : workers_(workers), body_(body), pin_to_(pin_to) {}

  /// Runs one body. Call it once for each worker, from any thread.
  void run(int worker) noexcept {
    try {
      std::optional<Topology::Pin> pin;
      if (pin_to_ != nullptr) pin.emplace(*pin_to_, worker, workers_);
      body_(worker);
    } catch (...) {
      if (!failed_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// Rethrows the first exception if there is one. Call it after all run() calls have returned.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  int workers_;
  const std::function<void(int)>& body_;
  const Topology* pin_to_;
  std::exception_ptr first_;
  std::atomic<bool> failed_{false};  // the thread that sets it is the only one that writes `first_`
};

}  // namespace manyply
