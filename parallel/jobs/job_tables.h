// The tables of a hashed job: their sizes, and their allocation by all workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/mutex.h"
#include "hash/hashed_kernel.h"
#include "hash/statistics_search.h"
#include "parallel/split/root_splitter.h"
#include "parallel/workers.h"

namespace manyply {

/// The properties of hash tables that a user may choose.
struct HashSpec {
  std::uint64_t bytes = 0;  ///< of all tables; 0 = the size that the job can use (plan_tables())
  KeySpec keys = {};
  std::size_t stripes = DeepTable::kDefaultStripes;  ///< number of locks; a power of two
};

/// How the memory is divided. The deep table gets at least three quarters. Each worker has its own
/// window. If there are more workers than cores, or if a window per worker would be smaller than 1
/// MiB, a team of consecutive workers shares one window.
struct TablePlan {
  std::uint64_t deep_bytes = 0;
  std::uint64_t wide_entries = 1;
  std::uint64_t window_bytes = 0;  ///< of each window
  int windows = 0;  ///< number of windows, at most one per worker; 0 = one per worker

  [[nodiscard]] std::uint64_t total_bytes(int workers) const;
  /// The part of total_bytes() whose pages are touched before counting.
  [[nodiscard]] std::uint64_t touched_bytes(int workers) const;
  [[nodiscard]] int windows_of(int workers) const { return windows == 0 ? workers : windows; }
};

/// The smallest total size. A smaller HashSpec::bytes is raised to it.
inline constexpr std::uint64_t kMinHashBytes = std::uint64_t{64} << 10;

/// The properties of a split that decide how large tables should be.
struct SplitShape {
  std::size_t units = 0;
  int ply = 0;              ///< ply of the units
  double growth = 0;        ///< number of units divided by the number of positions one ply above
  double growth_above = 0;  ///< the same ratio for the ply above
};

SplitShape shape_of(const RootSplit& split);

/// Estimates the number of distinct positions `plies` >= 0 plies below the units, from the growth
/// of the last plies. The estimate is usually somewhat too high.
double expected_positions(const SplitShape& split, int plies);

/// The properties of a machine that decide how large tables should be.
struct Machine {
  std::uint64_t available_bytes;
  int cores;  ///< number of cores that this process may use
};

/// Returns those properties of this machine that matter for `hash` and `workers`. Does not query
/// the other properties, because the system reads files to answer, which takes longer than a small
/// count.
Machine machine_for(const HashSpec& hash, int workers);

/// Divides `hash.bytes` among the tables, for units that are counted at `unit_depth` plies. If
/// `hash.bytes` is 0, chooses the size that the job can use, at most half of the available memory.
TablePlan plan_tables(const HashSpec& hash, const SplitShape& split, int unit_depth, int workers,
                      const Machine& machine);

/// Below this depth a table costs more time than it saves.
inline constexpr int kMinHashedDepth = 5;

/// The tables of one job. The deep and the wide table: any thread. A window: the workers of its
/// team.
class JobTables {
 public:
  /// Allocates the tables. The workers together touch all pages: each page is touched by the worker
  /// that its placement requires. `touched` grows by TablePlan::touched_bytes during the call; see
  /// TableMemory::touch. Returns kUnavailable if memory is insufficient, kCancelled after `stop`.
  static Result<std::unique_ptr<JobTables>> allocate(const TablePlan& plan, const HashSpec& hash,
                                                     const Workers& workers,
                                                     const std::stop_token& stop = {},
                                                     std::atomic<std::uint64_t>* touched = nullptr);

  /// Counts one unit on worker `worker` and adds to `stats`. Preconditions as for HashedKernel.
  NodeCount count(const Board& board, int depth, const KernelPair& kernels, int worker,
                  const std::stop_token& stop, HashStats& stats);

  [[nodiscard]] const TablePlan& plan() const { return plan_; }
  [[nodiscard]] const KeySet& keys() const { return keys_; }
  [[nodiscard]] std::size_t stripes() const { return stripes_; }
  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }
  [[nodiscard]] DeepTable& deep() { return deep_; }

  [[nodiscard]] IndexBits index_bits() const;

  /// Return how many key bits a match compares, tag and index, in the deep table and in a window.
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
  std::vector<std::unique_ptr<SharedWindow>> shared_windows_;  // one per team
};

// Keeps the tables of a job for the next job, with touched memory and stored counts.

/// Holds the tables of at most one job at a time, of any kind. A job takes the tables at its start
/// and puts them back at its end. An entry depends only on its position and depth, not on the job
/// that stored it, so any job with the same keys can use the tables. Any thread may call all
/// functions.
class TableKeeper {
 public:
  struct Kept {
    std::unique_ptr<JobTables> tables;
    double expected_false_matches = 0;  ///< of everything counted into the tables so far
  };

  /// The table of a statistics job.
  struct KeptStatistics {
    std::unique_ptr<StatisticsTable> table;
    KeySpec keys;
    Placement placement;
    double expected_false_matches = 0;
  };

  /// Returns the kept tables if they have the requested keys, stripes, workers and placement and
  /// are about as large as `plan`. Otherwise frees them and returns null tables.
  [[nodiscard]] Kept take(const TablePlan& plan, const HashSpec& hash, const Workers& workers);
  /// Returns the kept table if it has the requested keys and placement and about `bytes` bytes.
  /// Otherwise frees it and returns a null table.
  [[nodiscard]] KeptStatistics take_statistics(std::uint64_t bytes, const KeySpec& keys,
                                               const Placement& placement);

  /// Keeps `kept` and frees the tables kept before. Do not put back tables of a job that failed.
  void put(Kept kept);
  void put(KeptStatistics kept);

  /// Frees the kept tables.
  void release();

  /// Returns the size of the kept tables; 0 if none are kept or a job has taken them.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Everything {
    Kept counts;
    KeptStatistics statistics;
  };
  /// Returns the tables that were kept before.
  Everything keep_instead(Everything kept);

  mutable Mutex mutex_;
  Everything kept_ MANYPLY_GUARDED_BY(mutex_);
};

}  // namespace manyply
