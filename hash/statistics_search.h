// Counts move statistics of subtrees, with or without a table.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/memory.h"
#include "core/base/stop_view.h"
#include "core/kernel.h"
#include "core/move_statistics.h"
#include "hash/count_tables.h"
#include "hash/hash_stats.h"
#include "hash/hashed_kernel.h"
#include "hash/stripe_locks.h"
#include "hash/zobrist.h"

// The table of move statistics. It maps a key and a remaining depth to the statistics of a subtree.

namespace manyply {

/// The table has narrow and wide entries in one block of memory. The narrow entries take 32 times
/// as much memory as the wide entries.
///
///   narrow entry = 96 bits of the key | 13 counts of 32 bits = one cache line
///   wide entry   = 128 bits of the key | 13 counts of 64 bits = two cache lines
///
/// Narrow entries are for remaining depths up to kNarrowDepth, and wide entries are for larger
/// depths. Statistics for a narrow entry are not stored if a count exceeds 32 bits. Narrow entries
/// form pairs. If one of the two entries has the same key as a new entry, the new entry replaces
/// this entry. Otherwise the new entry replaces the entry with fewer nodes. A new wide entry
/// replaces the old one. If an entry has zero nodes, it is free. Statistics with zero nodes are not
/// stored.
///
/// The caller must XOR the constant of the depth into the key first. Any thread may use the table.
/// Each probe() or store() takes one stripe lock, for one pair or one wide entry.
class StatisticsTable {
 public:
  static constexpr int kMinDepth = 2;  ///< at depth 1, counting is faster than a lookup
  static constexpr int kNarrowDepth = 4;
  static constexpr std::uint64_t kMinBytes = std::uint64_t{64} << 10;
  static constexpr int kWays = 2;
  static constexpr int kTagBits = 96;

  /// Takes over `memory`, which must be zero. Precondition: it has at least kMinBytes.
  explicit StatisticsTable(TableMemory memory)
      : memory_(std::move(memory)),
        wide_count_(memory_.bytes() / 33 / sizeof(Wide)),
        pair_count_((memory_.bytes() - wide_count_ * sizeof(Wide)) / sizeof(Pair)),
        pairs_(static_cast<Pair*>(memory_.data())),
        wide_(reinterpret_cast<Wide*>(pairs_ + pair_count_)),
        locks_(DeepTable::kDefaultStripes) {
    MANYPLY_CHECK(wide_count_ > 0 && pair_count_ > 0);
  }

  /// Prefetches the entries of `key`.
  void prefetch(const ZobristKey& key, int depth) const {
    if (depth > kNarrowDepth) return;  // lookups at larger depths are too rare to matter
    const std::uint64_t at = bucket_index(key, pair_count_);
    __builtin_prefetch(&pairs_[at].entries[0]);
    __builtin_prefetch(&pairs_[at].entries[1]);
    locks_.prefetch(at);
  }

  /// Copies the statistics stored under `key` to `found`. Returns false if there are none.
  bool probe(const ZobristKey& key, int depth, MoveStatistics& found) const {
    if (depth > kNarrowDepth) {
      const std::uint64_t at = bucket_index(key, wide_count_);
      const StripeLocks::Guard guard(locks_, at);
      if (wide_[at].counts[0] == 0 || wide_[at].key != key) return false;
      found.counts = wide_[at].counts;
      return true;
    }
    const std::uint64_t at = bucket_index(key, pair_count_);
    const StripeLocks::Guard guard(locks_, at);
    for (const Narrow& entry : pairs_[at].entries) {
      if (!entry.holds(key)) continue;
      for (std::size_t i = 0; i < kStatistics; ++i) found.counts[i] = entry.counts[i];
      return true;
    }
    return false;
  }

  /// Stores the statistics. Does not store them if they have no nodes or do not fit into the entry.
  void store(const ZobristKey& key, int depth, const MoveStatistics& statistics) {
    const std::uint64_t nodes = statistics[Statistic::kNodes];
    if (nodes == 0) return;
    if (depth > kNarrowDepth) {
      const std::uint64_t at = bucket_index(key, wide_count_);
      const StripeLocks::Guard guard(locks_, at);
      wide_[at].key = key;
      wide_[at].counts = statistics.counts;
      return;
    }
    if (nodes > std::numeric_limits<std::uint32_t>::max()) return;
    const std::uint64_t at = bucket_index(key, pair_count_);
    const StripeLocks::Guard guard(locks_, at);
    Narrow* const pair = pairs_[at].entries;
    const bool takes_first =
        pair[0].holds(key) || (!pair[1].holds(key) && pair[0].counts[0] <= pair[1].counts[0]);
    Narrow& entry = takes_first ? pair[0] : pair[1];
    entry.tag_high = key.high;
    entry.tag_low = static_cast<std::uint32_t>(key.low);
    for (std::size_t i = 0; i < kStatistics; ++i) {
      entry.counts[i] = static_cast<std::uint32_t>(statistics.counts[i]);
    }
  }

  /// Returns the expected number of false matches in `lookups` (see hash_stats.h).
  [[nodiscard]] double expected_false_matches(const HashStats& lookups, int key_bits) const {
    const TableShape narrow{kWays, kTagBits, std::log2(static_cast<double>(pair_count_))};
    const TableShape wide{1, KeySpec::kMaxBits, std::log2(static_cast<double>(wide_count_))};
    double expected = 0;
    for (std::size_t depth = kMinDepth; depth < lookups.by_depth.size(); ++depth) {
      expected += manyply::expected_false_matches(lookups.by_depth[depth], key_bits,
                                                  depth > kNarrowDepth ? wide : narrow);
    }
    return expected;
  }

  [[nodiscard]] std::uint64_t bytes() const { return memory_.bytes(); }
  [[nodiscard]] const TableMemory& memory() const { return memory_; }

 private:
  struct Narrow {
    std::uint64_t tag_high;
    std::uint32_t tag_low;
    std::array<std::uint32_t, kStatistics> counts;

    [[nodiscard]] bool holds(const ZobristKey& key) const {
      return tag_high == key.high && tag_low == static_cast<std::uint32_t>(key.low) &&
             counts[0] != 0;
    }
  };
  static_assert(sizeof(Narrow) == 64);
  struct Pair {
    Narrow entries[kWays];
  };
  struct Wide {
    ZobristKey key;
    std::array<std::uint64_t, kStatistics> counts;
    std::uint64_t unused;
  };
  static_assert(sizeof(Wide) == 128);

  TableMemory memory_;
  std::uint64_t wide_count_;
  std::uint64_t pair_count_;
  Pair* pairs_;
  Wide* wide_;
  mutable StripeLocks locks_;
};

/// The recursion of one worker. Only one thread at a time may use it. Several searches may use the
/// same table.
class StatisticsSearch {
 public:
  /// `table` may be null. All arguments must outlive the search.
  StatisticsSearch(const Kernel& kernel, const KeySet& keys, StatisticsTable* table);

  /// Adds the statistics of all paths of `depth` plies from `board` to `sum`. Precondition: depth
  /// >= 1. If a stop was requested during the call, `sum` is meaningless, but the table remains
  /// correct. Throws CountOverflow if a count exceeds 64 bits.
  void add(const Board& board, int depth, StopView stop, MoveStatistics& sum);

  /// Returns the numbers of probes, hits and visited positions up to now.
  [[nodiscard]] const HashStats& stats() const { return stats_; }

 private:
  /// A position at remaining depth 3 that is not in the table, and its statistics up to now.
  struct Pending {
    ZobristKey entry;
    MoveStatistics sum;
  };
  /// The children of a node in pending_. Their table entries have been prefetched.
  struct ListedThree {
    KeyedChildren children;
    std::size_t of;  // index of the parent in pending_
  };
  /// A position at remaining depth 2 that is not in the table.
  struct Waiting {
    ZobristKey entry;
    std::size_t of;  // index of the position's parent in pending_
  };

  void below(const Board& board, const ZobristKey& key, int depth, StopView stop,
             MoveStatistics& sum);
  void below_three(const Board& board, const ZobristKey& key, MoveStatistics& sum);
  void below_four(const KeyedChildren& children, MoveStatistics& sum);
  ListedThree& list_children(const Board& board, const ZobristKey& key, const ZobristKey& entry);
  void look_up_children(const ListedThree& node);
  void count_waiting();
  void clear_pending();

  const StatisticsKernel& kernel_;
  const HashedKernel& hashed_;
  const KeySet& keys_;
  StatisticsTable* table_;
  std::vector<std::unique_ptr<KeyedChildren>> levels_;  // by remaining depth; created when needed
  // There are two lists, because the code lists the children of the next node before it looks up
  // the children of the current node.
  std::unique_ptr<std::array<ListedThree, 2>> threes_;
  // The state of one node at remaining depth 4 or 3. pending_ has the positions at depth 3 that are
  // being counted. The other vectors have the positions at depth 2 that wait for the kernel, which
  // counts several positions at once.
  std::vector<Pending> pending_;
  std::vector<Waiting> waiting_;
  std::vector<Board> waiting_boards_;
  std::vector<MoveStatistics> waiting_sums_;
  HashStats stats_;
};

}  // namespace manyply
