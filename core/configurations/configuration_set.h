// Configurations by number: each distinct one once, compared whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "core/configurations/configuration.h"
#include "core/configurations/large_array.h"

namespace manyply {

/// Numbers from 0 on, in the order of insertion. Insertion is for one thread; reading for any while
/// nobody inserts.
class ConfigurationSet {
 public:
  /// `memory` outlives the set.
  explicit ConfigurationSet(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : items_(memory), slots_(memory) {}

  /// The number of `configuration`, which is new if it was not there.
  std::uint32_t insert(const Configuration& configuration);

  /// Fetches what insert(configuration) will look at first: for callers who know what comes.
  void prefetch(const Configuration& configuration) const;
  /// Once that is there, what it will compare with.
  void prefetch_known(const Configuration& configuration) const;

  /// The number of `configuration`, if it is there.
  [[nodiscard]] std::optional<std::uint32_t> find(const Configuration& configuration) const;

  /// Makes room for so many.
  void reserve(std::size_t size);
  /// Is told that there will be no more than about so many, so that they need not move.
  void expect(std::size_t size) { items_.reserve(size); }

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] const Configuration& operator[](std::size_t number) const { return items_[number]; }

  /// Bytes in use, about.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  friend class ManyInsertions;

  void rehash(std::size_t slots);

  GrowingArray<Configuration> items_;
  std::pmr::vector<std::uint32_t> slots_;  // number + 1, or 0; open addressing, a power of two
};

/// Insertions by several threads, after which all is as if one thread had inserted one item after
/// the other. Steps come in order, each when all calls of the one before have returned. Nobody may
/// use the set meanwhile.
class ManyInsertions {
 public:
  /// `items`, fewer than 2^31, stay where they are.
  ManyInsertions(ConfigurationSet& set, std::span<const Configuration> items);

  // Of a range of the items. Any thread, each item once in each step.
  void place(std::size_t begin, std::size_t end);
  /// How many are new, each where it comes first.
  [[nodiscard]] std::size_t count_new(std::size_t begin, std::size_t end) const;
  /// Gives these numbers from `first` on; make_room() has been called.
  void give_numbers(std::size_t begin, std::size_t end, std::size_t first);
  /// Writes each item's number to the same place of `numbers`.
  void read_numbers(std::size_t begin, std::size_t end, std::uint32_t* numbers) const;

  /// One thread, between count_new() and give_numbers(): so many are new altogether.
  void make_room(std::size_t new_items) { set_.items_.grow(new_items); }

 private:
  // In place of a number, while there is none: the first item that stands for it.
  static constexpr std::uint32_t kNoNumberYet = std::uint32_t{1} << 31;

  [[nodiscard]] bool comes_first(std::size_t item) const;
  std::size_t find_slot(std::uint32_t item);

  ConfigurationSet& set_;
  const std::span<const Configuration> items_;
  std::vector<std::uint32_t> slot_of_;  // by item
};

}  // namespace manyply
