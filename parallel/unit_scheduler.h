// Hands numbered units of work to threads. Knows nothing of chess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/node_count.h"

namespace manyply {

/// Counts one unit on worker `worker`. Answers an error, kCancelled among them, or throws, when it
/// has no exact count. Called by many threads, by one at a time for each `worker`.
using UnitCounter =
    std::function<Result<NodeCount>(int worker, std::size_t unit, const std::stop_token& stop)>;

struct UnitCounts {
  std::vector<NodeCount> counts;  ///< by unit
  double idle_seconds = 0;        ///< summed over workers: from their last unit to everybody's
};

/// Counts each unit of `order` (a permutation of 0 … order.size() - 1) once, starting in that
/// order, on `workers` threads. All counts or an error: kCancelled after `stop` unless all were
/// done by then, else the first one that a unit met, which stops the others. Any thread.
Result<UnitCounts> count_units(std::span<const std::uint32_t> order, int workers,
                               const std::stop_token& stop, const UnitCounter& count);

/// The exception being handled, as an Error: for the handlers that keep exceptions inside a job.
Error current_exception_as_error();

}  // namespace manyply
