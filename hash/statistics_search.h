// Move statistics of subtrees, with or without a table.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/kernel.h"
#include "core/move_statistics.h"
#include "core/stop_view.h"
#include "hash/hash_stats.h"
#include "hash/hashed_kernel.h"
#include "hash/statistics_table.h"
#include "hash/zobrist.h"

namespace manyply {

/// One worker's recursion. Belongs to one thread at a time; the table may be shared.
class StatisticsSearch {
 public:
  /// `table` may be null. All references must outlive the search.
  StatisticsSearch(const Kernel& kernel, const KeySet& keys, StatisticsTable* table);

  /// Adds the statistics of all paths of `depth` >= 1 plies from `board`. When `stop` was requested
  /// meanwhile `sum` means nothing, and nothing wrong was stored. Throws CountOverflow when a
  /// count exceeds 64 bits.
  void add(const Board& board, int depth, StopView stop, MoveStatistics& sum);

  /// Probes, hits and visited positions so far.
  [[nodiscard]] const HashStats& stats() const { return stats_; }

 private:
  void below(const Board& board, const ZobristKey& key, int depth, StopView stop,
             MoveStatistics& sum);
  void count_missing(MoveStatistics& sum);

  const StatisticsKernel& kernel_;
  const HashedKernel& hashed_;
  const KeySet& keys_;
  StatisticsTable* table_;
  std::vector<std::unique_ptr<KeyedChildren>> levels_;  // by remaining depth, made when needed
  // Positions with two plies left that no table knows, their entries' keys and what they have.
  std::vector<Board> missing_boards_;
  std::vector<ZobristKey> missing_entries_;
  std::vector<MoveStatistics> missing_sums_;
  HashStats stats_;
};

}  // namespace manyply
