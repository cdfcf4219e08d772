// Metrics for Prometheus: the functions that routes.h declares.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tools/server/routes.h"

namespace manyply {
namespace {

class Page {
 public:
  void head(std::string_view name, std::string_view type, std::string_view help) {
    text += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
  }
  template <typename Number>
  void sample(std::string_view name, std::string_view labels, Number value) {
    text += fmt::format("{}{} {}\n", name, labels, value);
  }
  template <typename Number>
  void single(std::string_view name, std::string_view type, std::string_view help, Number value) {
    head(name, type, help);
    sample(name, "", value);
  }

  std::string text;
};

std::uint64_t resident_bytes() {
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::size_t open_files() {
  std::error_code error;
  std::filesystem::directory_iterator files("/proc/self/fd", error);
  return error ? 0 : static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

void RequestMetrics::observe(const RequestRecord& record) {
  const MutexLock lock(mutex_);
  ++by_status_[record.status];
  if (record.stream) return;
  const double seconds = std::chrono::duration<double>(record.taken).count();
  const auto* const bound = std::ranges::lower_bound(kBounds, seconds);
  ++buckets_[static_cast<std::size_t>(bound - kBounds.begin())];
  seconds_ += seconds;
}

std::string RequestMetrics::text() const {
  const MutexLock lock(mutex_);
  Page page;
  page.head("manyply_http_requests_total", "counter", "Requests answered, by status.");
  for (const auto& [status, count] : by_status_)
    page.sample("manyply_http_requests_total", fmt::format("{{status=\"{}\"}}", status), count);
  constexpr std::string_view kName = "manyply_http_request_seconds";
  page.head(kName, "histogram", "Time of requests and their responses, without event streams.");
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    total += buckets_[i];
    const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
    page.sample(fmt::format("{}_bucket", kName), fmt::format("{{le=\"{}\"}}", bound), total);
  }
  page.sample(fmt::format("{}_sum", kName), "", seconds_);
  page.sample(fmt::format("{}_count", kName), "", total);
  return page.text;
}

std::string metrics_text(const JobStats& jobs, const TransportStats& transport,
                         const RequestMetrics& requests) {
  Page page;
  page.head("manyply_jobs", "gauge", "Jobs that have not ended, by state.");
  page.sample("manyply_jobs", "{state=\"queued\"}", jobs.queued);
  page.sample("manyply_jobs", "{state=\"running\"}", jobs.running);
  page.single("manyply_jobs_accepted_total", "counter", "Jobs accepted.", jobs.accepted);
  page.head("manyply_jobs_ended_total", "counter", "Jobs that ended, by state.");
  page.sample("manyply_jobs_ended_total", "{state=\"done\"}", jobs.done);
  page.sample("manyply_jobs_ended_total", "{state=\"failed\"}", jobs.failed);
  page.sample("manyply_jobs_ended_total", "{state=\"cancelled\"}", jobs.cancelled);
  page.single("manyply_jobs_resumed_total", "counter", "Unfinished jobs found at start.",
              jobs.resumed);
  page.single("manyply_result_cache_hits_total", "counter", "Jobs answered from a stored result.",
              jobs.cache_hits);
  page.single("manyply_short_jobs_total", "counter", "Jobs that entered the short lane.",
              jobs.short_jobs);
  page.single("manyply_outgrown_jobs_total", "counter",
              "Jobs of the short lane that went back to the queue.", jobs.outgrown_jobs);
  page.single("manyply_short_seconds_total", "counter", "Processor time of the short lane's jobs.",
              jobs.short_seconds);
  page.single("manyply_leaves_total", "counter", "Leaves counted.", jobs.leaves);
  page.single("manyply_visited_total", "counter", "Positions generated.", jobs.visited);
  page.single("manyply_table_probes_total", "counter", "Table probes of finished jobs.",
              jobs.table_probes);
  page.single("manyply_table_hits_total", "counter", "Table hits of finished jobs.",
              jobs.table_hits);
  page.single("manyply_table_bytes", "gauge", "Memory of tables that are kept between jobs.",
              jobs.table_bytes);
  page.single("manyply_storage_errors_total", "counter", "Failed attempts to store something.",
              jobs.storage_errors);
  page.single("manyply_storage_ok", "gauge", "1 if the last attempt to store succeeded.",
              jobs.storage_ok ? 1 : 0);
  page.text += requests.text();
  page.single("manyply_connections", "gauge", "Open connections.", transport.connections);
  page.single("manyply_event_streams", "gauge", "Open event streams.", transport.streams);
  page.single("manyply_requests_in_progress", "gauge", "Requests that run or wait.",
              transport.handling);
  page.single("manyply_connections_accepted_total", "counter", "Connections accepted.",
              transport.accepted);
  page.single("manyply_connections_refused_total", "counter",
              "Connections refused because too many were open.", transport.refused);
  page.single("manyply_connections_evicted_total", "counter",
              "Idle or slow connections closed, or request bodies dropped, to make room.",
              transport.evicted);
  page.single("manyply_timeouts_total", "counter",
              "Requests or responses that exceeded a time limit.", transport.timeouts);
  page.single("process_resident_memory_bytes", "gauge", "Resident memory.", resident_bytes());
  page.single("process_cpu_seconds_total", "counter", "Processor time.", processor_seconds());
  page.single("process_open_fds", "gauge", "Open file descriptors.", open_files());
  return page.text;
}

}  // namespace manyply
