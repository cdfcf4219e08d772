// Who does a job and with what: what goes together through everything that a job is made of.
#pragma once

#include <memory>
#include <stop_token>
#include <utility>

#include "core/fen.h"
#include "core/kernel.h"
#include "parallel/progress.h"
#include "parallel/workers.h"

namespace manyply {

/// What every job's spec begins with: what it is about, and who does it.
struct TaskSpec {
  NamedPosition root = {};
  Depth depth = {};
  int threads = 0;                 ///< workers; 0 = every core this process may use
  const Kernel* kernel = nullptr;  ///< null = the best one for this machine
  Placement placement = {};        ///< for machines with several memory nodes
};

/// The workers of one job, the kernel they count with, what stops them, and where they tell how far
/// they are. A value: what it was made of outlives it, and its copies. Any thread; hold no lock.
class Workforce {
 public:
  /// Errors as Workers::of. Without `progress` nobody watches.
  static Result<Workforce> of(int threads, const Kernel* kernel, const Placement& placement,
                              const std::stop_token& stop = {}, Progress* progress = nullptr) {
    Result<Workers> workers = Workers::of(threads, placement);
    if (!workers) return workers.error();
    return Workforce(std::move(workers).value(), kernel, stop, progress);
  }
  static Result<Workforce> of(const TaskSpec& spec, const std::stop_token& stop = {},
                              Progress* progress = nullptr) {
    return of(spec.threads, spec.kernel, spec.placement, stop, progress);
  }
  explicit Workforce(Workers workers, const Kernel* kernel = nullptr, std::stop_token stop = {},
                     Progress* progress = nullptr)
      : workers_(std::make_shared<const Workers>(std::move(workers))),
        kernel_(kernel != nullptr ? kernel : &best_kernel()),
        stop_(std::move(stop)) {
    watch(progress);
  }

  [[nodiscard]] const Workers& workers() const { return *workers_; }
  [[nodiscard]] int count() const { return workers_->count(); }
  [[nodiscard]] const Kernel& kernel() const { return *kernel_; }
  [[nodiscard]] const std::stop_token& stop() const { return stop_; }
  [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }
  [[nodiscard]] Progress& progress() const { return *progress_; }

  /// The same, for a part of the job that is watched by itself, or by nobody.
  [[nodiscard]] Workforce watched_in(Progress* progress) const {
    Workforce part = *this;
    part.watch(progress);
    return part;
  }
  /// The same, stopped by something else.
  [[nodiscard]] Workforce stopped_by(std::stop_token stop) const {
    Workforce part = *this;
    part.stop_ = std::move(stop);
    return part;
  }

 private:
  void watch(Progress* progress) {
    unwatched_ = progress != nullptr ? nullptr : std::make_shared<Progress>();
    progress_ = progress != nullptr ? progress : unwatched_.get();
  }

  std::shared_ptr<const Workers> workers_;
  const Kernel* kernel_;
  std::stop_token stop_;
  std::shared_ptr<Progress> unwatched_;
  Progress* progress_ = nullptr;
};

}  // namespace manyply
