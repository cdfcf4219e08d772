#include "parallel/table_keeper.h"

#include <utility>

namespace manyply {
namespace {

/// How memory is divided between kinds of tables depends a little on the job; the deep table, whose
/// hits save most, may be this much smaller than planned.
bool large_enough(const TablePlan& have, const TablePlan& wanted) {
  return have.deep_bytes >= wanted.deep_bytes / 4 * 3 && have.wide_entries >= wanted.wide_entries &&
         have.window_bytes >= wanted.window_bytes / 2;
}

bool fits(const JobTables& tables, const TablePlan& plan, const HashSpec& hash, int workers,
          const Placement& placement) {
  return tables.keys().spec() == hash.keys && tables.stripes() == hash.stripes &&
         tables.workers() == workers && tables.placement() == placement &&
         large_enough(tables.plan(), plan);
}

}  // namespace

TableKeeper::Kept TableKeeper::take(const TablePlan& plan, const HashSpec& hash, int workers,
                                    const Placement& placement) {
  Kept kept;
  {
    const MutexLock lock(mutex_);
    kept = std::exchange(kept_, {});
  }
  if (kept.tables && !fits(*kept.tables, plan, hash, workers, placement)) kept = {};
  return kept;
}

void TableKeeper::put(Kept kept) {
  const MutexLock lock(mutex_);
  std::swap(kept_, kept);
}

void TableKeeper::release() { put({}); }

std::uint64_t TableKeeper::bytes() const {
  const MutexLock lock(mutex_);
  return kept_.tables ? kept_.tables->plan().total_bytes(kept_.tables->workers()) : 0;
}

}  // namespace manyply
