// The progress of a running job.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/mutex.h"
#include "parallel/progress.h"

namespace manyply {

/// Progress of a running job, phase by phase. Written by its runner; any thread may read it at any
/// time.
class LiveProgress {
 public:
  /// Starts a phase and returns its counters, which live as long as this object.
  Progress* start_phase(std::string_view name);
  /// The progress at one moment.
  struct Reading {
    std::string phase;
    ProgressSnapshot snapshot;
    double earlier_leaves = 0;  ///< of the phases before this one
    std::uint64_t earlier_visited = 0;
  };
  /// Returns the progress of the current phase. Any thread.
  [[nodiscard]] Reading read() const;

 private:
  mutable Mutex mutex_;
  std::string phase_ MANYPLY_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Progress>> phases_ MANYPLY_GUARDED_BY(mutex_);
};

}  // namespace manyply
