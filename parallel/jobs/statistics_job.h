// Counts the moves of each kind (captures, checks, mates, …) in the last ply of a perft, with all
// cores.
#pragma once

#include <array>
#include <cstddef>
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
  std::uint64_t bytes = 0;  ///< 0 = chosen for the job, at most half of the available memory
  KeySpec keys;
};

/// The statistics to count, and the method.
struct StatisticsSpec : TaskSpec {
  std::optional<StatisticsHash> hash = {};  ///< the table to use; nullopt = use no table
  /// If not null, stores finished units. A later run continues with them. Must outlive the job.
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
  KnownVerdict known = KnownVerdict::kUnknown;  ///< verdict on the number of nodes
  std::optional<NodeCount> known_nodes;

  double seconds = 0;
  double setup_seconds = 0;  ///< time to allocate and touch the table; not part of `seconds`
  std::uint64_t visited = 0;
  std::uint64_t units = 0;
  std::uint64_t resumed_units = 0;  ///< units found in the store
  double resumed_leaves = 0;        ///< leaves below resumed units
  std::uint64_t table_bytes = 0;    ///< 0 if no table was used
  bool reused = false;              ///< true if the table and its entries come from an earlier job
  std::uint64_t probes = 0;
  std::uint64_t hits = 0;
  double expected_false_matches = 0;
  int threads = 0;
  std::string kernel;  ///< name of the kernel used
};

/// Runs `spec` and blocks until done. Errors and `progress` are as in run_job(). Throws nothing.
/// Any thread may call it. The caller must not hold a lock.
Result<StatisticsReport> run_statistics(const StatisticsSpec& spec, const std::stop_token& stop,
                                        Progress* progress = nullptr);

// Counts moves of the kinds that kernels cannot count with set operations, by examining each move
// of the last ply.

enum class LastPlyKind : std::uint8_t {
  kDoubleSteps,
  kCastlesKingSide,
  kCastlesQueenSide,
  kStalemates,  ///< moves after which the other side has no move and is not in check
};
inline constexpr std::size_t kLastPlyKinds = 4;

struct LastPlyTotals {
  std::array<NodeCount, kLastPlyKinds> counts{};

  [[nodiscard]] const NodeCount& operator[](LastPlyKind kind) const {
    return counts[static_cast<std::size_t>(kind)];
  }
  friend bool operator==(const LastPlyTotals&, const LastPlyTotals&) = default;
};

struct LastPlyEntry {
  Move move;
  LastPlyTotals totals;
};

/// Returns the number of moves of each kind at ply `spec.depth`, for each root move in
/// legal_moves() order. The result is empty at depth 0. Returns the same errors as run_job().
/// Throws nothing. Any thread may call it. The caller must not hold a lock.
Result<std::vector<LastPlyEntry>> count_last_ply(const TaskSpec& spec, const std::stop_token& stop,
                                                 Progress* progress = nullptr);

}  // namespace manyply
