// Move statistics of subtrees, with or without a table.
#pragma once

#include <array>
#include <cstddef>
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
  /// A position with three plies left that no table knows, and what is known of it so far.
  struct Part {
    ZobristKey entry;
    MoveStatistics sum;
  };
  /// The children of one of these, their places in the table on the way from memory.
  struct ListedThree {
    KeyedChildren children;
    std::size_t part;  // its number in parts_
  };
  /// A position with two plies left that no table knows.
  struct Waiting {
    ZobristKey entry;
    std::size_t part;  // what it is a part of, in parts_
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
  std::vector<std::unique_ptr<KeyedChildren>> levels_;  // by remaining depth, made when needed
  std::unique_ptr<std::array<ListedThree, 2>> threes_;  // one is listed before the other is asked
  // What is being counted below one node at depth 4 or 3, and the positions below it that wait for
  // the kernel, which counts several at once.
  std::vector<Part> parts_;
  std::vector<Waiting> waiting_;
  std::vector<Board> waiting_boards_;
  std::vector<MoveStatistics> waiting_sums_;
  HashStats stats_;
};

}  // namespace manyply
