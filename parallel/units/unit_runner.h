// Runs a function for each unit on all workers. Counts, statistics, verification, estimates and
// searches for distinct positions use it. The code here knows nothing about chess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "parallel/jobs/workforce.h"
#include "parallel/units/unit_queue.h"
#include "parallel/units/unit_store.h"

namespace manyply {

/// The worker that runs a unit.
struct UnitWorker {
  int number;
  const std::stop_token& stop;  ///< requested by the caller or after an error in a unit
  Progress::Worker& progress;   ///< progress of this worker; the runner updates its units_done
};

/// A function that counts one unit. If the function has no exact result, it must return an error
/// (such as kCancelled) or throw. Each worker makes only one call at a time.
using UnitBody = std::function<std::optional<Error>(std::size_t unit, const UnitWorker& worker)>;

/// The arguments of a run, except units and body.
struct UnitRun {
  const Workforce& by;        ///< its progress must have been started
  std::uint64_t weight = 1;   ///< added to units_done for each unit
  int teams = 0;              ///< number of teams that take groups; 0 = one team per worker
  KeptUnits* kept = nullptr;  ///< if not null: skips units that it contains, and records new ones
  /// Runs all units on the calling thread, as worker 0. Use it for runs that are shorter than the
  /// time to wake threads.
  bool alone = false;
};

/// Calls `body` for each unit of `order`. Returns the first error: an error or exception of `body`,
/// an error of the store in `run.kept`, or kCancelled if `run.by.stop()` was requested before all
/// units were done. The first error also stops the other workers. Any thread except a worker of
/// `run.by` may call it.
std::optional<Error> for_each_unit(const UnitOrder& order, const UnitRun& run,
                                   const UnitBody& body);

/// Converts the exception that is being handled to an Error. Call it in catch blocks of functions
/// that must not let exceptions leave a job.
Error current_exception_as_error();

}  // namespace manyply
