// Keeps the tables of a job for the next job, with touched memory and stored counts.
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/mutex.h"
#include "hash/statistics_table.h"
#include "parallel/jobs/job_tables.h"

namespace manyply {

/// Holds the tables of at most one job at a time, of any kind. A job takes them and puts them back.
/// An entry depends only on its position and depth, not on the job that stored it, so tables may
/// serve any job with the same keys. Thread safety: all functions may be called from any thread.
class TableKeeper {
 public:
  struct Kept {
    std::unique_ptr<JobTables> tables;
    double expected_false_matches = 0;  ///< of everything counted into the tables so far
  };

  /// The table of a statistics job.
  struct KeptStatistics {
    std::unique_ptr<StatisticsTable> table;
    KeySpec keys;
    Placement placement;
    double expected_false_matches = 0;
  };

  /// Returns the kept tables if they have the requested keys, stripes, workers and placement and
  /// are about as large as `plan`. Otherwise frees them and returns null tables.
  [[nodiscard]] Kept take(const TablePlan& plan, const HashSpec& hash, const Workers& workers);
  /// Returns the kept table if it has the requested keys and placement and about `bytes` bytes.
  /// Otherwise frees it and returns a null table.
  [[nodiscard]] KeptStatistics take_statistics(std::uint64_t bytes, const KeySpec& keys,
                                               const Placement& placement);

  /// Keeps `kept` and frees what was kept before. Do not put back tables of a job that failed.
  void put(Kept kept);
  void put(KeptStatistics kept);

  /// Frees the kept tables.
  void release();

  /// Returns the size of the kept tables; 0 if none are kept or a job has taken them.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Everything {
    Kept counts;
    KeptStatistics statistics;
  };
  /// Returns what was kept before.
  Everything keep_instead(Everything kept);

  mutable Mutex mutex_;
  Everything kept_ MANYPLY_GUARDED_BY(mutex_);
};

}  // namespace manyply
