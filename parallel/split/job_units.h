// The units of a count by their numbers, however they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/board.h"
#include "core/node_count.h"
#include "parallel/jobs/job_tables.h"
#include "parallel/split/packed_split.h"
#include "parallel/split/root_splitter.h"
#include "parallel/units/unit_counts.h"
#include "parallel/units/unit_source.h"

namespace manyply {

/// A window works inside units of so many plies. Making units of fewer costs more than they save
/// where few ranges are cut (README.md, "Ranges").
inline constexpr int kGoodUnitDepth = 5;

/// Distinct positions of one ply, numbered in groups, with the paths to each: what RangeJob counts.
/// The root's count is the sum over its units of paths × the unit's count.
class JobUnits {
 public:
  /// Numbered by their places in `order`, which has each of them once.
  JobUnits(RootSplit split, UnitOrder order);
  /// Numbered as they stand in `split`. What leads to them from which root move is not known.
  explicit JobUnits(PackedSplit split);

  [[nodiscard]] int ply() const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] SplitShape shape() const;
  [[nodiscard]] std::uint64_t generated() const;  ///< positions made on the way, before merging

  /// Groups of neighbours, ascending from unit 0 on; none if there is no unit.
  [[nodiscard]] std::size_t groups() const;
  [[nodiscard]] std::size_t group_begin(std::size_t group) const;
  /// The group that has `unit`. Logarithmic.
  [[nodiscard]] std::size_t group_of(std::size_t unit) const;

  // Of packed units as logarithmic as group_of().
  [[nodiscard]] Board board(std::size_t unit) const;
  [[nodiscard]] NodeCount paths_to(std::size_t unit) const;

  /// Empty if units do not know from which one they come.
  [[nodiscard]] std::span<const Move> root_moves() const;
  /// One for each root move, or the total alone.
  [[nodiscard]] std::size_t sums() const;
  /// Adds what a unit with this count is of each sum. Throws CountOverflow. Precondition:
  /// sums.size() == this->sums().
  void add_paths(std::size_t unit, NodeCount count, std::span<NodeCount> sums) const;

  /// Appends words that are equal if and only if the unit and its paths are, for an identity.
  void append_identity(std::size_t unit, std::vector<std::uint64_t>& words) const;

  /// Appends these units and their groups to `order`; a group that the span cuts is a group.
  void append_to(UnitOrder& order, const UnitSpan& units) const;
  [[nodiscard]] std::size_t groups_in(const UnitSpan& units) const;

  /// What it was made of, whose own numbers may be others; null if that was something else.
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
