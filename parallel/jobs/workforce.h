// The workers, kernel, stop token and progress of a job. All steps of a job need them together.
#pragma once

#include <memory>
#include <stop_token>
#include <utility>

#include "core/fen.h"
#include "core/kernel.h"
#include "parallel/progress.h"
#include "parallel/workers.h"

namespace manyply {

/// The options that the specs of all jobs have in common: the root, the depth, and the workers.
struct TaskSpec {
  NamedPosition root = {};
  Depth depth = {};
  int threads = 0;                 ///< number of workers; 0 = one for each usable core
  const Kernel* kernel = nullptr;  ///< null = the fastest kernel for this machine
  Placement placement = {};        ///< for machines with several memory nodes
};

/// The workers of one job, their kernel, their stop token and their progress. Copies are cheap and
/// use the same workers. The progress that was passed to of() must outlive all copies. Any thread
/// may use a Workforce. The caller must not hold a lock.
class Workforce {
 public:
  /// Returns the same errors as Workers::of(). `progress` may be null.
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

  /// Returns a copy that reports to another progress. If `progress` is null, the copy reports
  /// nothing.
  [[nodiscard]] Workforce watched_in(Progress* progress) const {
    Workforce part = *this;
    part.watch(progress);
    return part;
  }
  /// Returns a copy with another stop token.
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
