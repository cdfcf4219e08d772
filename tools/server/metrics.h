// Metrics for Prometheus, in the text exposition format, version 0.0.4.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "core/base/mutex.h"
#include "tools/server/http/http_server.h"
#include "tools/server/jobs/job_manager.h"

namespace manyply {

/// A histogram of the durations of requests, and the number of requests by status. Event streams
/// are counted but not timed, because they last as long as their jobs. Safe to use from any thread.
class RequestMetrics {
 public:
  /// Upper bounds of the histogram's buckets, in seconds.
  static constexpr std::array kBounds{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0};

  /// Adds one answered request.
  void observe(const RequestRecord& record);
  /// Returns the metrics of all requests so far in the exposition format.
  [[nodiscard]] std::string text() const;

 private:
  mutable Mutex mutex_;
  std::map<int, std::uint64_t> by_status_ MANYPLY_GUARDED_BY(mutex_);
  std::array<std::uint64_t, kBounds.size() + 1> buckets_ MANYPLY_GUARDED_BY(mutex_){};
  double seconds_ MANYPLY_GUARDED_BY(mutex_) = 0;
};

/// Returns all metrics in the exposition format: those of jobs, counting, transport and requests,
/// and those of this process (memory, processor time, open files).
[[nodiscard]] std::string metrics_text(const JobStats& jobs, const TransportStats& transport,
                                       const RequestMetrics& requests);

}  // namespace manyply
