#include "parallel/jobs/table_keeper.h"

#include <utility>

namespace manyply {
namespace {

/// Returns whether kept tables may serve a job that plans `wanted`. The division among the tables
/// varies a little from job to job, so the deep table may be a quarter smaller than planned and a
/// window half as large.
bool large_enough(const TablePlan& have, const TablePlan& wanted) {
  return have.deep_bytes >= wanted.deep_bytes / 4 * 3 && have.wide_entries >= wanted.wide_entries &&
         have.windows >= wanted.windows && have.window_bytes >= wanted.window_bytes / 2;
}

bool fits(const JobTables& tables, const TablePlan& plan, const HashSpec& hash,
          const Workers& workers) {
  return tables.keys().spec() == hash.keys && tables.stripes() == hash.stripes &&
         tables.workers() == workers.count() && tables.placement() == workers.placement() &&
         large_enough(tables.plan(), plan);
}

}  // namespace

TableKeeper::Everything TableKeeper::keep_instead(Everything kept) {
  const MutexLock lock(mutex_);
  return std::exchange(kept_, std::move(kept));
}

TableKeeper::Kept TableKeeper::take(const TablePlan& plan, const HashSpec& hash,
                                    const Workers& workers) {
  Kept kept = keep_instead({}).counts;
  if (kept.tables && !fits(*kept.tables, plan, hash, workers)) kept = {};
  return kept;
}

TableKeeper::KeptStatistics TableKeeper::take_statistics(std::uint64_t bytes, const KeySpec& keys,
                                                         const Placement& placement) {
  KeptStatistics kept = keep_instead({}).statistics;
  const bool fits = kept.table && kept.table->bytes() >= bytes / 4 * 3 && kept.keys == keys &&
                    kept.placement == placement;
  if (!fits) kept = {};
  return kept;
}

void TableKeeper::put(Kept kept) { keep_instead({.counts = std::move(kept), .statistics = {}}); }

void TableKeeper::put(KeptStatistics kept) {
  keep_instead({.counts = {}, .statistics = std::move(kept)});
}

void TableKeeper::release() { keep_instead({}); }

std::uint64_t TableKeeper::bytes() const {
  const MutexLock lock(mutex_);
  const JobTables* const counts = kept_.counts.tables.get();
  const StatisticsTable* const statistics = kept_.statistics.table.get();
  return (counts != nullptr ? counts->plan().total_bytes(counts->workers()) : 0) +
         (statistics != nullptr ? statistics->bytes() : 0);
}

}  // namespace manyply
