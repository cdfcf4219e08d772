// The wide table: counts at large remaining depths, which may need up to 128 bits. Few entries.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "core/base/node_count.h"
#include "hash/deep_table.h"
#include "hash/stripe_locks.h"
#include "hash/zobrist.h"

namespace manyply {

/// From this remaining depth on, counts go to the wide table, since they may exceed the 40 bits of
/// the deep table.
inline constexpr int kWideDepth = 7;

/// One entry per bucket with the whole 128-bit key and a 128-bit count. The newest entry is kept.
/// Any thread; each call takes one stripe lock.
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

  /// Returns the count stored under `key`, into which the depth's word must be XORed; 0 if none.
  [[nodiscard]] NodeCount probe(const ZobristKey& key) {
    const auto at = static_cast<std::size_t>(bucket_index(key, size_));
    const StripeLocks::Guard guard(locks_, at);
    return entries_[at].key == key ? entries_[at].count : NodeCount{};
  }

  /// Stores a count. Zero is not stored, since it marks free entries.
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

  /// From calloc(), so the system zeroes pages at first use. Zeroing all at once would take a third
  /// of a second during which no stop is polled. Not a TableMemory, whose allocation queries the
  /// system: most of these tables have a single entry.
  std::unique_ptr<Entry[], Free> entries_;
  std::size_t size_;
  StripeLocks locks_;
};

}  // namespace manyply
