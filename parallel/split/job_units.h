// The units of a count, accessed by number. Hides how they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/base/node_count.h"
#include "core/board.h"
#include "parallel/jobs/job_tables.h"
#include "parallel/split/packed_split.h"
#include "parallel/split/root_splitter.h"
#include "parallel/units/unit_counts.h"
#include "parallel/units/unit_source.h"

namespace manyply {

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
