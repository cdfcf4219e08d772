#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

#include "core/known_values.h"
#include "parallel/split/job_units.h"
#include "parallel/split/root_splitter.h"
#include "tests/parallel/jobs.h"
#include "tests/support/position_at.h"

namespace manyply {
namespace {

constexpr std::uint64_t kAny = 10'000'000;

Result<PackedSplit> packed(const Position& root, int ply, std::uint64_t most = kAny) {
  return split_packed(root, ply, best_kernel(), most, {});
}

std::vector<ReachedPosition> units_of(const PackedSplit& split) {
  std::vector<ReachedPosition> units;
  for (std::size_t group = 0; group < split.groups(); ++group) {
    const auto some = split.units_of(group);
    units.insert(units.end(), some.begin(), some.end());
  }
  return units;
}

NodeCount paths_to(const PackedSplit& split) {
  NodeCount paths;
  for (const ReachedPosition& unit : units_of(split)) paths += unit.paths;
  return paths;
}

constexpr std::string_view kRoots[] = {
    kStartFen,
    kKiwipeteFen,
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5P2/PPPP2PP/RNBQKBNR w KQkq - 1 3",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
};

TEST(PackedSplit, HasThePositionsAndPathsOfARootSplit) {
  for (const std::string_view fen : kRoots) {
    const Position root = position_at(fen);
    for (int ply = 1; ply <= 3; ++ply) {
      const RootSplit expected =
          split_root(root, Depth(ply), best_kernel(),
                     {.enough_units = SIZE_MAX, .good_unit_depth = 0, .min_unit_depth = 0});
      const auto split = packed(root, ply);
      ASSERT_TRUE(split) << split.error().to_string();
      ASSERT_EQ(split->size(), expected.size()) << fen;
      EXPECT_EQ(split->ply(), ply);
      EXPECT_EQ(split->generated(), expected.generated);
      std::vector<ReachedPosition> units = units_of(*split);
      ASSERT_EQ(units.size(), split->size());
      std::ranges::sort(units, {}, [&](const ReachedPosition& unit) {
        return unit.board.unpack(split->side_to_move());
      });
      for (std::size_t i = 0; i < units.size(); ++i) {
        ASSERT_EQ(units[i].board.unpack(split->side_to_move()), expected.boards[i]);
        ASSERT_EQ(NodeCount(units[i].paths), expected.paths_to(i));
      }
    }
  }
}

TEST(PackedSplit, HasAsManyPositionsAndPathsAsPublished) {
  constexpr std::array<std::uint64_t, 6> kDistinct{1, 20, 400, 5362, 72'078, 822'518};
  for (int ply = 0; ply <= 5; ++ply) {
    const auto split = packed(Position(), ply);
    ASSERT_TRUE(split);
    EXPECT_EQ(split->size(), kDistinct[static_cast<std::size_t>(ply)]);
    EXPECT_EQ(paths_to(*split), *known_value(Position(), Depth(ply)));
  }
}

TEST(PackedSplit, GroupsAreThePositionsInWhichTheSamePiecesWait) {
  for (const std::string_view fen : kRoots) {
    const auto split = packed(position_at(fen), 3);
    ASSERT_TRUE(split);
    const Color waiting = ~split->side_to_move();
    const auto pieces_of = [&](const ReachedPosition& unit) {
      return unit.board.unpack(split->side_to_move()).of(waiting);
    };
    std::set<Pieces> seen;
    std::uint64_t next = 0;
    for (std::size_t group = 0; group < split->groups(); ++group) {
      ASSERT_EQ(split->group_begin(group), next);
      ASSERT_GT(split->group_end(group), next);
      const auto units = split->units_of(group);
      const Pieces pieces = pieces_of(units.front());
      for (const ReachedPosition& unit : units) ASSERT_EQ(pieces_of(unit), pieces);
      ASSERT_TRUE(seen.insert(pieces).second) << "two groups of the same pieces";
      EXPECT_EQ(split->group_of(next), group);
      EXPECT_EQ(&split->unit(next), &units.front());
      next = split->group_end(group);
      EXPECT_EQ(split->group_of(next - 1), group);
      EXPECT_EQ(&split->unit(next - 1), &units.back());
    }
    EXPECT_EQ(next, split->size());
  }
}

TEST(PackedSplit, HasNoUnitWhereNoGameGoesOnSoLong) {
  const auto split = packed(position_at("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), 2);  // stalemate
  ASSERT_TRUE(split);
  EXPECT_EQ(split->size(), 0U);
  EXPECT_EQ(split->groups(), 0U);
  EXPECT_EQ(split->ply(), 2);
}

TEST(PackedSplit, SaysWhenThereAreTooManyUnits) {
  EXPECT_TRUE(packed(Position(), 3, 5362));
  const auto split = packed(Position(), 3, 5361);
  ASSERT_FALSE(split);
  EXPECT_EQ(split.error().code, ErrorCode::kUnavailable);
  // Far too many are noticed before all of them have been made.
  const auto deep = packed(Position(), 60, 100'000);
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code, ErrorCode::kUnavailable);
}

TEST(PackedSplit, SaysWhenPathsAreTooManyForSixtyFourBits) {
  const auto split = packed(position_at("k7/8/8/8/8/8/8/7K w - - 0 1"), 40);
  ASSERT_FALSE(split);
  EXPECT_EQ(split.error().code, ErrorCode::kOverflow);
}

TEST(PackedSplit, EndsWhenItIsStopped) {
  std::stop_source stop;
  stop.request_stop();
  const auto split = split_packed(Position(), 5, best_kernel(), kAny, stop.get_token());
  ASSERT_FALSE(split);
  EXPECT_EQ(split.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace manyply
