// Deep tables under other locks than the shipped one: figures in bench/results/*/notes.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "hash/deep_table.h"

namespace manyply {

/// Words that are accessed without a lock. Relaxed: an access publishes nothing beyond its word.
inline std::uint64_t load_relaxed(const std::uint64_t& word) {
  return std::atomic_ref(const_cast<std::uint64_t&>(word)).load(std::memory_order_relaxed);
}
inline void save_relaxed(std::uint64_t& word, std::uint64_t value) {
  std::atomic_ref(word).store(value, std::memory_order_relaxed);
}

/// A sequence number, odd while a writer is inside. A reader that meets a writer misses; a writer
/// that meets another drops its store. Nobody waits.
class SequenceWord {
 public:
  template <typename Body>
  bool read(const Body& body) const {
    const std::uint32_t before = sequence_.load(std::memory_order_acquire);
    if ((before & 1) != 0) return false;
    body();
    std::atomic_thread_fence(std::memory_order_acquire);  // no load of the body sinks below
    return sequence_.load(std::memory_order_relaxed) == before;
  }
  template <typename Body>
  bool write(const Body& body) {
    std::uint32_t before = sequence_.load(std::memory_order_relaxed);
    if ((before & 1) != 0 ||
        !sequence_.compare_exchange_strong(before, before + 1, std::memory_order_acquire)) {
      return false;
    }
    std::atomic_thread_fence(std::memory_order_release);  // no store of the body rises above
    body();
    sequence_.store(before + 2, std::memory_order_release);
    return true;
  }

 private:
  std::atomic<std::uint32_t> sequence_{0};
};

/// Optimistic striped reads: a sequence word a stripe, each on its own cache line.
class SequencePolicy {
 public:
  explicit SequencePolicy(std::size_t stripes)
      : stripes_(new Stripe[stripes]), mask_(stripes - 1) {}

  template <typename Body>
  bool read(std::uint64_t bucket, const Body& body) const {
    return stripes_[bucket & mask_].word.read(body);
  }
  template <typename Body>
  bool write(std::uint64_t bucket, const Body& body) {
    return stripes_[bucket & mask_].word.write(body);
  }
  void prefetch(std::uint64_t bucket) const { __builtin_prefetch(&stripes_[bucket & mask_]); }
  [[nodiscard]] std::size_t stripes() const { return mask_ + 1; }

  static std::uint64_t load(const std::uint64_t& word) { return load_relaxed(word); }
  static void save(std::uint64_t& word, std::uint64_t value) { save_relaxed(word, value); }
  static constexpr std::uint64_t encode(std::uint64_t tag, std::uint64_t) { return tag; }

 private:
  struct alignas(64) Stripe {
    SequenceWord word;
  };
  std::unique_ptr<Stripe[]> stripes_;
  std::size_t mask_;
};

/// No lock: the tag is stored XORed with the rest, so that halves of two different stores do not
/// match (R. Hyatt and T. Mann, "A lock-less transposition table implementation", 2002).
class LockFreePolicy {
 public:
  explicit LockFreePolicy(std::size_t) {}

  template <typename Body>
  bool read(std::uint64_t, const Body& body) const {
    body();
    return true;
  }
  template <typename Body>
  bool write(std::uint64_t, const Body& body) {
    body();
    return true;
  }
  void prefetch(std::uint64_t) const {}
  [[nodiscard]] std::size_t stripes() const { return 0; }

  static std::uint64_t load(const std::uint64_t& word) { return load_relaxed(word); }
  static void save(std::uint64_t& word, std::uint64_t value) { save_relaxed(word, value); }
  static constexpr std::uint64_t encode(std::uint64_t tag, std::uint64_t rest) {
    return tag ^ rest;
  }
};

/// The lock word inside the bucket: it comes with the line that is fetched anyway. Room for it is
/// taken from the tags, so this table compares 80 tag bits where the shipped one compares 88:
///
///   tag          4 x 64 bits   key.high
///   count        4 x 32 bits   low bits of the count
///   low_tag      4 x 16 bits   low bits of key.low
///   high_count   4 x  8 bits   bits 32 to 39 of the count
///   word             32 bits   sequence
///
/// The interface is DeepTableOf's.
class InBucketTable {
 public:
  explicit InBucketTable(TableMemory memory, std::size_t /*stripes*/ = 0)
      : memory_(std::move(memory)),
        buckets_(static_cast<Bucket*>(memory_.data())),
        bucket_count_(memory_.bytes() / sizeof(Bucket)) {}

  [[nodiscard]] std::uint64_t bucket_of(const ZobristKey& key) const {
    return bucket_index(key, bucket_count_);
  }
  void prefetch(std::uint64_t bucket) const { __builtin_prefetch(&buckets_[bucket]); }

  [[nodiscard]] std::uint64_t probe(const ZobristKey& key, std::uint64_t bucket) const {
    const Bucket& entries = buckets_[bucket];
    std::uint64_t found = 0;
    const bool valid = entries.word.read([&] {
      for (int i = 0; i < kDeepWays; ++i) {
        if (entries.holds(i, key)) found = entries.count_of(i);
      }
    });
    return valid ? found : 0;
  }

  StoreOutcome store(const ZobristKey& key, std::uint64_t bucket, std::uint64_t count) {
    if (count == 0 || count > DeepEntry::kMaxCount) return StoreOutcome::kDropped;
    Bucket& entries = buckets_[bucket];
    StoreOutcome outcome = StoreOutcome::kDropped;
    entries.word.write([&] {
      int victim = 0;
      std::uint64_t least = DeepEntry::kMaxCount + 1;
      for (int i = 0; i < kDeepWays; ++i) {
        const std::uint64_t held = entries.holds(i, key) ? 0 : entries.count_of(i);
        if (held < least) {
          least = held;
          victim = i;
        }
      }
      entries.set(victim, key, count);
      outcome = least == 0 ? StoreOutcome::kFilled : StoreOutcome::kReplaced;
    });
    return outcome;
  }

  [[nodiscard]] const TableMemory& memory() const { return memory_; }

 private:
  template <typename T>
  struct Word {
    T value;
    T get() const { return std::atomic_ref(const_cast<T&>(value)).load(std::memory_order_relaxed); }
    void set(T v) { std::atomic_ref(value).store(v, std::memory_order_relaxed); }
  };

  struct alignas(64) Bucket {
    Word<std::uint64_t> tag[kDeepWays];
    Word<std::uint32_t> count[kDeepWays];
    Word<std::uint16_t> low_tag[kDeepWays];
    Word<std::uint8_t> high_count[kDeepWays];
    SequenceWord word;

    [[nodiscard]] bool holds(int i, const ZobristKey& key) const {
      return tag[i].get() == key.high && low_tag[i].get() == static_cast<std::uint16_t>(key.low);
    }
    [[nodiscard]] std::uint64_t count_of(int i) const {
      return std::uint64_t{high_count[i].get()} << 32 | count[i].get();
    }
    void set(int i, const ZobristKey& key, std::uint64_t leaves) {
      tag[i].set(key.high);
      low_tag[i].set(static_cast<std::uint16_t>(key.low));
      count[i].set(static_cast<std::uint32_t>(leaves));
      high_count[i].set(static_cast<std::uint8_t>(leaves >> 32));
    }
  };
  static_assert(sizeof(Bucket) == 64);

  TableMemory memory_;
  Bucket* buckets_;
  std::uint64_t bucket_count_;
};

}  // namespace manyply
