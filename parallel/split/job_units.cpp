#include "parallel/split/job_units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/node_count.h"
#include "hash/fingerprint.h"

namespace manyply {
namespace {

/// Returns the pieces of the side that is not to move. A pawn that has just moved two squares is
/// one of them. Castling rights of rooks are ignored.
std::array<Bitboard, 3> non_moving_side(const PackedBoard& board, Color side_to_move) {
  const auto [p0, p1, p2, p3] = board.planes;
  const Bitboard passed = p3 & ~(p0 | p1 | p2);
  const Bitboard castling = p0 & p1 & p2;
  const Bitboard own = side_to_move == Color::kWhite ? p3 : ~p3;
  return {(p0 & ~castling & own) | passed, p1 & ~castling & own, p2 & own};
}

/// Sorts by the waiting side's pieces, then by board, and merges equal positions. Throws
/// CountOverflow.
void merge(std::vector<ReachedPosition>& positions, Color side_to_move) {
  std::ranges::sort(positions, {}, [side_to_move](const ReachedPosition& position) {
    return std::tuple(non_moving_side(position.board, side_to_move), position.board);
  });
  std::size_t size = 0;
  for (const ReachedPosition& position : positions) {
    if (size > 0 && positions[size - 1].board == position.board) {
      std::uint64_t& paths = positions[size - 1].paths;
      if (__builtin_add_overflow(paths, position.paths, &paths)) throw CountOverflow();
    } else {
      positions[size++] = position;
    }
  }
  positions.resize(size);
}

/// Number of children that are sorted at once. A ply with more of them is made in several passes.
constexpr std::uint64_t kChildrenInPass = 32'000'000;

}  // namespace

std::size_t PackedSplit::group_of(std::uint64_t unit) const {
  const auto above = std::ranges::upper_bound(groups_, unit, {}, &Group::first);
  return static_cast<std::size_t>(above - groups_.begin()) - 1;
}

/// Makes a PackedSplit, ply by ply.
class PackedSplitter {
 public:
  PackedSplitter(const Kernel& kernel, std::uint64_t most_units, const std::stop_token& stop)
      : kernel_(kernel), most_units_(most_units), stop_(stop) {}

  Result<PackedSplit> run(const Position& root, int ply) {
    PackedSplit split;
    split.side_to_move_ = root.board().side_to_move;
    auto memory = TableMemory::allocate(sizeof(ReachedPosition));
    if (!memory) return memory.error();
    split.memory_ = std::move(memory).value();
    *static_cast<ReachedPosition*>(split.memory_.data()) = {PackedBoard::of(root.board()), 1};
    split.size_ = 1;
    split.groups_ = {{0, 0}};
    while (split.ply_ < ply) {
      auto next = next_ply(split);
      if (!next) return next.error();
      split = std::move(next).value();
    }
    return split;
  }

 private:
  template <typename Visit>
  void visit_children(const PackedSplit& parents, Visit visit) const {
    for (std::uint64_t i = 0; i < parents.size_ && !stop_.stop_requested(); ++i) {
      const ReachedPosition& parent = parents.positions()[i];
      const Board board = parent.board.unpack(parents.side_to_move_);
      MoveList moves;
      kernel_.generate(board, moves);
      for (const Move move : moves)
        visit(PackedBoard::of(kernel_.make_unchecked(board, move)), parent.paths);
    }
  }

  Result<PackedSplit> next_ply(const PackedSplit& parents) const {
    PackedSplit split;
    split.ply_ = parents.ply_ + 1;
    split.side_to_move_ = ~parents.side_to_move_;
    std::uint64_t children = 0;
    CountStats unused;
    for (std::uint64_t i = 0; i < parents.size_; ++i)
      children +=
          kernel_.count(parents.positions()[i].board.unpack(parents.side_to_move_), 1, {}, unused);
    split.generated_ = parents.generated_ + children;
    if (stop_.stop_requested()) return cancelled();
    if (children == 0) return split;
    const std::uint64_t room = std::min(children, most_units_);
    auto memory = TableMemory::allocate(room * sizeof(ReachedPosition));
    if (!memory) return memory.error();
    split.memory_ = std::move(memory).value();
    auto* const positions = static_cast<ReachedPosition*>(split.memory_.data());

    const std::uint64_t passes = (children + kChildrenInPass - 1) / kChildrenInPass;
    std::vector<ReachedPosition> some;
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
      some.clear();
      visit_children(parents, [&](const PackedBoard& board, std::uint64_t paths) {
        if (passes > 1 && pass_of(board, split.side_to_move_, passes) != pass) return;
        some.push_back({board, paths});
      });
      if (stop_.stop_requested()) return cancelled();
      merge(some, split.side_to_move_);
      if (split.size_ + some.size() > most_units_)
        return Error{ErrorCode::kUnavailable, "units", 0,
                     "more than " + std::to_string(most_units_) + " positions at ply " +
                         std::to_string(split.ply_)};
      for (std::size_t i = 0; i < some.size(); ++i, ++split.size_) {
        if (i == 0 || non_moving_side(some[i].board, split.side_to_move_) !=
                          non_moving_side(some[i - 1].board, split.side_to_move_))
          split.groups_.push_back({split.size_, split.size_});
        positions[split.size_] = some[i];
      }
    }
    return split;
  }

  /// Assigns a position to a pass by a hash of the waiting side's pieces, so that positions that
  /// must be merged or grouped are in one pass.
  static std::uint64_t pass_of(const PackedBoard& board, Color side_to_move, std::uint64_t passes) {
    const auto pieces = non_moving_side(board, side_to_move);
    std::uint64_t hash = 0;
    for (const Bitboard plane : pieces) hash = (hash ^ plane) * 0x9E37'79B9'7F4A'7C15U ^ hash >> 29;
    return (hash >> 32) * passes >> 32;
  }

  const Kernel& kernel_;
  const std::uint64_t most_units_;
  const std::stop_token& stop_;
};

Result<PackedSplit> split_packed(const Position& root, int ply, const Kernel& kernel,
                                 std::uint64_t most_units, const std::stop_token& stop) try {
  return PackedSplitter(kernel, most_units, stop).run(root, ply);
} catch (const CountOverflow& overflow) {
  return Error{ErrorCode::kOverflow, "", 0, overflow.what()};
}

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
