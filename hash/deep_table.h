// The deep table: maps a key and a remaining depth of 3 to 6 plies to a leaf count. All workers of
// a job share it, and in a server also consecutive jobs with the same keys.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/memory.h"
#include "hash/stripe_locks.h"
#include "hash/zobrist.h"

namespace manyply {

/// The effect of a store.
enum class StoreOutcome {
  kFilled,    ///< took a free entry
  kReplaced,  ///< replaced another entry
  kDropped,   ///< not stored: the count is zero or too large, or the bucket was busy
};

/// Layout of one cache line:
///
///   bucket  = 4 entries of 16 bytes
///   entry   = tag (64 bits: key.high) | rest (64 bits: low 24 bits of key.low, 40 bits of count)
///
/// The upper bits of key.low select the bucket. So a match compares 88 tag bits plus the bits of
/// the index: 88 + log2(buckets) in total, which is at least 96 from 16 KiB on. A count of zero
/// marks a free entry. Counts of zero and counts above 40 bits are not stored.
struct DeepEntry {
  std::uint64_t tag = 0;
  std::uint64_t rest = 0;

  static constexpr int kTagBits = 88;
  static constexpr int kCountBits = 40;
  static constexpr std::uint64_t kMaxCount = (std::uint64_t{1} << kCountBits) - 1;

  /// Returns the part of the tag that is stored in `rest`.
  static constexpr std::uint64_t low_tag(const ZobristKey& key) { return key.low << kCountBits; }
  [[nodiscard]] constexpr std::uint64_t count() const { return rest & kMaxCount; }
};

inline constexpr int kDeepWays = 4;
struct alignas(64) DeepBucket {
  DeepEntry entries[kDeepWays];
};
static_assert(sizeof(DeepBucket) == 64);

/// Returns the bucket of `key` among any number of `buckets`: the upper bits of key.low, scaled.
constexpr std::uint64_t bucket_index(const ZobristKey& key, std::uint64_t buckets) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(key.low) * buckets) >> 64);
}

/// Any thread may call probe(), store() and fill() at any time; each takes its bucket's spin lock.
/// bench/results/*/notes.md compares this with the rejected alternatives: sequence numbers, and no
/// lock.
class DeepTable {
 public:
  static constexpr std::size_t kDefaultStripes = 4096;
  static constexpr std::uint64_t kMinBytes = std::uint64_t{64} << 10;

  /// Takes over `memory`, which must be zero. Precondition: room for at least one bucket.
  explicit DeepTable(TableMemory memory, std::size_t stripes = kDefaultStripes)
      : memory_(std::move(memory)),
        buckets_(static_cast<DeepBucket*>(memory_.data())),
        bucket_count_(memory_.bytes() / sizeof(DeepBucket)),
        locks_(stripes) {
    MANYPLY_CHECK(bucket_count_ > 0);
  }

  [[nodiscard]] std::uint64_t bucket_of(const ZobristKey& key) const {
    return bucket_index(key, bucket_count_);
  }

  /// Prefetches a bucket and its lock.
  void prefetch(std::uint64_t bucket) const {
    __builtin_prefetch(&buckets_[bucket]);
    locks_.prefetch(bucket);
  }

  /// Returns the count stored under `key`, into which the depth's word must be XORed; 0 if none.
  /// Takes one stripe lock. A false match requires 88 equal tag bits and the same bucket.
  [[nodiscard]] std::uint64_t probe(const ZobristKey& key, std::uint64_t bucket) const {
    const StripeLocks::Guard guard(locks_, bucket);
    for (const DeepEntry& entry : buckets_[bucket].entries) {
      if (holds(entry, key)) return entry.rest & DeepEntry::kMaxCount;
    }
    return 0;
  }

  /// Stores a count: over the one of the same key, or in a free entry, or over the smallest count,
  /// which is the cheapest to count again.
  StoreOutcome store(const ZobristKey& key, std::uint64_t bucket, std::uint64_t count) {
    if (count == 0 || count > DeepEntry::kMaxCount) return StoreOutcome::kDropped;
    const StripeLocks::Guard guard(locks_, bucket);
    DeepEntry* victim = nullptr;
    std::uint64_t least = DeepEntry::kMaxCount + 1;
    for (DeepEntry& entry : buckets_[bucket].entries) {
      const std::uint64_t held = holds(entry, key) ? 0 : entry.rest & DeepEntry::kMaxCount;
      if (held < least) {
        least = held;
        victim = &entry;
      }
    }
    victim->rest = DeepEntry::low_tag(key) | count;
    victim->tag = key.high;
    return least == 0 ? StoreOutcome::kFilled : StoreOutcome::kReplaced;
  }

  [[nodiscard]] std::uint64_t buckets() const { return bucket_count_; }
  [[nodiscard]] std::uint64_t bytes() const { return bucket_count_ * sizeof(DeepBucket); }
  [[nodiscard]] std::size_t stripes() const { return locks_.stripes(); }
  [[nodiscard]] const TableMemory& memory() const { return memory_; }

  /// Returns the share of entries in use, 0 to 1. Examines about `sample` buckets.
  [[nodiscard]] double fill(std::uint64_t sample = 100'000) const {
    const std::uint64_t step = std::max<std::uint64_t>(1, bucket_count_ / sample);
    std::uint64_t used = 0;
    std::uint64_t seen = 0;
    for (std::uint64_t b = 0; b < bucket_count_; b += step) {
      const StripeLocks::Guard guard(locks_, b);
      for (const DeepEntry& entry : buckets_[b].entries)
        used += (entry.rest & DeepEntry::kMaxCount) != 0 ? 1 : 0;
      seen += kDeepWays;
    }
    return static_cast<double>(used) / static_cast<double>(seen);
  }

  /// Direct access for tests that damage entries. Not thread-safe.
  [[nodiscard]] std::span<DeepBucket> buckets_for_testing() {
    return {buckets_, static_cast<std::size_t>(bucket_count_)};
  }

 private:
  static bool holds(const DeepEntry& entry, const ZobristKey& key) {
    return entry.tag == key.high && (entry.rest & ~DeepEntry::kMaxCount) == DeepEntry::low_tag(key);
  }

  TableMemory memory_;
  DeepBucket* buckets_;
  std::uint64_t bucket_count_;
  mutable StripeLocks locks_;
};

}  // namespace manyply
