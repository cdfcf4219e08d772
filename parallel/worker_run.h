// How every arena runs one worker: pinned if requested, exceptions caught.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <optional>

#include "parallel/worker_arena.h"

namespace manyply {

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
