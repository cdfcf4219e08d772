// Runs a body for each unit on every worker: what counts, statistics, verification, estimates and
// distinct positions have in common. Knows nothing of chess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "parallel/jobs/workforce.h"
#include "parallel/units/kept_units.h"
#include "parallel/units/unit_source.h"

namespace manyply {

/// The worker that does a unit.
struct UnitWorker {
  int number;
  const std::stop_token& stop;  ///< requested by the caller, or since some unit has failed
  Progress::Worker& progress;   ///< its own; units_done is the runner's
  UnitSet* set;                 ///< what the unit is numbered in; null: the job
};

/// Does one unit. Answers an error, kCancelled among them, or throws, when it has no exact result.
/// Called by many threads, by one at a time for each worker.
using UnitBody = std::function<std::optional<Error>(std::size_t unit, const UnitWorker& worker)>;

/// What a run needs beside the units and the body.
struct UnitRun {
  const Workforce& by;       ///< its progress has been started
  std::uint64_t weight = 1;  ///< what each unit adds to units_done
  int teams = 0;             ///< of workers that take groups together; 0 = each takes its own
  KeptUnits* kept =
      nullptr;  ///< not null: what it knows is not done again, what is done it records
  /// On the calling thread, as worker 0, without the others: for what takes no longer than threads
  /// take to meet.
  bool alone = false;
};

/// Does each unit that `source` hands out, until that is closed and empty. How long workers waited
/// for more, or for the last one, added up; or an error: kCancelled after `run.by.stop()` unless
/// all was done by then, else the first one that a unit met, which stops the others. Any thread,
/// but a worker's.
Result<double> for_each_unit(UnitSource& source, const UnitRun& run, const UnitBody& body);

/// The same for one range of units.
Result<double> for_each_unit(UnitOrder order, const UnitRun& run, const UnitBody& body);

/// The exception being handled, as an Error: for the handlers that keep exceptions inside a job.
Error current_exception_as_error();

}  // namespace manyply
