// Keeps a job's tables for the next job: memory already touched, counts already known.
#pragma once

#include <cstdint>
#include <memory>

#include "hash/statistics_table.h"
#include "parallel/jobs/job_tables.h"
#include "parallel/mutex.h"

namespace manyply {

/// Holds the tables of at most one job at a time, of whichever kind; a job takes them and puts them
/// back. An entry is true of its position and depth, whichever job stored it, so tables may serve
/// any job that uses the same keys. Thread safety: everything from any thread.
class TableKeeper {
 public:
  struct Kept {
    std::unique_ptr<JobTables> tables;
    double expected_false_matches = 0;  ///< of everything counted into them so far
  };

  /// The same of a statistics job.
  struct KeptStatistics {
    std::unique_ptr<StatisticsTable> table;
    KeySpec keys;
    Placement placement;
    double expected_false_matches = 0;
  };

  /// The kept tables, if their keys, stripes, workers and placement are those wanted and they are
  /// no smaller than `plan`. Otherwise gives their memory back, and answers null tables.
  [[nodiscard]] Kept take(const TablePlan& plan, const HashSpec& hash, const Workers& workers);
  /// The kept table, if its keys and placement are those wanted and it has about so many `bytes`.
  [[nodiscard]] KeptStatistics take_statistics(std::uint64_t bytes, const KeySpec& keys,
                                               const Placement& placement);

  /// Keeps `kept` instead of what is kept. Only tables that nothing went wrong with.
  void put(Kept kept);
  void put(KeptStatistics kept);

  /// Gives the memory back to the system.
  void release();

  /// Of the tables kept now; 0 if there are none, or a job has them.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Everything {
    Kept counts;
    KeptStatistics statistics;
  };
  /// What was kept before.
  Everything keep_instead(Everything kept);

  mutable Mutex mutex_;
  Everything kept_ MANYPLY_GUARDED_BY(mutex_);
};

}  // namespace manyply
