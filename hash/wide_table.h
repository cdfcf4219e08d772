// The wide table: counts of the deepest subtrees, which may need up to 128 bits. Few entries.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "core/node_count.h"
#include "hash/deep_table.h"
#include "hash/stripe_locks.h"
#include "hash/zobrist.h"

namespace manyply {

/// From this remaining depth on counts go to the wide table: they may pass the deep table's 40
/// bits.
inline constexpr int kWideDepth = 7;

/// One entry a bucket, newest kept: whole 128-bit key, whole 128-bit count. Any thread; each call
/// takes one stripe.
class WideTable {
 public:
  static constexpr std::uint64_t kEntryBytes = 32;

  /// Precondition: entries > 0. Throws std::bad_alloc.
  explicit WideTable(std::size_t entries)
      : entries_(static_cast<Entry*>(std::calloc(entries, sizeof(Entry)))),
        size_(entries),
        locks_(256) {
    MANYPLY_CHECK(entries > 0);
    if (entries_ == nullptr) throw std::bad_alloc();
  }

  /// Count stored under `key` (which includes its depth's word), or 0.
  [[nodiscard]] NodeCount probe(const ZobristKey& key) {
    const auto at = static_cast<std::size_t>(bucket_index(key, size_));
    const StripeLocks::Guard guard(locks_, at);
    return entries_[at].key == key ? entries_[at].count : NodeCount{};
  }

  /// Zero, which marks free entries, is not stored.
  StoreOutcome store(const ZobristKey& key, NodeCount count) {
    if (count == NodeCount{}) return StoreOutcome::kDropped;
    const auto at = static_cast<std::size_t>(bucket_index(key, size_));
    const StripeLocks::Guard guard(locks_, at);
    Entry& entry = entries_[at];
    const bool was_free = entry.count == NodeCount{};
    entry = {key, count};
    return was_free ? StoreOutcome::kFilled : StoreOutcome::kReplaced;
  }

  [[nodiscard]] std::uint64_t bytes() const { return size_ * sizeof(Entry); }

 private:
  struct Entry {
    ZobristKey key;
    NodeCount count;
  };
  static_assert(sizeof(Entry) == kEntryBytes);

  struct Free {
    void operator()(Entry* entries) const { std::free(entries); }
  };

  /// Zeroed by the system when they are first used: all at once would take a third of a second,
  /// in which no stop is looked at. No TableMemory, which asks the system what is left: most tables
  /// have one entry.
  std::unique_ptr<Entry[], Free> entries_;
  std::size_t size_;
  StripeLocks locks_;
};

}  // namespace manyply
