// Hands numbered units of work to threads. Knows nothing of chess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "core/node_count.h"
#include "parallel/topology.h"

namespace manyply {

/// Counts one unit on worker `worker`. Answers an error, kCancelled among them, or throws, when it
/// has no exact count. Called by many threads, by one at a time for each `worker`.
using UnitCounter =
    std::function<Result<NodeCount>(int worker, std::size_t unit, const std::stop_token& stop)>;

struct UnitCounts {
  std::vector<NodeCount> counts;  ///< by unit
  double idle_seconds = 0;        ///< summed over workers: from their last unit to everybody's
};

/// In which order units are counted, and which of them together: a worker takes a whole group where
/// it can, and shares what is left of others' groups when no whole one is left.
struct UnitOrder {
  std::vector<std::uint32_t> units;      ///< a permutation of 0 … units.size() - 1
  std::vector<std::size_t> group_begin;  ///< by group, places in `units`; ascending from 0

  [[nodiscard]] std::size_t groups() const { return group_begin.size(); }
  [[nodiscard]] std::size_t group_end(std::size_t group) const {
    return group + 1 < groups() ? group_begin[group + 1] : units.size();
  }
};

/// Counts each unit of `order` once, starting in that order, on `workers` threads. All counts or an
/// error: kCancelled after `stop` unless all were done by then, else the first one that a unit met,
/// which stops the others. With `pin_to`, workers are pinned to cores. Any thread.
Result<UnitCounts> count_units(const UnitOrder& order, int workers, const std::stop_token& stop,
                               const UnitCounter& count, const Topology* pin_to = nullptr);

/// The exception being handled, as an Error: for the handlers that keep exceptions inside a job.
Error current_exception_as_error();

}  // namespace manyply
