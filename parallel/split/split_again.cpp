#include "parallel/split/split_again.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace manyply {
namespace {

std::vector<Board> boards_of(const JobUnits& units, const std::vector<UnitSpan>& parts) {
  std::vector<Board> boards;
  for (const UnitSpan& part : parts) {
    for (std::size_t unit = part.begin; unit < part.end; ++unit)
      boards.push_back(units.board(unit));
  }
  return boards;
}

}  // namespace

SplitAgain::SplitAgain(const JobUnits& units, std::vector<UnitSpan> parts, int plies,
                       const Kernel& kernel, const std::stop_token& stop)
    : units_(units),
      parts_(std::move(parts)),
      split_(split_below(boards_of(units, parts_), plies, kernel, stop)),
      counts_(split_.size()),
      done_(parts_.size(), true) {
  boards_before_.push_back(0);
  for (const UnitSpan& part : parts_) boards_before_.push_back(boards_before_.back() + part.size());
  totals_.resize(boards_before_.back());
  // Shares are sorted by board, so the first one belongs to the first part that needs the position.
  std::vector<std::uint32_t> part_of(split_.size());
  for (std::size_t i = 0; i < split_.size(); ++i) {
    const std::size_t board = split_.shares_of(i).front().root_move;
    const auto after = std::ranges::upper_bound(boards_before_, board);
    part_of[i] = static_cast<std::uint32_t>(after - boards_before_.begin() - 1);
  }
  order_.units.resize(split_.size());
  std::iota(order_.units.begin(), order_.units.end(), 0U);
  const auto waiting = [this](std::uint32_t i) -> const Pieces& {
    return split_.boards[i].of(~split_.boards[i].side_to_move);
  };
  std::ranges::sort(order_.units, [&](std::uint32_t a, std::uint32_t b) {
    if (part_of[a] != part_of[b]) return part_of[a] < part_of[b];
    const auto by_pieces = waiting(a) <=> waiting(b);
    return by_pieces != 0 ? by_pieces < 0 : a < b;
  });
  for (std::size_t i = 0; i < order_.units.size(); ++i) {
    const std::uint32_t here = order_.units[i];
    const bool new_part = i == 0 || part_of[here] != part_of[order_.units[i - 1]];
    if (new_part) {
      if (i > 0) part_end_.push_back(i);
      part_of_.push_back(part_of[here]);
      done_[part_of[here]] = false;
    }
    if (new_part || waiting(here) != waiting(order_.units[i - 1])) order_.group_begin.push_back(i);
  }
  if (!order_.units.empty()) part_end_.push_back(order_.units.size());
}

UnitOrder SplitAgain::order() const {
  UnitOrder order{.units = std::vector<std::uint32_t>(size()), .group_begin = order_.group_begin};
  std::iota(order.units.begin(), order.units.end(), 0U);
  return order;
}

std::size_t SplitAgain::unit_of(std::size_t board) const {
  const auto after = std::ranges::upper_bound(boards_before_, board);
  const auto part = static_cast<std::size_t>(after - boards_before_.begin()) - 1;
  return parts_[part].begin + (board - boards_before_[part]);
}

double SplitAgain::paths_to(std::size_t position) const {
  double paths = 0;
  for (const auto& [board, below] : split_.shares_of(order_.units[position]))
    paths += units_.paths_to(unit_of(board)).approximate() * below.approximate();
  return paths;
}

std::uint64_t SplitAgain::units_of(std::size_t position) const {
  const std::size_t boards = boards_before_.back();
  return boards * (position + 1) / size() - boards * position / size();
}

std::vector<std::size_t> SplitAgain::finish(std::size_t part, UnitCounts& counts) {
  const MutexLock lock(mutex_);
  for (std::size_t i = part == 0 ? 0 : part_end_[part - 1]; i < part_end_[part]; ++i) {
    for (const auto& [board, paths] : split_.shares_of(order_.units[i]))
      totals_[board] += paths * counts_[i];
  }
  done_[part_of_[part]] = true;
  std::vector<std::size_t> complete;
  for (; complete_ < parts_.size() && done_[complete_]; ++complete_) {
    complete.push_back(complete_);
    // Assign instead of adding: two ranges may contain the same unit, and both write the same
    // count.
    for (std::size_t i = 0; i < parts_[complete_].size(); ++i)
      counts[parts_[complete_].begin + i] = totals_[boards_before_[complete_] + i];
  }
  return complete;
}

}  // namespace manyply
