// Splits a count into very many units: the distinct positions of one ply, 40 bytes each, with the
// number of paths that lead to each, but not from which root move they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/kernel.h"
#include "core/position.h"
#include "hash/memory.h"
#include "hash/packed_board.h"

namespace manyply {

/// The distinct positions some plies below a root, each once, in groups of those in which the same
/// pieces wait: what a window likes (README.md, "Splitting and order"). For totals: a divide needs
/// RootSplit. Positions, order and groups depend on nothing but the root and the ply. Immutable;
/// any thread.
class PackedSplit {
 public:
  [[nodiscard]] int ply() const { return ply_; }
  [[nodiscard]] Color side_to_move() const { return side_to_move_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  /// The number of its first unit; they are numbered through, from 0.
  [[nodiscard]] std::uint64_t group_begin(std::size_t group) const { return groups_[group].first; }
  [[nodiscard]] std::uint64_t group_end(std::size_t group) const {
    return group + 1 < groups() ? groups_[group + 1].first : size_;
  }
  /// Its units: group_begin(group) and those that follow.
  [[nodiscard]] std::span<const ReachedPosition> units_of(std::size_t group) const {
    return {positions() + groups_[group].place,
            static_cast<std::size_t>(group_end(group) - group_begin(group))};
  }
  /// The group that has `unit`. Logarithmic.
  [[nodiscard]] std::size_t group_of(std::uint64_t unit) const;
  [[nodiscard]] const ReachedPosition& unit(std::uint64_t unit) const {
    const std::size_t group = group_of(unit);
    return units_of(group)[static_cast<std::size_t>(unit - group_begin(group))];
  }

  [[nodiscard]] std::uint64_t generated() const { return generated_; }  ///< before merging

 private:
  friend class PackedSplitter;
  struct Group {
    std::uint64_t first;  // unit
    std::uint64_t place;  // in memory_
  };
  [[nodiscard]] const ReachedPosition* positions() const {
    return static_cast<const ReachedPosition*>(memory_.data());
  }

  int ply_ = 0;
  Color side_to_move_ = Color::kWhite;
  TableMemory memory_;
  std::uint64_t size_ = 0;
  std::vector<Group> groups_;
  std::uint64_t generated_ = 0;
};

/// Splits at exactly `ply` >= 0; there is no unit where no game goes on so long. Errors:
/// kUnavailable when more than `most_units` positions, or more memory than there is, would be
/// needed, kCancelled after `stop`, kOverflow when 64 bits do not hold the paths to one position.
/// Any thread; hold no lock. Memory: 40 bytes a unit, and 1.3 GB where there are many.
Result<PackedSplit> split_packed(const Position& root, int ply, const Kernel& kernel,
                                 std::uint64_t most_units, const std::stop_token& stop);

}  // namespace manyply
