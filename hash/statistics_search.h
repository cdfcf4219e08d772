// Counts move statistics of subtrees, with or without a table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/stop_view.h"
#include "core/kernel.h"
#include "core/move_statistics.h"
#include "hash/hash_stats.h"
#include "hash/hashed_kernel.h"
#include "hash/statistics_table.h"
#include "hash/zobrist.h"

namespace manyply {

/// One worker's recursion. One thread at a time; the table may be shared.
class StatisticsSearch {
 public:
  /// `table` may be null. All arguments must outlive the search.
  StatisticsSearch(const Kernel& kernel, const KeySet& keys, StatisticsTable* table);

  /// Adds the statistics of all paths of `depth` >= 1 plies from `board` to `sum`. If a stop was
  /// requested meanwhile, `sum` is meaningless; the table stays correct. Throws CountOverflow if a
  /// count exceeds 64 bits.
  void add(const Board& board, int depth, StopView stop, MoveStatistics& sum);

  /// Returns probes, hits and visited positions so far.
  [[nodiscard]] const HashStats& stats() const { return stats_; }

 private:
  /// A position at remaining depth 3 that is not in the table, and its statistics so far.
  struct Part {
    ZobristKey entry;
    MoveStatistics sum;
  };
  /// The children of a part, whose table entries are prefetched.
  struct ListedThree {
    KeyedChildren children;
    std::size_t part;  // index in parts_
  };
  /// A position at remaining depth 2 that is not in the table.
  struct Waiting {
    ZobristKey entry;
    std::size_t part;  // index in parts_ of its parent
  };

  void below(const Board& board, const ZobristKey& key, int depth, StopView stop,
             MoveStatistics& sum);
  void below_three(const Board& board, const ZobristKey& key, MoveStatistics& sum);
  void below_four(const KeyedChildren& children, MoveStatistics& sum);
  ListedThree& list_part(const Board& board, const ZobristKey& key, const ZobristKey& entry);
  void look_up_children(const ListedThree& node);
  void count_waiting();
  void clear_parts();

  const StatisticsKernel& kernel_;
  const HashedKernel& hashed_;
  const KeySet& keys_;
  StatisticsTable* table_;
  std::vector<std::unique_ptr<KeyedChildren>> levels_;  // by remaining depth; made when needed
  std::unique_ptr<std::array<ListedThree, 2>> threes_;  // one is listed before the other is probed
  // The state of one node at depth 4 or 3: its parts, and the positions below them that wait for
  // the kernel, which counts several at once.
  std::vector<Part> parts_;
  std::vector<Waiting> waiting_;
  std::vector<Board> waiting_boards_;
  std::vector<MoveStatistics> waiting_sums_;
  HashStats stats_;
};

}  // namespace manyply
