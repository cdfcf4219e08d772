// The window: leaf counts at remaining depth 2, of which the newest are kept. Each worker has one,
// sized for its cache and without locks. If workers outnumber cores or memory is small, several
// workers share one with striped locks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/base/memory.h"
#include "hash/deep_table.h"
#include "hash/stripe_locks.h"
#include "hash/zobrist.h"

namespace manyply {

/// One cache line of five entries; the oldest is overwritten.
///
///   tag       5 x 64 bits   key.high
///   tag_low   5 x 16 bits   the low bits of key.low
///   count     5 x 16 bits   0 = free
///   next      32 bits       the entry to overwrite next
///
/// The tag has 80 bits; the index comes from the upper bits of key.low. Counts of zero and counts
/// above 16 bits are not stored.
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

/// Thread safety depends on `Locks`: with NoLocks one worker only, with StripeLocks any thread.
template <typename Locks>
class WindowTableOf {
 public:
  static constexpr std::uint64_t kMinBytes = std::uint64_t{16} << 10;

  /// Takes over `memory`, which must be zero. Precondition: room for at least one line.
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
  /// Prefetches a line and its lock.
  void prefetch(std::uint64_t line) const {
    __builtin_prefetch(&lines_[line]);
    locks_.prefetch(line);
  }

  /// Returns the count stored under `key`; 0 if none, or if another worker holds the stripe.
  /// `match(tags, tag)` returns one bit per tag that is equal; it is a parameter because
  /// instruction sets do this differently.
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
    // Hits are unpredictable, so avoid a branch.
    constexpr unsigned kLast = WindowLine::kWays - 1;
    const auto i = static_cast<std::size_t>(__builtin_ctz(equal | 1U << kLast));
    const unsigned found = (equal >> i) & static_cast<unsigned>(entries.tag_low[i] == low);
    return entries.count[i] & (0U - (found & 1));
  }

  /// Stores `count`, unless it is zero, too large, or another worker holds the stripe.
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

  /// Direct access for tests that damage entries. Not thread-safe.
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
