// Counts the kinds of moves in the last ply of a perft (captures, checks, mates, …) on every core.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/fen.h"
#include "core/known_values.h"
#include "core/move_statistics.h"
#include "hash/zobrist.h"
#include "parallel/jobs/job_tables.h"
#include "parallel/jobs/workforce.h"
#include "parallel/units/unit_store.h"

namespace manyply {

/// The table of a statistics job.
struct StatisticsHash {
  std::uint64_t bytes = 0;  ///< 0 = what the job can use, at most half of the available memory
  KeySpec keys;
};

/// The statistics to count, and how to count them.
struct StatisticsSpec : TaskSpec {
  std::optional<StatisticsHash> hash = {};  ///< the table to use; nullopt = visit every path
  /// If not null, stores finished units and resumes from them. Must outlive the job.
  UnitStore* store = nullptr;
  TableKeeper* keeper = nullptr;  ///< keeps the table between jobs; must outlive the job
};

struct StatisticsDivideEntry {
  Move move;
  StatisticTotals totals;
};

/// The result of a statistics job.
struct StatisticsReport {
  StatisticTotals totals;
  std::vector<StatisticsDivideEntry> divide;    ///< in legal_moves() order; empty at depth 0
  KnownVerdict known = KnownVerdict::kUnknown;  ///< compares the number of nodes
  std::optional<NodeCount> known_nodes;

  double seconds = 0;
  double setup_seconds = 0;  ///< time to allocate the table and touch it; not in `seconds`
  std::uint64_t visited = 0;
  std::uint64_t units = 0;
  std::uint64_t resumed_units = 0;  ///< units found in the store
  double resumed_leaves = 0;        ///< leaves below resumed units
  std::uint64_t table_bytes = 0;    ///< 0 if no table was used
  bool reused = false;              ///< the table came from an earlier job, with its entries
  std::uint64_t probes = 0;
  std::uint64_t hits = 0;
  double expected_false_matches = 0;
  int threads = 0;
  std::string kernel;  ///< name of the kernel used
};

/// Runs `spec` and blocks until done. Errors and `progress` as for run_job(). Throws nothing. Any
/// thread; hold no lock.
Result<StatisticsReport> run_statistics(const StatisticsSpec& spec, const std::stop_token& stop,
                                        Progress* progress = nullptr);

}  // namespace manyply
