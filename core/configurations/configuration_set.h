// Gives one number to each distinct configuration. Comparisons include all fields, so hash
// collisions are harmless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>

#include "core/base/check.h"
#include "core/configurations/configuration.h"
#include "core/configurations/large_array.h"

namespace manyply {

/// A set of configurations, numbered from 0 in the order of insertion. Only one thread at a time
/// may insert (see ManyInsertions for several threads). Any number of threads may read while no
/// thread inserts.
class ConfigurationSet {
 public:
  /// `memory` must outlive the set.
  explicit ConfigurationSet(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : memory_(memory), items_(memory) {}

  /// Returns the number of `configuration`. Inserts it first if it is new.
  std::uint32_t insert(const Configuration& configuration);

  /// Prefetches the slot that insert(configuration) will read first.
  void prefetch(const Configuration& configuration) const;
  /// Prefetches the element with which insert(configuration) will first compare `configuration`.
  /// Call this function some time after prefetch(), so that the slot is in the cache.
  void prefetch_known(const Configuration& configuration) const;

  /// Returns the number of `configuration`; nullopt if it is not in the set.
  [[nodiscard]] std::optional<std::uint32_t> find(const Configuration& configuration) const;

  /// Prepares the hash table for `size` configurations.
  void reserve(std::size_t size);
  /// Frees the hash table. Afterwards, the caller must not insert or find configurations.
  void free_slots() { slots_ = {}; }
  /// Frees memory of configurations with numbers below `end`. Afterwards, the caller must not use
  /// configurations with these numbers.
  void free_before(std::size_t end) { items_.free_before(end); }

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] const Configuration& operator[](std::size_t number) const { return items_[number]; }

  /// Returns the approximate memory in use, in bytes.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  friend class ManyInsertions;

  void allocate_slots(std::size_t slots);  // uninitialised
  void rehash(std::size_t slots);

  std::pmr::memory_resource* memory_;
  BlockArray<Configuration> items_;
  // A hash table with open addressing. A used slot has 1 + the number of a configuration. A free
  // slot has 0. The size is a power of two.
  LargeArray<std::uint32_t> slots_;
};

/// Inserts many configurations with several threads. The result is the same as if one thread had
/// inserted the items in order. Call the functions in this order: clear(), place_known(), place(),
/// count_new(), make_room(), give_numbers(), read_numbers(). Call each function only after all
/// calls of the previous function have returned. No other code may use the set during this time.
class ManyInsertions {
 public:
  /// `items` must not move or change until read_numbers() has returned. There must be fewer than
  /// 2^31 items. Enlarges the hash table if it is too small for the larger of two numbers:
  /// `expected`, or the size of the set plus the number of items.
  ManyInsertions(ConfigurationSet& set, std::span<const Configuration> items,
                 std::size_t expected = 0);

  // These functions fill a larger hash table if the constructor has made one. clear() clears slots
  // of the new table, and place_known() places configurations that the set already has. Any thread
  // may call them. The ranges of all clear() calls together must contain each of the
  // slots_to_clear() slots once. The ranges of all place_known() calls together must contain each
  // of the known() configurations once.
  [[nodiscard]] std::size_t slots_to_clear() const { return grows_ ? set_.slots_.size() : 0; }
  void clear(std::size_t begin, std::size_t end);
  [[nodiscard]] std::size_t known() const { return grows_ ? set_.size() : 0; }
  void place_known(std::size_t begin, std::size_t end);

  // The following functions process ranges of the items. Any thread may call them. For each
  // function, the ranges of all its calls must together contain each item once.

  /// Finds the slot of each item.
  void place(std::size_t begin, std::size_t end);
  /// Returns the number of new configurations in the range. For equal items, only the first item is
  /// counted.
  [[nodiscard]] std::size_t count_new(std::size_t begin, std::size_t end) const;
  /// Gives numbers to the new configurations of the range, starting with `first`. `first` must be
  /// the size of the set before make_room(), plus the results of count_new() for all earlier
  /// ranges. Precondition: make_room() was called.
  void give_numbers(std::size_t begin, std::size_t end, std::size_t first);
  /// Writes each item's number to the same index of `numbers`.
  void read_numbers(std::size_t begin, std::size_t end, std::uint32_t* numbers) const;

  /// Allocates memory for all new configurations. `new_items` is the sum of all results of
  /// count_new(). Call make_room() once, between count_new() and give_numbers().
  void make_room(std::size_t new_items) {
    MANYPLY_CHECK(set_.size() + new_items < kNoNumberYet);
    set_.items_.grow(new_items);
  }

 private:
  // This bit is set in a slot that has no number yet. The lower bits of such a slot are the index
  // of an item: the first of several equal items.
  static constexpr std::uint32_t kNoNumberYet = std::uint32_t{1} << 31;

  /// `slot` is the value of a used slot. Returns the configuration to which this value refers.
  [[nodiscard]] const Configuration& held_by(std::uint32_t slot) const;
  void prefetch_held(std::size_t item);
  void prefetch_slot_after(std::size_t item, std::size_t end) const;
  [[nodiscard]] bool comes_first(std::size_t item) const;
  std::size_t find_slot(std::uint32_t item);

  ConfigurationSet& set_;
  const std::span<const Configuration> items_;
  bool grows_ = false;
  LargeArray<std::uint32_t> slot_of_;  // indexed by item
};

}  // namespace manyply
