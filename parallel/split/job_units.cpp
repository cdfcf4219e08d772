#include "parallel/split/job_units.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "hash/fingerprint.h"

namespace manyply {

JobUnits::JobUnits(RootSplit split, UnitOrder order)
    : units_(Ordered{std::move(split), std::move(order)}) {
  MANYPLY_CHECK(ordered()->order.units.size() == ordered()->split.size());
}

JobUnits::JobUnits(PackedSplit split) : units_(std::move(split)) {
  MANYPLY_CHECK(size() <= std::numeric_limits<std::uint32_t>::max());
}

int JobUnits::ply() const { return packed() != nullptr ? packed()->ply() : ordered()->split.ply; }

std::size_t JobUnits::size() const {
  return packed() != nullptr ? static_cast<std::size_t>(packed()->size()) : ordered()->split.size();
}

SplitShape JobUnits::shape() const {
  if (packed() == nullptr) return shape_of(ordered()->split);
  // Packed splits record no growth per ply. The mean over all plies comes close.
  const double mean = std::pow(static_cast<double>(size()), 1.0 / std::max(1, ply()));
  return {.units = size(), .ply = ply(), .growth = mean, .growth_above = mean};
}

std::uint64_t JobUnits::generated() const {
  return packed() != nullptr ? packed()->generated() : ordered()->split.generated;
}

std::size_t JobUnits::groups() const {
  return packed() != nullptr ? packed()->groups() : ordered()->order.groups();
}

std::size_t JobUnits::group_begin(std::size_t group) const {
  return packed() != nullptr ? static_cast<std::size_t>(packed()->group_begin(group))
                             : ordered()->order.group_begin[group];
}

std::size_t JobUnits::group_of(std::size_t unit) const {
  if (packed() != nullptr) return packed()->group_of(unit);
  const std::vector<std::size_t>& begins = ordered()->order.group_begin;
  return static_cast<std::size_t>(std::ranges::upper_bound(begins, unit) - begins.begin()) - 1;
}

Board JobUnits::board(std::size_t unit) const {
  if (packed() != nullptr) return packed()->unit(unit).board.unpack(packed()->side_to_move());
  return ordered()->split.boards[ordered()->order.units[unit]];
}

NodeCount JobUnits::paths_to(std::size_t unit) const {
  if (packed() != nullptr) return packed()->unit(unit).paths;
  return ordered()->split.paths_to(ordered()->order.units[unit]);
}

std::span<const Move> JobUnits::root_moves() const {
  return packed() != nullptr ? std::span<const Move>() : std::span(ordered()->split.root_moves);
}

std::size_t JobUnits::sums() const {
  return packed() != nullptr ? 1 : ordered()->split.root_moves.size();
}

void JobUnits::add_paths(std::size_t unit, NodeCount count, std::span<NodeCount> sums) const {
  if (packed() != nullptr) {
    sums.front() += NodeCount(packed()->unit(unit).paths) * count;
    return;
  }
  for (const auto& [root_move, paths] : ordered()->split.shares_of(ordered()->order.units[unit]))
    sums[root_move] += paths * count;
}

void JobUnits::append_identity(std::size_t unit, std::vector<std::uint64_t>& words) const {
  if (packed() != nullptr) {
    const auto& [board, paths] = packed()->unit(unit);
    words.insert(words.end(), board.planes.begin(), board.planes.end());
    words.push_back(paths);
    return;
  }
  const Hash128 print = fingerprint(board(unit));
  const auto shares = ordered()->split.shares_of(ordered()->order.units[unit]);
  words.insert(words.end(), {print.low, print.high, shares.size()});
  for (const auto& [root_move, paths] : shares)
    words.insert(words.end(), {root_move, paths.low(), paths.high()});
}

void JobUnits::append_to(UnitOrder& order, const UnitSpan& units) const {
  MANYPLY_CHECK(units.begin <= units.end && units.end <= size());
  if (units.begin == units.end) return;
  const std::size_t before = order.units.size();
  order.units.reserve(before + units.size());
  for (std::size_t unit = units.begin; unit < units.end; ++unit)
    order.units.push_back(static_cast<std::uint32_t>(unit));
  order.group_begin.push_back(before);
  for (std::size_t group = group_of(units.begin) + 1;
       group < groups() && group_begin(group) < units.end; ++group)
    order.group_begin.push_back(before + (group_begin(group) - units.begin));
}

std::size_t JobUnits::groups_in(const UnitSpan& units) const {
  if (units.begin == units.end) return 0;
  return group_of(units.end - 1) - group_of(units.begin) + 1;
}

const RootSplit* JobUnits::root_split() const {
  return packed() != nullptr ? nullptr : &ordered()->split;
}

}  // namespace manyply
