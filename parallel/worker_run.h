// One worker of an arena, as each arena runs it.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <optional>

#include "parallel/worker_arena.h"

namespace manyply {

/// Runs workers on whatever threads there are, pinned where that is asked for, and keeps the first
/// exception of theirs.
class WorkerRun {
 public:
  WorkerRun(int workers, const std::function<void(int)>& body, const Topology* pin_to)
      : workers_(workers), body_(body), pin_to_(pin_to) {}

  /// Any thread; once for each worker.
  void run(int worker) noexcept {
    try {
      std::optional<Topology::Pin> pin;
      if (pin_to_ != nullptr) pin.emplace(*pin_to_, worker, workers_);
      body_(worker);
    } catch (...) {
      if (!failed_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// Once all have ended.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  int workers_;
  const std::function<void(int)>& body_;
  const Topology* pin_to_;
  std::exception_ptr first_;
  std::atomic<bool> failed_{false};  // set by the one thread that may write `first_`
};

}  // namespace manyply
