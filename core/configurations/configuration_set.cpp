#include "core/configurations/configuration_set.h"

#include <algorithm>
#include <atomic>
#include <bit>

namespace manyply {
namespace {

constexpr std::size_t kFewestSlots = 64;

/// Returns a hash that selects the slot of a configuration. Different configurations may have the
/// same hash, so the set compares whole configurations.
std::size_t hash_of(const Configuration& configuration) {
  const Pieces& pieces = configuration.pieces;
  // Odd constants without a pattern, one for each set. The processor can compute all products at
  // the same time.
  const std::uint64_t hash =
      pieces.pawns * 0x9E3779B97F4A7C15 + pieces.knights * 0xC2B2AE3D27D4EB4F +
      pieces.bishops_queens * 0x165667B19E3779F9 + pieces.rooks_queens * 0xD6E8FEB86659FD93 +
      pieces.king * 0xA0761D6478BD642F + configuration.castling * 0xE7037ED1A0B428DB;
  return static_cast<std::size_t>((hash ^ hash >> 32) * 0x8EBC6AF09C88C6E3 >> 20);
}

}  // namespace

std::uint32_t ConfigurationSet::insert(const Configuration& configuration) {
  if (slots_.size() * 2 < (items_.size() + 1) * 3)
    rehash(std::max(kFewestSlots, slots_.size() * 2));
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash_of(configuration) & mask;; at = (at + 1) & mask) {
    std::uint32_t& slot = slots_[at];
    if (slot == 0) {
      items_.push_back(configuration);
      slot = static_cast<std::uint32_t>(items_.size());
      return slot - 1;
    }
    if (items_[slot - 1] == configuration) return slot - 1;
  }
}

void ConfigurationSet::prefetch(const Configuration& configuration) const {
  if (slots_.size() != 0) __builtin_prefetch(&slots_[hash_of(configuration) & (slots_.size() - 1)]);
}

void ConfigurationSet::prefetch_known(const Configuration& configuration) const {
  if (slots_.size() == 0) return;
  const std::uint32_t slot = slots_[hash_of(configuration) & (slots_.size() - 1)];
  if (slot != 0 && slot <= items_.size()) __builtin_prefetch(&items_[slot - 1]);
}

std::optional<std::uint32_t> ConfigurationSet::find(const Configuration& configuration) const {
  if (slots_.size() == 0) return std::nullopt;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash_of(configuration) & mask; slots_[at] != 0; at = (at + 1) & mask) {
    if (items_[slots_[at] - 1] == configuration) return slots_[at] - 1;
  }
  return std::nullopt;
}

void ConfigurationSet::reserve(std::size_t size) {
  const std::size_t slots = std::bit_ceil(std::max(kFewestSlots, size * 3 / 2 + 1));
  if (slots > slots_.size()) rehash(slots);
}

void ConfigurationSet::allocate_slots(std::size_t slots) {
  slots_ = {};  // first free the old table, to save memory
  slots_ = LargeArray<std::uint32_t>(slots, memory_);
}

void ConfigurationSet::rehash(std::size_t slots) {
  allocate_slots(slots);
  std::fill_n(slots_.data(), slots, 0U);
  const std::size_t mask = slots - 1;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    std::size_t at = hash_of(items_[i]) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

ManyInsertions::ManyInsertions(ConfigurationSet& set, std::span<const Configuration> items,
                               std::size_t expected)
    : set_(set), items_(items), slot_of_(items.size(), set.memory_) {
  const std::size_t most = std::max(expected, set.size() + items.size());
  const std::size_t slots = std::bit_ceil(std::max(kFewestSlots, most * 3 / 2 + 1));
  if (slots <= set.slots_.size()) return;
  set.allocate_slots(slots);
  grows_ = true;
}

void ManyInsertions::clear(std::size_t begin, std::size_t end) {
  std::fill(&set_.slots_[begin], set_.slots_.data() + end, 0U);
}

/// If two configurations have the same hash, the thread that comes first takes the first free slot.
/// Either order is correct, because the configurations that the set already has are distinct.
void ManyInsertions::place_known(std::size_t begin, std::size_t end) {
  constexpr std::size_t kAhead = 8;
  const std::size_t mask = set_.slots_.size() - 1;
  for (std::size_t item = begin; item < end; ++item) {
    if (item + kAhead < end) set_.prefetch(set_.items_[item + kAhead]);
    for (std::size_t at = hash_of(set_.items_[item]) & mask;; at = (at + 1) & mask) {
      std::uint32_t held = 0;
      if (std::atomic_ref(set_.slots_[at])
              .compare_exchange_strong(held, static_cast<std::uint32_t>(item + 1),
                                       std::memory_order_relaxed))
        break;
    }
  }
}

void ManyInsertions::place(std::size_t begin, std::size_t end) {
  constexpr std::size_t kAhead = 16;
  for (std::size_t item = begin; item < end; ++item) {
    if (item + kAhead < end) set_.prefetch(items_[item + kAhead]);
    if (item + kAhead / 2 < end) prefetch_held(item + kAhead / 2);
    slot_of_[item] = static_cast<std::uint32_t>(find_slot(static_cast<std::uint32_t>(item)));
  }
}

const Configuration& ManyInsertions::held_by(std::uint32_t slot) const {
  return (slot & kNoNumberYet) != 0 ? items_[slot & ~kNoNumberYet] : set_.items_[slot - 1];
}

/// Prefetches a configuration: the first one that find_slot(item) will compare with the item.
void ManyInsertions::prefetch_held(std::size_t item) {
  const std::size_t at = hash_of(items_[item]) & (set_.slots_.size() - 1);
  const std::uint32_t held = std::atomic_ref(set_.slots_[at]).load(std::memory_order_relaxed);
  if (held != 0) __builtin_prefetch(&held_by(held));
}

/// Returns the slot of an item. The first thread that finds a free slot writes the index of its
/// item to the slot. Afterwards, only an equal item with a smaller index can replace this index. So
/// whichever thread comes first, the smallest index of equal items remains. Relaxed atomics are
/// enough, because all items were written before this step.
std::size_t ManyInsertions::find_slot(std::uint32_t item) {
  const std::size_t mask = set_.slots_.size() - 1;
  const std::uint32_t mine = kNoNumberYet | item;
  for (std::size_t at = hash_of(items_[item]) & mask;; at = (at + 1) & mask) {
    const std::atomic_ref<std::uint32_t> slot(set_.slots_[at]);
    // Load first, because most slots are used and an exchange costs more than a load.
    std::uint32_t held = slot.load(std::memory_order_relaxed);
    if (held == 0 && slot.compare_exchange_strong(held, mine, std::memory_order_relaxed)) return at;
    if (held_by(held) != items_[item]) continue;
    while ((held & kNoNumberYet) != 0 && held > mine &&
           !slot.compare_exchange_weak(held, mine, std::memory_order_relaxed)) {
    }
    return at;
  }
}

/// Prefetches the slot of the item with index item + kAhead, if this index is below `end`.
void ManyInsertions::prefetch_slot_after(std::size_t item, std::size_t end) const {
  constexpr std::size_t kAhead = 16;
  if (item + kAhead < end) __builtin_prefetch(&set_.slots_[slot_of_[item + kAhead]]);
}

bool ManyInsertions::comes_first(std::size_t item) const {
  // The slot may belong to an equal, earlier item. Then another thread may be writing the number of
  // the configuration to the slot. So read the slot atomically.
  const std::atomic_ref<std::uint32_t> slot(set_.slots_[slot_of_[item]]);
  return slot.load(std::memory_order_relaxed) == (kNoNumberYet | item);
}

std::size_t ManyInsertions::count_new(std::size_t begin, std::size_t end) const {
  std::size_t count = 0;
  for (std::size_t item = begin; item < end; ++item) {
    prefetch_slot_after(item, end);
    count += comes_first(item) ? 1 : 0;
  }
  return count;
}

void ManyInsertions::give_numbers(std::size_t begin, std::size_t end, std::size_t first) {
  for (std::size_t item = begin; item < end; ++item) {
    prefetch_slot_after(item, end);
    if (!comes_first(item)) continue;
    set_.items_[first++] = items_[item];
    std::atomic_ref<std::uint32_t>(set_.slots_[slot_of_[item]])
        .store(static_cast<std::uint32_t>(first), std::memory_order_relaxed);
  }
}

void ManyInsertions::read_numbers(std::size_t begin, std::size_t end,
                                  std::uint32_t* numbers) const {
  for (std::size_t item = begin; item < end; ++item) {
    prefetch_slot_after(item, end);
    numbers[item] = set_.slots_[slot_of_[item]] - 1;
  }
}

std::uint64_t ConfigurationSet::bytes() const {
  return items_.size() * sizeof(Configuration) + slots_.size() * sizeof(slots_[0]);
}

}  // namespace manyply
