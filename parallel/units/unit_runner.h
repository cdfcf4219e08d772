// Runs a function for each unit on all workers. Counts, statistics, verification, estimates and
// searches for distinct positions use it. It knows nothing about chess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "parallel/jobs/workforce.h"
#include "parallel/units/unit_source.h"
#include "parallel/units/unit_store.h"

namespace manyply {

/// The worker that runs a unit.
struct UnitWorker {
  int number;
  const std::stop_token& stop;  ///< requested by the caller, or after a unit has failed
  Progress::Worker& progress;   ///< this worker's; the runner updates its units_done
};

/// Counts one unit. If it has no exact result, returns an error, such as kCancelled, or throws.
/// Each worker makes one call at a time.
using UnitBody = std::function<std::optional<Error>(std::size_t unit, const UnitWorker& worker)>;

/// The arguments of a run besides units and body.
struct UnitRun {
  const Workforce& by;        ///< its progress must have been started
  std::uint64_t weight = 1;   ///< added to units_done for each unit
  int teams = 0;              ///< number of teams that take groups; 0 = one per worker
  KeptUnits* kept = nullptr;  ///< if set: skips units that it contains, and records new ones
  /// Runs everything on the calling thread, as worker 0. For runs that are shorter than the time to
  /// wake threads.
  bool alone = false;
};

/// Calls `body` for each unit of `source`, which must be closed. Returns the seconds that workers
/// were idle, summed over workers. Errors: kCancelled if `run.by.stop()` was requested before
/// everything was done; otherwise the first error of a unit, which stops the other workers. Any
/// thread except a worker's.
Result<double> for_each_unit(UnitSource& source, const UnitRun& run, const UnitBody& body);

/// Does the same for one range of units.
Result<double> for_each_unit(const UnitOrder& order, const UnitRun& run, const UnitBody& body);

/// Returns the exception that is being handled as an Error. Call it in catch blocks that must not
/// let exceptions leave a job.
Error current_exception_as_error();

}  // namespace manyply
