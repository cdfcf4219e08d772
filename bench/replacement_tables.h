// Tables with rejected replacement rules, for the comparison in hash/README.md, "Tables". Only one
// thread may use a table. The tables have the interfaces of DeepTable and WindowTableOf.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hash/count_tables.h"

namespace manyply {

/// Decides which entry of a full bucket is replaced.
enum class Victim { kSmallestCount, kOldest, kRandom };

/// Pseudo-random numbers that choose random victims. They are the same in every run.
class VictimDice {
 public:
  /// Returns a number from 0 to sides - 1.
  std::size_t roll(std::size_t sides) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % sides;
  }

 private:
  std::uint64_t state_ = 1;
};

/// A deep table. kVictim decides which entry it replaces: kOldest or kRandom. DeepTable replaces
/// the smallest count.
template <Victim kVictim>
class DeepTableReplacing {
 public:
  explicit DeepTableReplacing(const TableMemory& memory, std::size_t /*stripes*/ = 0)
      : buckets_(memory.bytes() / sizeof(DeepBucket)) {}

  [[nodiscard]] std::uint64_t bucket_of(const ZobristKey& key) const {
    return bucket_index(key, buckets_.size());
  }
  void prefetch(std::uint64_t bucket) const { __builtin_prefetch(&buckets_[bucket]); }

  [[nodiscard]] std::uint64_t probe(const ZobristKey& key, std::uint64_t bucket) const {
    for (const DeepEntry& entry : buckets_[bucket].entries) {
      if (entry.tag == key.high && (entry.rest & ~DeepEntry::kMaxCount) == DeepEntry::low_tag(key))
        return entry.count();
    }
    return 0;
  }

  StoreOutcome store(const ZobristKey& key, std::uint64_t bucket, std::uint64_t count) {
    if (count == 0 || count > DeepEntry::kMaxCount) return StoreOutcome::kDropped;
    auto& entries = buckets_[bucket].entries;
    DeepEntry* victim = std::ranges::min_element(entries, {}, &DeepEntry::count);
    const bool is_free = victim->count() == 0;
    if (kVictim == Victim::kOldest) {  // entries are sorted, the newest first
      std::shift_right(std::begin(entries), std::end(entries), 1);
      victim = entries;
    } else if (kVictim == Victim::kRandom && !is_free) {
      victim = &entries[dice_.roll(kDeepWays)];
    }
    *victim = {key.high, DeepEntry::low_tag(key) | count};
    return is_free ? StoreOutcome::kFilled : StoreOutcome::kReplaced;
  }

 private:
  std::vector<DeepBucket> buckets_;
  VictimDice dice_;
};

/// A window. kVictim decides which entry it replaces: kSmallestCount or kRandom. WindowTableOf
/// replaces the oldest entry.
template <Victim kVictim>
class WindowReplacing {
 public:
  explicit WindowReplacing(const TableMemory& memory, std::size_t /*stripes*/ = 0)
      : lines_(memory.bytes() / sizeof(WindowLine)) {}

  [[nodiscard]] std::uint64_t line_of(const ZobristKey& key) const {
    return bucket_index(key, lines_.size());
  }
  void prefetch(std::uint64_t line) const { __builtin_prefetch(&lines_[line]); }

  template <typename Match>
  [[nodiscard]] std::uint32_t probe(const ZobristKey& key, std::uint64_t line, const Match& match) {
    const WindowLine& entries = lines_[line];
    for (unsigned equal = match(entries.tag, key.high); equal != 0; equal &= equal - 1) {
      const auto i = static_cast<std::size_t>(__builtin_ctz(equal));
      if (entries.tag_low[i] == static_cast<std::uint16_t>(key.low)) return entries.count[i];
    }
    return 0;
  }

  StoreOutcome store(const ZobristKey& key, std::uint64_t line, std::uint32_t count) {
    if (count == 0 || count > WindowLine::kMaxCount) return StoreOutcome::kDropped;
    WindowLine& entries = lines_[line];
    std::size_t i = static_cast<std::size_t>(std::ranges::min_element(entries.count) -
                                             std::begin(entries.count));
    const bool is_free = entries.count[i] == 0;
    if (kVictim == Victim::kRandom && !is_free) i = dice_.roll(WindowLine::kWays);
    entries.tag[i] = key.high;
    entries.tag_low[i] = static_cast<std::uint16_t>(key.low);
    entries.count[i] = static_cast<std::uint16_t>(count);
    return is_free ? StoreOutcome::kFilled : StoreOutcome::kReplaced;
  }

 private:
  std::vector<WindowLine> lines_;
  VictimDice dice_;
};

}  // namespace manyply
