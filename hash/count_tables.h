// Tables that store leaf counts under the keys of positions. All workers use one deep table and one
// wide table. A window usually belongs to one worker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "core/base/memory.h"
#include "core/base/node_count.h"
#include "hash/stripe_locks.h"
#include "hash/zobrist.h"

// The deep table. It stores leaf counts at remaining depths 3 to 6, by key and depth. All workers
// of a job use the same table. A TableKeeper (parallel/jobs/job_tables.h) can keep the table for
// the next job with the same keys.

namespace manyply {

/// The result of a store.
enum class StoreOutcome {
  kFilled,    ///< stored in a free entry or, in the deep table, in the entry of the same key
  kReplaced,  ///< stored in an entry that was in use (in the deep table: by another key)
  kDropped,   ///< not stored: the count is zero or too large, or (window) the stripe was busy
};

/// Layout of one cache line:
///
///   bucket  = 4 entries of 16 bytes
///   entry   = tag (64 bits: key.high) | rest (64 bits: low 24 bits of key.low, 40 bits of count)
///
/// The upper bits of key.low select the bucket. A probe compares 88 bits of the key: the field
/// `tag` and the upper 24 bits of `rest`. All keys in one bucket are also equal in the bits that
/// select the bucket. So a match means that 88 + log2(buckets) bits are equal: at least 96 bits if
/// the table has 16 KiB or more.
///
/// A count of zero marks a free entry. Counts of zero and counts that exceed 40 bits are not
/// stored.
struct DeepEntry {
  std::uint64_t tag = 0;
  std::uint64_t rest = 0;

  static constexpr int kTagBits = 88;
  static constexpr int kCountBits = 40;
  static constexpr std::uint64_t kMaxCount = (std::uint64_t{1} << kCountBits) - 1;

  /// Returns the bits of `key` that are stored in `rest`, at their places in `rest`.
  static constexpr std::uint64_t low_tag(const ZobristKey& key) { return key.low << kCountBits; }
  [[nodiscard]] constexpr std::uint64_t count() const { return rest & kMaxCount; }
};

inline constexpr int kDeepWays = 4;
struct alignas(64) DeepBucket {
  DeepEntry entries[kDeepWays];
};
static_assert(sizeof(DeepBucket) == 64);

/// Returns the index of the bucket that `key` belongs to, in a table of `buckets` buckets.
/// `buckets` need not be a power of two. The upper bits of key.low select the bucket.
constexpr std::uint64_t bucket_index(const ZobristKey& key, std::uint64_t buckets) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(key.low) * buckets) >> 64);
}

/// Any thread may call probe(), store() and fill() at any time. Each access to a bucket takes the
/// spin lock of the bucket's stripe. Sequence locks, or self-verifying entries without locks, are
/// not much faster: the times of whole counts differ by less than 2 % (bench/results/*/notes.md).
class DeepTable {
 public:
  static constexpr std::size_t kDefaultStripes = 4096;
  static constexpr std::uint64_t kMinBytes = std::uint64_t{64} << 10;

  /// Takes over `memory`, which must be zero. Precondition: it has space for at least one bucket.
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

  /// Prefetches a bucket and the lock of its stripe.
  void prefetch(std::uint64_t bucket) const {
    __builtin_prefetch(&buckets_[bucket]);
    locks_.prefetch(bucket);
  }

  /// Returns the count stored under `key`; 0 if there is none. The caller must XOR the constant of
  /// the depth (KeySet::depth) into the key first. Precondition: `bucket` is bucket_of(key). Takes
  /// one stripe lock. A false match is possible only if an entry of the bucket belongs to another
  /// key with the same 88 compared bits.
  [[nodiscard]] std::uint64_t probe(const ZobristKey& key, std::uint64_t bucket) const {
    const StripeLocks::Guard guard(locks_, bucket);
    for (const DeepEntry& entry : buckets_[bucket].entries) {
      if (holds(entry, key)) return entry.rest & DeepEntry::kMaxCount;
    }
    return 0;
  }

  /// Stores a count in the bucket, unless the count is zero or exceeds 40 bits. `key` and `bucket`
  /// are as in probe(). Overwrites the entry of the same key or a free entry, if there is one.
  /// Otherwise overwrites the entry with the smallest count, because its position takes the least
  /// time to count again.
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

  /// Returns the fraction of entries in use, 0 to 1. Examines evenly spaced buckets: at least
  /// `sample` buckets, or all if the table has fewer. Precondition: sample > 0.
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

  /// Returns all buckets, for tests that damage entries. Not thread-safe.
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

// The wide table. It has few entries, for counts at large remaining depths. These counts may need
// up to 128 bits.

/// The wide table stores counts at this remaining depth or more, because such counts may exceed the
/// 40 bits of the deep table.
inline constexpr int kWideDepth = 7;

/// Each bucket has one entry with the whole 128-bit key and a 128-bit count. A new entry replaces
/// the old one. Any thread may use the table. Each probe() or store() takes one stripe lock.
class WideTable {
 public:
  static constexpr std::uint64_t kEntryBytes = 32;

  /// Throws std::bad_alloc if memory is insufficient. Precondition: entries > 0.
  explicit WideTable(std::size_t entries)
      : entries_(static_cast<Entry*>(std::calloc(entries, sizeof(Entry)))),
        size_(entries),
        locks_(256) {
    MANYPLY_CHECK(entries > 0);
    if (entries_ == nullptr) throw std::bad_alloc();
  }

  /// Returns the count stored under `key`; 0 if there is none. The caller must XOR the constant of
  /// the depth into the key first.
  [[nodiscard]] NodeCount probe(const ZobristKey& key) {
    const auto at = static_cast<std::size_t>(bucket_index(key, size_));
    const StripeLocks::Guard guard(locks_, at);
    return entries_[at].key == key ? entries_[at].count : NodeCount{};
  }

  /// Stores a count. Does not store zero, because zero marks free entries.
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

  /// Memory from calloc(), so that the system zeroes each page at its first use. Zeroing all pages
  /// at once would take a third of a second, during which the job could not stop. TableMemory is
  /// not used: it queries the system at each allocation, which is too slow for wide tables, most of
  /// which have only one entry.
  std::unique_ptr<Entry[], Free> entries_;
  std::size_t size_;
  StripeLocks locks_;
};

// The window. It stores leaf counts at remaining depth 2. A new count replaces the oldest count of
// its line. Usually each worker has its own window of at most 16 MiB, which needs no locks. In two
// cases, several workers share a window: memory is scarce, or the number of workers exceeds both 16
// and the number of cores (parallel/jobs/job_tables.cpp). Striped locks guard a shared window.

/// One cache line with five entries. A new entry overwrites the oldest one.
///
///   tag       5 x 64 bits   key.high
///   tag_low   5 x 16 bits   the low bits of key.low
///   count     5 x 16 bits   0 = free
///   next      32 bits       the entry to overwrite next
///
/// Together, `tag` and `tag_low` have 80 bits of the key. The upper bits of key.low select the
/// line. Counts of zero and counts that exceed 16 bits are not stored.
struct alignas(64) WindowLine {
  static constexpr int kWays = 5;
  static constexpr int kTagBits = 80;
  static constexpr std::uint32_t kMaxCount = 0xFFFF;

  std::uint64_t tag[kWays];
  std::uint16_t tag_low[kWays];
  std::uint16_t count[kWays];
  std::uint32_t next;
};
static_assert(sizeof(WindowLine) == 64);

/// A window. Its thread safety depends on `Locks`. With NoLocks, only one worker may use the
/// window. With StripeLocks, any thread may use it.
template <typename Locks>
class WindowTableOf {
 public:
  static constexpr std::uint64_t kMinBytes = std::uint64_t{16} << 10;

  /// Takes over `memory`, which must be zero. Precondition: it has space for at least one line.
  explicit WindowTableOf(TableMemory memory, std::size_t stripes = DeepTable::kDefaultStripes)
      : memory_(std::move(memory)),
        lines_(static_cast<WindowLine*>(memory_.data())),
        line_count_(memory_.bytes() / sizeof(WindowLine)),
        locks_(stripes) {
    MANYPLY_CHECK(line_count_ > 0);
  }

  [[nodiscard]] std::uint64_t line_of(const ZobristKey& key) const {
    return bucket_index(key, line_count_);
  }
  /// Prefetches a line and the lock of its stripe.
  void prefetch(std::uint64_t line) const {
    __builtin_prefetch(&lines_[line]);
    locks_.prefetch(line);
  }

  /// Returns the count stored under `key`; 0 if the table has no such count, or if another worker
  /// holds the stripe for too long (StripeLocks::Attempt). `key` is the position's key without the
  /// constant of a depth, because all counts in a window have the same remaining depth.
  /// Precondition: `line` is line_of(key).
  ///
  /// `match(tags, tag)` must return a number with one bit for each of `tags`. Bit i must be set if
  /// and only if tags[i] equals `tag`. `match` is a parameter because each instruction set has its
  /// own version.
  template <typename Match>
  [[nodiscard]] std::uint32_t probe(const ZobristKey& key, std::uint64_t line, const Match& match) {
    const typename Locks::Attempt attempt(locks_, line);
    if (!attempt.held()) return 0;
    const WindowLine& entries = lines_[line];
    const auto low = static_cast<std::uint16_t>(key.low);
    unsigned equal = match(entries.tag, key.high);
    if ((equal & (equal - 1)) != 0) [[unlikely]] {
      for (unsigned i = 0; i < WindowLine::kWays; ++i)
        equal &= ~(entries.tag_low[i] != low ? 1U << i : 0U);
    }
    // Avoid a branch here, because the processor cannot predict which probes find a count.
    constexpr unsigned kLast = WindowLine::kWays - 1;
    const auto i = static_cast<std::size_t>(__builtin_ctz(equal | 1U << kLast));
    const unsigned found = (equal >> i) & static_cast<unsigned>(entries.tag_low[i] == low);
    return entries.count[i] & (0U - (found & 1));
  }

  /// Stores `count`, unless it is zero or too large, or another worker holds the stripe for too
  /// long.
  StoreOutcome store(const ZobristKey& key, std::uint64_t line, std::uint32_t count) {
    if (count == 0 || count > WindowLine::kMaxCount) return StoreOutcome::kDropped;
    const typename Locks::Attempt attempt(locks_, line);
    if (!attempt.held()) return StoreOutcome::kDropped;
    WindowLine& entries = lines_[line];
    const std::uint32_t i = entries.next;
    entries.next = i + 1 == WindowLine::kWays ? 0 : i + 1;
    const bool was_free = entries.count[i] == 0;
    entries.tag[i] = key.high;
    entries.tag_low[i] = static_cast<std::uint16_t>(key.low);
    entries.count[i] = static_cast<std::uint16_t>(count);
    return was_free ? StoreOutcome::kFilled : StoreOutcome::kReplaced;
  }

  [[nodiscard]] std::uint64_t lines() const { return line_count_; }
  [[nodiscard]] std::uint64_t bytes() const { return line_count_ * sizeof(WindowLine); }
  [[nodiscard]] const TableMemory& memory() const { return memory_; }

  /// Returns all lines, for tests that damage entries. Not thread-safe.
  [[nodiscard]] std::span<WindowLine> lines_for_testing() {
    return {lines_, static_cast<std::size_t>(line_count_)};
  }

 private:
  TableMemory memory_;
  WindowLine* lines_;
  std::uint64_t line_count_;
  Locks locks_;
};

using PrivateWindow = WindowTableOf<NoLocks>;
using SharedWindow = WindowTableOf<StripeLocks>;

}  // namespace manyply
