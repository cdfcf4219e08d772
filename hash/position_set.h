// A set of positions, each with the number of paths that lead to it. Whole boards are compared:
// nothing is left to chance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hash/memory.h"
#include "hash/packed_board.h"
#include "hash/stripe_locks.h"

namespace manyply {

/// Open addressing in fixed memory, in shards of one size with a lock each. A position's place is a
/// hash of its board, the same each time. insert() by any thread; the rest by one thread at a time
/// for each shard, while nobody inserts.
class PositionSet {
 public:
  enum class Inserted { kYes, kFull, kOverflow };

  /// Of a shard. There a new position is some 50 steps from its place, at 0.75 eight.
  static constexpr double kMaxLoad = 0.9;
  /// Of them all, to plan for: shards differ by chance, the smallest by 1 % (one deviation).
  static constexpr double kPlannedLoad = 0.75;
  static constexpr std::uint64_t kMinBytes = std::uint64_t{1} << 16;

  /// `memory` is zero, kMinBytes or more.
  explicit PositionSet(TableMemory memory)
      : memory_(std::move(memory)),
        slots_(static_cast<ReachedPosition*>(memory_.data())),
        shard_bits_(bits_for(memory_.bytes() / sizeof(ReachedPosition))),
        shard_slots_((memory_.bytes() / sizeof(ReachedPosition)) >> shard_bits_),
        most_in_shard_(static_cast<std::uint64_t>(static_cast<double>(shard_slots_) * kMaxLoad)),
        sizes_(shards()),
        locks_(shards()) {}

  [[nodiscard]] std::size_t shards() const { return std::size_t{1} << shard_bits_; }
  [[nodiscard]] std::uint64_t slots() const { return shard_slots_ << shard_bits_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_.bytes(); }

  /// Asks for the memory that insert() will look at first.
  void prefetch(std::uint64_t place) const {
    const ReachedPosition* const slot = &slots_[slot_of(place)];
    __builtin_prefetch(slot, 1);
    __builtin_prefetch(slot + 1, 1);
    __builtin_prefetch(slot + 3, 1);
  }

  /// Adds `paths` > 0 to those of `board`. kFull if it is new and its shard has no room for it,
  /// kOverflow if 64 bits do not hold its paths.
  [[nodiscard]] Inserted insert(std::uint64_t place, const PackedBoard& board,
                                std::uint64_t paths) {
    const std::size_t shard = shard_of(place);
    ReachedPosition* const first = slots_ + shard * shard_slots_;
    ReachedPosition* slot = slots_ + slot_of(place);
    const StripeLocks::Guard guard(locks_, shard);
    while (slot->paths != 0) {
      if (slot->board == board) {
        const bool overflow = __builtin_add_overflow(slot->paths, paths, &slot->paths);
        return overflow ? Inserted::kOverflow : Inserted::kYes;
      }
      if (++slot == first + shard_slots_) slot = first;
    }
    if (sizes_[shard] == most_in_shard_) return Inserted::kFull;
    ++sizes_[shard];
    *slot = {board, paths};
    return Inserted::kYes;
  }

  [[nodiscard]] std::uint64_t size_of(std::size_t shard) const { return sizes_[shard]; }

  /// The positions of a shard, moved to its beginning, in the order of their slots. Until clear(),
  /// nothing can be inserted there.
  [[nodiscard]] std::span<ReachedPosition> gather(std::size_t shard) {
    ReachedPosition* const first = slots_ + shard * shard_slots_;
    return {first, std::remove_if(first, first + shard_slots_, is_free)};
  }

  void clear(std::size_t shard) {
    std::fill_n(slots_ + shard * shard_slots_, shard_slots_, ReachedPosition{});
    sizes_[shard] = 0;
  }

  /// Some `wanted` positions, or all if they are fewer, from all over the set.
  [[nodiscard]] std::vector<PackedBoard> sample(std::uint64_t wanted) const {
    std::vector<PackedBoard> boards;
    const std::uint64_t step = std::max<std::uint64_t>(1, slots() / wanted);
    for (std::uint64_t at = 0; at < slots(); at += step) {
      if (!is_free(slots_[at])) boards.push_back(slots_[at].board);
    }
    return boards;
  }

 private:
  static bool is_free(const ReachedPosition& slot) { return slot.paths == 0; }

  /// As many shards as have 4096 slots, 4096 of them at most.
  static int bits_for(std::uint64_t slots) {
    int bits = 0;
    while (bits < 12 && (slots >> (bits + 1)) >= 4096) ++bits;
    return bits;
  }
  [[nodiscard]] std::size_t shard_of(std::uint64_t place) const {
    return shard_bits_ == 0 ? 0 : static_cast<std::size_t>(place >> (64 - shard_bits_));
  }
  [[nodiscard]] std::uint64_t slot_of(std::uint64_t place) const {  // in shard_of(place)
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(place) * slots()) >> 64);
  }

  TableMemory memory_;
  ReachedPosition* slots_;
  int shard_bits_;
  std::uint64_t shard_slots_;
  std::uint64_t most_in_shard_;
  std::vector<std::uint64_t> sizes_;  // by shard, under its lock
  StripeLocks locks_;
};

}  // namespace manyply
