// What Prometheus scrapes: the text exposition format, version 0.0.4.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "parallel/mutex.h"
#include "tools/server/http/http_server.h"
#include "tools/server/jobs/job_manager.h"

namespace manyply {

/// Latencies of requests, by status. Event streams are counted, not timed: they last as long as
/// their jobs. Any thread.
class RequestMetrics {
 public:
  static constexpr std::array kBounds{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0};  ///< seconds

  void observe(const RequestRecord& record);
  [[nodiscard]] std::string text() const;

 private:
  mutable Mutex mutex_;
  std::map<int, std::uint64_t> by_status_ MANYPLY_GUARDED_BY(mutex_);
  std::array<std::uint64_t, kBounds.size() + 1> buckets_ MANYPLY_GUARDED_BY(mutex_){};
  double seconds_ MANYPLY_GUARDED_BY(mutex_) = 0;
};

/// Jobs, counting, transport, and this process's memory, processor time and open files.
[[nodiscard]] std::string metrics_text(const JobStats& jobs, const TransportStats& transport,
                                       const RequestMetrics& requests);

}  // namespace manyply
