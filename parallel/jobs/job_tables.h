// Decides how large the tables of a hashed job are, allocates them with the help of all workers,
// and keeps tables between jobs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/mutex.h"
#include "hash/count_tables.h"
#include "hash/hashed_kernel.h"
#include "hash/statistics_search.h"
#include "hash/zobrist.h"
#include "parallel/units/root_splitter.h"
#include "parallel/workers.h"

namespace manyply {

/// The properties of hash tables that a user may choose.
struct HashSpec {
  std::uint64_t bytes = 0;  ///< bytes of all tables; 0 = chosen for the job (plan_tables())
  KeySpec keys = {};
  /// Number of locks of the deep table and of each shared window; a power of two.
  std::size_t stripes = DeepTable::kDefaultStripes;
};

/// The division of memory among the tables. The deep table gets at least three quarters of the
/// memory that the wide table leaves. Usually each worker has its own window. In two cases, a team
/// of consecutive workers shares one window: if there are more than 16 workers and more workers
/// than cores, or if each worker's own window would be smaller than 1 MiB.
struct TablePlan {
  std::uint64_t deep_bytes = 0;
  std::uint64_t wide_entries = 1;
  std::uint64_t window_bytes = 0;  ///< bytes of each window
  int windows = 0;  ///< number of windows, at most one per worker; 0 = one per worker

  [[nodiscard]] std::uint64_t total_bytes(int workers) const;
  /// Returns the bytes of the tables whose pages are touched before counting: the deep table and
  /// the windows.
  [[nodiscard]] std::uint64_t touched_bytes(int workers) const;
  [[nodiscard]] int windows_of(int workers) const { return windows == 0 ? workers : windows; }
};

/// The smallest total size of the tables. A smaller HashSpec::bytes is increased to this size.
inline constexpr std::uint64_t kMinHashBytes = std::uint64_t{64} << 10;

/// The properties of a split that determine how large tables should be.
struct SplitShape {
  std::size_t units = 0;
  int ply = 0;              ///< ply of the units
  double growth = 0;        ///< number of units divided by the number of positions one ply above
  double growth_above = 0;  ///< the same ratio for the ply above
};

SplitShape shape_of(const RootSplit& split);

/// Estimates the number of distinct positions `plies` plies below the units, from the growth of the
/// last plies. Precondition: plies >= 0. The estimate is usually a little too high.
double expected_positions(const SplitShape& split, int plies);

/// The properties of a machine that determine how large tables should be.
struct Machine {
  std::uint64_t available_bytes;
  int cores;  ///< number of cores that this process may use
};

/// Returns the properties of this machine that a plan for `hash` and `workers` needs. A property
/// that the plan does not need has an arbitrary value, because reading the property from the system
/// would take longer than a small count.
Machine machine_for(const HashSpec& hash, int workers);

/// Divides `hash.bytes` among the tables. Each unit is counted to a depth of `unit_depth` plies
/// below it. If `hash.bytes` is 0, chooses a size that is useful for the job, but at most half of
/// the available memory.
TablePlan plan_tables(const HashSpec& hash, const SplitShape& split, int unit_depth, int workers,
                      const Machine& machine);

/// Below this depth a table costs more time than it saves.
inline constexpr int kMinHashedDepth = 5;

/// The tables of one job. Any thread may use the deep and the wide table. Only the workers of a
/// team may use the team's window.
class JobTables {
 public:
  /// Allocates the tables. All workers together touch the pages of the deep table, and each team
  /// touches the pages of its window. If the placement requests it, the deep table is spread over
  /// all memory nodes. During the call, `touched` increases by TablePlan::touched_bytes (see
  /// TableMemory::touch). Returns kUnavailable if memory is insufficient or if the system refuses
  /// to spread the table, and kCancelled after a stop request.
  static Result<std::unique_ptr<JobTables>> allocate(const TablePlan& plan, const HashSpec& hash,
                                                     const Workers& workers,
                                                     const std::stop_token& stop = {},
                                                     std::atomic<std::uint64_t>* touched = nullptr);

  /// Returns the number of leaves of `board` at `depth` plies, and adds to `stats`. Only worker
  /// number `worker` may call it. Its preconditions are those of HashedKernel::Count.
  NodeCount count(const Board& board, int depth, const KernelPair& kernels, int worker,
                  const std::stop_token& stop, HashStats& stats);

  [[nodiscard]] const TablePlan& plan() const { return plan_; }
  [[nodiscard]] const KeySet& keys() const { return keys_; }
  [[nodiscard]] std::size_t stripes() const { return stripes_; }
  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }
  [[nodiscard]] DeepTable& deep() { return deep_; }

  [[nodiscard]] IndexBits index_bits() const;

  /// effective_deep_bits() returns how many key bits must be equal for a match in the deep table.
  /// effective_window_bits() returns the same for a window. This number is the sum of tag bits and
  /// index bits, but at most the number of bits of the key.
  [[nodiscard]] double effective_deep_bits() const;
  [[nodiscard]] double effective_window_bits() const;

  /// Returns every window, for tests that damage entries.
  [[nodiscard]] std::vector<std::span<WindowLine>> windows_for_testing();
  void break_castling_keys_for_testing() { keys_.break_castling_for_testing(); }

 private:
  JobTables(const TablePlan& plan, const HashSpec& hash, const Workers& workers, TableMemory deep);

  TablePlan plan_;
  std::size_t stripes_;
  int workers_;
  Placement placement_;
  KeySet keys_;
  DeepTable deep_;
  WideTable wide_;
  std::vector<PrivateWindow> private_windows_;
  std::vector<std::unique_ptr<SharedWindow>> shared_windows_;  // one for each team
};

/// Keeps the tables of a perft or a statistics job for the next job. The next job need not touch
/// the pages again, and may find counts in the tables. Contains the tables of at most one job at a
/// time. A job takes the tables when it starts and puts them back when it ends. An entry depends
/// only on its position and depth, and not on the job that stored it. So any job with the same keys
/// can use the tables. Any thread may call all functions.
class TableKeeper {
 public:
  struct Kept {
    std::unique_ptr<JobTables> tables;
    double expected_false_matches = 0;  ///< of all counts up to now that used the tables
  };

  /// The table of a statistics job.
  struct KeptStatistics {
    std::unique_ptr<StatisticsTable> table;
    KeySpec keys;
    Placement placement;
    double expected_false_matches = 0;
  };

  /// Returns the kept tables if they fit: same keys, stripes, workers and placement, and sizes that
  /// are not much smaller than in `plan`. Otherwise frees everything that is kept and returns null
  /// tables.
  [[nodiscard]] Kept take(const TablePlan& plan, const HashSpec& hash, const Workers& workers);
  /// Returns the kept table if it fits: same keys and placement, and at least three quarters of
  /// `bytes`. Otherwise frees everything that is kept and returns a null table.
  [[nodiscard]] KeptStatistics take_statistics(std::uint64_t bytes, const KeySpec& keys,
                                               const Placement& placement);

  /// Keeps `kept` and frees the tables that were kept before. Do not put back the tables of a
  /// failed job.
  void put(Kept kept);
  void put(KeptStatistics kept);

  /// Frees the kept tables.
  void release();

  /// Returns the size of the kept tables. It is 0 if there are none or if a job has taken them.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Everything {
    Kept counts;
    KeptStatistics statistics;
  };
  /// Replaces the kept tables by `kept`. Returns the tables that were kept before.
  Everything keep_instead(Everything kept);

  mutable Mutex mutex_;
  Everything kept_ MANYPLY_GUARDED_BY(mutex_);
};

}  // namespace manyply
