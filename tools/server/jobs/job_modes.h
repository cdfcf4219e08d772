// What each mode of a job does: one table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parallel/job.h"
#include "parallel/mutex.h"
#include "parallel/progress.h"
#include "parallel/table_keeper.h"
#include "parallel/unit_store.h"
#include "tools/question/means.h"
#include "tools/server/jobs/job_types.h"

namespace manyply {

/// A running job's progress, phase by phase. Written by its runner, read by anyone, any time.
class LiveProgress {
 public:
  /// A phase begins; its counters live as long as this object.
  Progress* start_phase(std::string_view name);
  struct Reading {
    std::string phase;
    ProgressSnapshot snapshot;
    double earlier_leaves = 0;  ///< of the phases before
    std::uint64_t earlier_visited = 0;
  };
  [[nodiscard]] Reading read() const;

 private:
  mutable Mutex mutex_;
  std::string phase_ MANYPLY_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Progress>> phases_ MANYPLY_GUARDED_BY(mutex_);
};

/// Where a job may put what its memory does not hold.
struct Scratch {
  std::filesystem::path directory;
  std::uint64_t most_bytes = 0;
};

/// What a runner gets beside the request.
struct JobResources {
  Means means;
  TableKeeper* tables = nullptr;  ///< keeps tables between this runner's jobs
  UnitStore* units = nullptr;     ///< finished subtrees; only for modes that resume
  Scratch scratch;
  LiveProgress* progress = nullptr;
};

struct JobOutcome {
  std::optional<NodeCount> nodes;  ///< as JobView has them
  std::optional<double> estimate;
  std::optional<std::uint64_t> distinct;
  /// "match", "mismatch" or "unknown", against what is published; of verify: "agree", "differ"; of
  /// an estimate: is what is published "inside" its interval, or "outside"?
  std::string verdict;
  std::string report;  ///< JSON
  std::uint64_t table_probes = 0;
  std::uint64_t table_hits = 0;
};

/// Counts. Errors as run_job's; kCancelled only after `stop`. May throw nothing.
using JobRunner = std::function<Result<JobOutcome>(
    const JobRequest& request, const JobResources& resources, const std::stop_token& stop)>;

struct JobModeInfo {
  CountMode mode;
  std::string_view summary;  ///< for people: the API's document shows it
  bool resumes;              ///< finished subtrees are stored; else a killed job starts again
  Result<JobOutcome> (*run)(const JobRequest&, const JobResources&, const std::stop_token&);
};

/// In the order of CountMode's numbers.
[[nodiscard]] std::span<const JobModeInfo> job_modes();
/// How `request` is run.
[[nodiscard]] const JobModeInfo& info(const JobRequest& request);

}  // namespace manyply
