#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "core/fen.h"
#include "core/position.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

RootSplit split_at(std::string_view fen, int ply) {
  return split_root(parse_position(fen).value().position, Depth(ply), best_kernel(),
                    {.enough_units = SIZE_MAX, .min_unit_depth = 0});
}

void expect_permutation(const UnitOrder& order, std::size_t units) {
  auto sorted = order.units;
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> everyone(units);
  std::iota(everyone.begin(), everyone.end(), 0U);
  EXPECT_EQ(sorted, everyone);
}

TEST(UnitOrder, NothingToOrder) {
  const RootSplit mate = split_at("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", 3);
  for (const UnitOrder& order : {biggest_first(mate, best_kernel()), grouped_for_window(mate, 4),
                                 ascending_order(mate.size())}) {
    EXPECT_THAT(order.units, IsEmpty());
    EXPECT_EQ(order.groups(), 0U);
  }
}

TEST(UnitOrder, AscendingIsOneGroup) {
  const UnitOrder order = ascending_order(400);
  expect_permutation(order, 400);
  EXPECT_TRUE(std::ranges::is_sorted(order.units));
  EXPECT_THAT(order.group_begin, ElementsAre(0));
}

TEST(UnitOrder, BiggestFirstThenByBoard) {
  const RootSplit split = split_at(kKiwipeteFen, 2);
  const UnitOrder order = biggest_first(split, best_kernel());
  expect_permutation(order, split.size());
  EXPECT_THAT(order.group_begin, ElementsAre(0));
  const auto moves = [&](std::uint32_t unit) {
    return legal_moves(position_unchecked(split.boards[unit])).size();
  };
  for (std::size_t i = 1; i < order.units.size(); ++i) {
    const std::size_t before = moves(order.units[i - 1]);
    const std::size_t after = moves(order.units[i]);
    EXPECT_TRUE(before > after || (before == after && order.units[i - 1] < order.units[i])) << i;
  }
}

TEST(UnitOrder, GroupsShareThePiecesOfTheSideNotToMoveAtDepthThree) {
  const RootSplit split = split_at(kStartFen, 3);  // Black to move
  for (const int unit_depth : {3, 4, 5, 6}) {
    const Color common = unit_depth % 2 == 1 ? Color::kWhite : Color::kBlack;
    const UnitOrder order = grouped_for_window(split, unit_depth);
    expect_permutation(order, split.size());
    const auto pieces = [&](std::size_t place) {
      return split.boards[order.units[place]].of(common);
    };
    for (std::size_t group = 0; group < order.groups(); ++group) {
      const std::size_t begin = order.group_begin[group];
      for (std::size_t i = begin; i < order.group_end(group); ++i)
        EXPECT_EQ(pieces(i), pieces(begin));
      if (group > 0) {
        EXPECT_NE(pieces(begin - 1), pieces(begin));
      }
    }
  }
}

/// Returns the share of working time of `workers` workers that each take the next unit when they
/// are free. A unit takes as much time as it has interior nodes, so the result is the same on every
/// machine.
double busy_share(const UnitOrder& order, const std::vector<std::uint64_t>& work,
                  std::size_t workers) {
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> free_at;
  for (std::size_t i = 0; i < workers; ++i) free_at.push(0);
  std::uint64_t sum = 0;
  std::uint64_t end = 0;
  for (const std::uint32_t unit : order.units) {
    const std::uint64_t done = free_at.top() + work[unit];
    free_at.pop();
    free_at.push(done);
    sum += work[unit];
    end = std::max(end, done);
  }
  return static_cast<double>(sum) / static_cast<double>(end * workers);
}

TEST(UnitOrder, BiggestFirstKeepsEveryWorkerBusyToTheEnd) {
  struct Job {
    std::string_view fen;
    int depth;
    SplitLimits limits = {};
  };
  constexpr Job kJobs[] = {
      {kStartFen, 6},
      {kKiwipeteFen, 5},
      {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7},
      {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 6},
      {"7k/8/8/8/8/8/1p5r/K7 w - - 0 1", 8},                                  // two root moves
      {"rnb1kbnr/pppp1ppp/8/4p3/4P2q/5P2/PPPP2PP/RNBQKBNR w KQkq - 1 3", 6},  // two root moves
      {"3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 9},
      {kStartFen, 7, kCoarseSplit},
      {kKiwipeteFen, 6, kCoarseSplit},
  };
  for (const Job& job : kJobs) {
    const RootSplit split =
        split_root(parse_position(job.fen)->position, Depth(job.depth), best_kernel(), job.limits);
    std::vector<std::uint64_t> work;
    for (const Board& board : split.boards) {
      CountStats stats;
      best_kernel().count(board, job.depth - split.ply, {}, stats);
      work.push_back(stats.visited + 1);
    }
    const UnitOrder order = biggest_first(split, best_kernel());
    EXPECT_GE(busy_share(order, work, 2), 0.999) << job.fen;
    EXPECT_GE(busy_share(order, work, 16), 0.995) << job.fen;
    EXPECT_GE(busy_share(order, work, 128), 0.95) << job.fen;
  }
}

}  // namespace
}  // namespace manyply
