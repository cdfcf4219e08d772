// A statistics job: the move statistics of the last ply of a perft, on every core.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/fen.h"
#include "core/known_values.h"
#include "core/move_statistics.h"
#include "hash/zobrist.h"
#include "parallel/jobs/table_keeper.h"
#include "parallel/jobs/workforce.h"
#include "parallel/units/unit_store.h"

namespace manyply {

/// The table of a statistics job.
struct StatisticsHash {
  std::uint64_t bytes = 0;  ///< 0 = what the job can use, at most half of the available memory
  KeySpec keys;
};

struct StatisticsSpec : TaskSpec {
  std::optional<StatisticsHash> hash = {};  ///< absent = look at every path, no table
  /// Not null: finished units are kept there and not looked at again.
  UnitStore* store = nullptr;
  TableKeeper* keeper = nullptr;  ///< lends a table and gets it back; must outlive the job
};

struct StatisticsDivideEntry {
  Move move;
  StatisticTotals totals;
};

struct StatisticsReport {
  StatisticTotals totals;
  std::vector<StatisticsDivideEntry> divide;    ///< in legal_moves() order; empty at depth 0
  KnownVerdict known = KnownVerdict::kUnknown;  ///< of the nodes
  std::optional<NodeCount> known_nodes;

  double seconds = 0;
  double setup_seconds = 0;  ///< allocation and first touch of the table, not in `seconds`
  std::uint64_t visited = 0;
  std::uint64_t units = 0;
  std::uint64_t resumed_units = 0;  ///< of units, found in the store
  double resumed_leaves = 0;        ///< of the nodes, below those
  std::uint64_t table_bytes = 0;    ///< 0 if none was used
  bool reused = false;              ///< an earlier job's table, with what that had stored
  std::uint64_t probes = 0;
  std::uint64_t hits = 0;
  double expected_false_matches = 0;
  int threads = 0;
  std::string kernel;  ///< the instruction set counted with
};

/// Runs `spec` to its end and blocks until then. Errors as run_job's. Throws nothing. Any thread;
/// hold no lock. `progress` as for run_job.
Result<StatisticsReport> run_statistics(const StatisticsSpec& spec, const std::stop_token& stop,
                                        Progress* progress = nullptr);

}  // namespace manyply
