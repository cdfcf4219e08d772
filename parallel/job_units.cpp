#include "parallel/job_units.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/check.h"
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
  return packed() != nullptr ? packed()->units().size() : ordered()->split.size();
}

SplitShape JobUnits::shape() const {
  if (packed() == nullptr) return {.units = size(), .growth = ordered()->split.growth};
  // The mean over all plies: it shrinks a little from ply to ply.
  const auto units = static_cast<double>(size());
  return {.units = size(), .growth = std::pow(units, 1.0 / std::max(1, ply()))};
}

std::uint64_t JobUnits::generated() const {
  return packed() != nullptr ? packed()->generated() : ordered()->split.generated;
}

std::span<const std::uint64_t> JobUnits::group_begin() const {
  return packed() != nullptr ? packed()->group_begin() : std::span(ordered()->order.group_begin);
}

Board JobUnits::board(std::size_t unit) const {
  if (packed() != nullptr) return packed()->units()[unit].board.unpack(packed()->side_to_move());
  return ordered()->split.boards[ordered()->order.units[unit]];
}

NodeCount JobUnits::paths_to(std::size_t unit) const {
  if (packed() != nullptr) return packed()->units()[unit].paths;
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
    sums.front() += NodeCount(packed()->units()[unit].paths) * count;
    return;
  }
  for (const auto& [root_move, paths] : ordered()->split.shares_of(ordered()->order.units[unit]))
    sums[root_move] += paths * count;
}

void JobUnits::append_identity(std::size_t unit, std::vector<std::uint64_t>& words) const {
  if (packed() != nullptr) {
    const auto& [board, paths] = packed()->units()[unit];
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
  const auto begins = group_begin();
  for (auto next = std::ranges::upper_bound(begins, units.begin);
       next != begins.end() && *next < units.end; ++next)
    order.group_begin.push_back(before + (*next - units.begin));
}

std::size_t JobUnits::groups_in(const UnitSpan& units) const {
  if (units.begin == units.end) return 0;
  const auto begins = group_begin();
  const auto first = std::ranges::upper_bound(begins, units.begin);
  return 1 + static_cast<std::size_t>(std::ranges::lower_bound(begins, units.end) - first);
}

const RootSplit* JobUnits::root_split() const {
  return packed() != nullptr ? nullptr : &ordered()->split;
}

}  // namespace manyply
