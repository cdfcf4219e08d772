// The tables of a hashed job: how large, of which kind, allocated and touched by all workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hash/hashed_kernel.h"
#include "parallel/split/root_splitter.h"
#include "parallel/workers.h"

namespace manyply {

/// What a user may choose about hashing.
struct HashSpec {
  std::uint64_t bytes = 0;  ///< all tables together; 0 = what the job can use, within limits
  KeySpec keys = {};
  std::size_t stripes = DeepTable::kDefaultStripes;  ///< a power of two
};

/// How memory is divided: three quarters at least for the deep table. Each worker has a window of
/// its own; where they are more than cores, or each would get less than a MiB, teams of
/// neighbouring workers share one.
struct TablePlan {
  std::uint64_t deep_bytes = 0;
  std::uint64_t wide_entries = 1;
  std::uint64_t window_bytes = 0;  ///< of each window
  int windows = 0;                 ///< no more than workers; 0 = one a worker

  [[nodiscard]] std::uint64_t total_bytes(int workers) const;
  [[nodiscard]] std::uint64_t touched_bytes(int workers) const;  ///< at the start, of these
  [[nodiscard]] int windows_of(int workers) const { return windows == 0 ? workers : windows; }
};

/// Least HashSpec::bytes that a plan is made for.
inline constexpr std::uint64_t kMinHashBytes = std::uint64_t{64} << 10;

/// As much of a split as decides how large tables should be.
struct SplitShape {
  std::size_t units = 0;
  int ply = 0;              ///< where they are
  double growth = 0;        ///< units for each unit one ply above
  double growth_above = 0;  ///< the same, of that ply
};

SplitShape shape_of(const RootSplit& split);

/// Distinct positions `plies` >= 0 below the units, as they grew on the way; mostly somewhat too
/// many.
double expected_positions(const SplitShape& split, int plies);

/// As much of a machine as decides that, too.
struct Machine {
  std::uint64_t available_bytes;
  int cores;  ///< that this process may use
};

/// This machine, as far as it decides about tables for `hash` and so many workers. What does not is
/// not asked for: the system answers from files, which takes longer than a small count.
Machine machine_for(const HashSpec& hash, int workers);

/// Divides `hash.bytes` for counting such a split at `unit_depth` plies below it, or, if they are
/// 0, decides how much that job can use: never above half of what is available.
TablePlan plan_tables(const HashSpec& hash, const SplitShape& split, int unit_depth, int workers,
                      const Machine& machine);

/// Below this depth a table would cost more than it saves.
inline constexpr int kMinHashedDepth = 5;

/// What a table compares of a key: to it, keys with equal slots are one.
struct TableSlot {
  enum class Table : std::uint8_t { kWindow, kDeep, kWide };
  Table table;
  ZobristKey compared;  ///< index and tag
  friend constexpr auto operator<=>(const TableSlot&, const TableSlot&) = default;
};

/// The tables of one plan. Deep and wide tables: any thread. A window: the workers of its team.
class JobTables {
 public:
  /// Allocates, and touches every page with all workers, where they want it. kUnavailable when
  /// memory is not there, kCancelled after `stop`. `touched` is as TableMemory::touch's; in the end
  /// it has grown by TablePlan::touched_bytes.
  static Result<std::unique_ptr<JobTables>> allocate(const TablePlan& plan, const HashSpec& hash,
                                                     const Workers& workers,
                                                     const std::stop_token& stop = {},
                                                     std::atomic<std::uint64_t>* touched = nullptr);

  /// Counts one unit on worker `worker`; adds to `stats`. Precondition as HashedKernel's.
  NodeCount count(const Board& board, int depth, const KernelPair& kernels, int worker,
                  const std::stop_token& stop, HashStats& stats);

  [[nodiscard]] const TablePlan& plan() const { return plan_; }
  [[nodiscard]] const KeySet& keys() const { return keys_; }
  [[nodiscard]] std::size_t stripes() const { return stripes_; }
  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }
  [[nodiscard]] DeepTable& deep() { return deep_; }

  [[nodiscard]] IndexBits index_bits() const;

  /// Key bits that a match in the deep table, and in a window, has compared: tag and index.
  [[nodiscard]] double effective_deep_bits() const;
  [[nodiscard]] double effective_window_bits() const;

  /// Where the count of a position with `key` is stored, if it is to be counted at `depth` >= 2.
  [[nodiscard]] TableSlot slot_of(const ZobristKey& key, int depth) const;
  /// Counts that are stored for it: several if windows differ. Only while nobody counts.
  [[nodiscard]] std::vector<NodeCount> stored(const ZobristKey& key, int depth);

  /// Every window, for tests that damage entries.
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
  std::vector<std::unique_ptr<SharedWindow>> shared_windows_;  // one a team
};

}  // namespace manyply
