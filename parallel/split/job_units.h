// The units of a count, accessed by number. Hides how they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <variant>
#include <vector>

#include "core/base/memory.h"
#include "core/base/node_count.h"
#include "core/board.h"
#include "core/kernel.h"
#include "core/position.h"
#include "hash/packed_board.h"
#include "parallel/jobs/job_tables.h"
#include "parallel/split/root_splitter.h"
#include "parallel/units/unit_source.h"

// Splits a count into a very large number of units: the distinct positions of one ply, in 40 bytes
// each, with the number of paths to each, but without their root moves.

namespace manyply {

/// The distinct positions some plies below a root. They form groups with the same pieces of the
/// side that is not to move, which share window entries (parallel/README.md, "Splitting and
/// order"). Sufficient for totals; a divide needs RootSplit. Positions, order and groups depend
/// only on the root and the ply. Immutable; any thread.
class PackedSplit {
 public:
  [[nodiscard]] int ply() const { return ply_; }
  [[nodiscard]] Color side_to_move() const { return side_to_move_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  /// Returns the number of the group's first unit. Units are numbered consecutively from 0.
  [[nodiscard]] std::uint64_t group_begin(std::size_t group) const { return groups_[group].first; }
  [[nodiscard]] std::uint64_t group_end(std::size_t group) const {
    return group + 1 < groups() ? groups_[group + 1].first : size_;
  }
  /// Returns the group's units, from number group_begin(group) on.
  [[nodiscard]] std::span<const ReachedPosition> units_of(std::size_t group) const {
    return {positions() + groups_[group].place,
            static_cast<std::size_t>(group_end(group) - group_begin(group))};
  }
  /// Returns the group that contains `unit`. Takes logarithmic time.
  [[nodiscard]] std::size_t group_of(std::uint64_t unit) const;
  [[nodiscard]] const ReachedPosition& unit(std::uint64_t unit) const {
    const std::size_t group = group_of(unit);
    return units_of(group)[static_cast<std::size_t>(unit - group_begin(group))];
  }

  [[nodiscard]] std::uint64_t generated() const {
    return generated_;
  }  ///< positions before merging

 private:
  friend class PackedSplitter;
  struct Group {
    std::uint64_t first;  // number of the first unit
    std::uint64_t place;  // its index in memory_
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

/// Splits at exactly `ply` >= 0. Has no units if every game ends earlier. Errors: kUnavailable if
/// more than `most_units` units or more memory than available would be needed; kCancelled after
/// `stop`; kOverflow if the paths to one unit exceed 64 bits. Uses 40 bytes per unit, and up to 1.3
/// GB while splitting. Any thread; hold no lock.
Result<PackedSplit> split_packed(const Position& root, int ply, const Kernel& kernel,
                                 std::uint64_t most_units, const std::stop_token& stop);

/// The largest depth in plies at which units of a campaign are counted well with a window. Smaller
/// units would take more time to make than they save if there are few ranges (parallel/README.md,
/// "Ranges").
inline constexpr int kGoodUnitDepth = 5;

/// The distinct positions of one ply in numbered groups, with the number of paths to each. RangeJob
/// counts them. The root's count is the sum of paths × count over all units. Immutable; any thread.
class JobUnits {
 public:
  /// Numbers the units by their places in `order`, which must contain each unit once.
  JobUnits(RootSplit split, UnitOrder order);
  /// Numbers the units as they are in `split`. Their root moves are then unknown.
  explicit JobUnits(PackedSplit split);

  [[nodiscard]] int ply() const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] SplitShape shape() const;
  [[nodiscard]] std::uint64_t generated()
      const;  ///< positions generated to make them, before merging

  /// Number of groups; each consists of consecutive units. 0 if there are no units.
  [[nodiscard]] std::size_t groups() const;
  [[nodiscard]] std::size_t group_begin(std::size_t group) const;
  /// Returns the group that contains `unit`. Takes logarithmic time.
  [[nodiscard]] std::size_t group_of(std::size_t unit) const;

  // For packed units, these take logarithmic time as group_of() does.
  [[nodiscard]] Board board(std::size_t unit) const;
  [[nodiscard]] NodeCount paths_to(std::size_t unit) const;

  /// Returns the root moves; empty if units do not know theirs.
  [[nodiscard]] std::span<const Move> root_moves() const;
  /// Returns the number of sums: one per root move, or 1 if root moves are unknown.
  [[nodiscard]] std::size_t sums() const;
  /// Adds count × paths of one unit to `sums`. Throws CountOverflow. Precondition: sums.size() ==
  /// this->sums().
  void add_paths(std::size_t unit, NodeCount count, std::span<NodeCount> sums) const;

  /// Appends words that identify the unit and its paths: they are equal if and only if these are.
  void append_identity(std::size_t unit, std::vector<std::uint64_t>& words) const;

  /// Appends these units and their groups to `order`. Groups that the span cuts are shortened.
  void append_to(UnitOrder& order, const UnitSpan& units) const;
  /// Returns the number of groups that append_to() would append.
  [[nodiscard]] std::size_t groups_in(const UnitSpan& units) const;

  /// Returns the split that the units come from; null if they are packed. Its own numbering
  /// differs.
  [[nodiscard]] const RootSplit* root_split() const;

 private:
  struct Ordered {
    RootSplit split;
    UnitOrder order;
  };
  [[nodiscard]] const PackedSplit* packed() const { return std::get_if<PackedSplit>(&units_); }
  [[nodiscard]] const Ordered* ordered() const { return std::get_if<Ordered>(&units_); }

  std::variant<Ordered, PackedSplit> units_;
};

}  // namespace manyply
