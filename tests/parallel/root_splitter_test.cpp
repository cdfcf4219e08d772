#include "parallel/units/root_splitter.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/counting.h"
#include "core/fen.h"
#include "tests/parallel/jobs.h"
#include "tests/support/positions.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using testing::IsEmpty;

// The two limits that let a split reach exactly the requested ply.
constexpr SplitLimits kToTheLeaves{.enough_units = SIZE_MAX, .min_unit_depth = 0};

RootSplit split_at(const Position& root, int ply) {
  return split_root(root, Depth(ply), best_kernel(), kToTheLeaves);
}

NodeCount paths_to_all_units(const RootSplit& split) {
  NodeCount paths;
  for (const RootSplit::Share& share : split.shares) paths += share.paths;
  return paths;
}

/// Returns the divide that a split implies: the count of each unit times its paths.
std::vector<DivideEntry> divide_by_units(const RootSplit& split, int unit_depth) {
  std::vector<DivideEntry> divide;
  for (const Move move : split.root_moves) divide.push_back({move, 0});
  for (std::size_t unit = 0; unit < split.size(); ++unit) {
    const Position board = position_unchecked(split.boards[unit]);
    const NodeCount nodes = *count_nodes(board, Depth(unit_depth));
    for (const auto& [move, paths] : split.shares_of(unit)) divide[move].nodes += paths * nodes;
  }
  return divide;
}

constexpr std::string_view kPositions[] = {
    kStartFen,
    kKiwipeteFen,
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1",
    "7k/8/8/8/8/8/1p5r/K7 w - - 0 1",                                  // two root moves
    "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5P2/PPPP2PP/RNBQKBNR w KQkq - 1 3",  // in check, two root moves
    "8/8/8/8/8/5k2/7p/7K w - - 0 1",                                   // one root move
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
};

TEST(RootSplitter, DeepJobsAreSplitFurtherWhileThatIsNotTooMany) {
  SplitLimits limits{.enough_units = 20, .good_unit_depth = 3};
  EXPECT_EQ(split_root(Position(), Depth(6), best_kernel(), limits).ply, 3);
  limits.most_units = 6'000;  // at ply 2: 400 units, 20 for each at ply 1
  EXPECT_EQ(split_root(Position(), Depth(6), best_kernel(), limits).ply, 2);
}

TEST(RootSplitter, FindsTheKnownDistinctPositionsFromTheStart) {
  constexpr std::size_t kDistinct[] = {20, 400, 5'362, 72'078};
  constexpr std::uint64_t kPaths[] = {20, 400, 8'902, 197'281};
  for (int ply = 1; ply <= 4; ++ply) {
    const RootSplit split = split_at(Position(), ply);
    EXPECT_EQ(split.ply, ply);
    EXPECT_EQ(split.size(), kDistinct[ply - 1]);
    EXPECT_EQ(paths_to_all_units(split), kPaths[ply - 1]);
  }
}

TEST(RootSplitter, KeepsBoardsAndSharesInOrderWithoutRepeats) {
  for (const std::string_view fen : kPositions) {
    const RootSplit split = split_at(position_at(fen), 3);
    EXPECT_THAT(split.boards, testing::Not(IsEmpty()));
    EXPECT_EQ(std::ranges::adjacent_find(split.boards, std::ranges::greater_equal{}),
              split.boards.end());
    for (std::size_t unit = 0; unit < split.size(); ++unit) {
      const auto shares = split.shares_of(unit);
      ASSERT_FALSE(shares.empty());
      EXPECT_EQ(std::ranges::adjacent_find(shares, std::ranges::greater_equal{},
                                           &RootSplit::Share::root_move),
                shares.end());
    }
  }
}

TEST(RootSplitter, UnitsTimesPathsAreTheDivideAtEveryPly) {
  constexpr int kDepth = 3;
  for (const std::string_view fen : kPositions) {
    const Position root = position_at(fen);
    const std::vector<DivideEntry> expected = *divide(root, Depth(kDepth));
    for (int ply = 1; ply <= kDepth; ++ply) {
      EXPECT_EQ(divide_by_units(split_at(root, ply), kDepth - ply), expected) << fen << ' ' << ply;
    }
  }
}

TEST(RootSplitter, WorkersChangeNothing) {
  for (const std::string_view fen : {kPositions[0], kPositions[2], kPositions[6]}) {
    const Position root = position_at(fen);
    const RootSplit one = split_root(root, Depth(8), best_kernel());
    for (const int workers : {2, 3, 8}) {
      const RootSplit several = split_root(root, Depth(8), best_kernel(), {}, {}, Workers(workers));
      EXPECT_EQ(several.ply, one.ply);
      EXPECT_EQ(several.root_moves, one.root_moves);
      EXPECT_TRUE(several.boards == one.boards) << fen;
      EXPECT_EQ(several.share_begin, one.share_begin);
      EXPECT_TRUE(several.shares == one.shares) << fen;
      EXPECT_EQ(several.generated, one.generated);
    }
  }
}

TEST(RootSplitter, CountsGeneratedPositionsBeforeMerging) {
  EXPECT_EQ(split_at(Position(), 1).generated, 20U);
  EXPECT_EQ(split_at(Position(), 2).generated, 20U + 400U);
  EXPECT_EQ(split_at(Position(), 3).generated, 20U + 400U + 8'902U);
}

TEST(RootSplitter, MatedAndStalematedRootsHaveNoUnits) {
  for (const std::string_view fen :
       {"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "7k/5Q2/8/8/8/8/8/K7 b - - 0 1"}) {
    const RootSplit split = split_at(position_at(fen), 5);
    EXPECT_EQ(split.size(), 0U) << fen;
    EXPECT_THAT(split.root_moves, IsEmpty());
  }
}

TEST(RootSplitter, LinesThatEndVanish) {
  const Position root = position_at("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
  const RootSplit split = split_at(root, 2);
  const Move mate = *parse_uci(root, "a1a8", CastlingNotation::kStandard);
  EXPECT_THAT(split.root_moves, testing::Contains(mate));
  for (const auto& share : split.shares) EXPECT_NE(split.root_moves[share.root_move], mate);
  EXPECT_EQ(divide_by_units(split, 1), *divide(root, Depth(3)));
}

TEST(RootSplitter, StopsWhenThereAreEnoughUnits) {
  const SplitLimits limits{.enough_units = 400, .good_unit_depth = 7, .min_unit_depth = 0};
  EXPECT_EQ(split_root(Position(), Depth(9), best_kernel(), limits).ply, 2);
  EXPECT_EQ(split_root(Position(), Depth(10), best_kernel(), limits).ply, 3);
}

TEST(RootSplitter, LeavesUnitsWorthScheduling) {
  const SplitLimits limits{.enough_units = SIZE_MAX, .min_unit_depth = 3};
  EXPECT_EQ(split_root(Position(), Depth(6), best_kernel(), limits).ply, 3);
  EXPECT_EQ(split_root(Position(), Depth(2), best_kernel(), limits).ply, 1);
}

TEST(RootSplitter, FewRootMovesGiveAsManyUnits) {
  const RootSplit one_move = split_root(position_at("8/8/8/8/2p5/1p1k4/1P6/K7 w - - 0 1"),
                                        Depth(20), best_kernel(), {.most_units = 30'000});
  EXPECT_EQ(one_move.root_moves.size(), 1U);
  EXPECT_GE(one_move.size(), SplitLimits{}.enough_units);
}

TEST(RootSplitter, StopsEarlyOnRequest) {
  EXPECT_EQ(split_root(Position(), Depth(9), best_kernel(), {}, stopped_before()).ply, 1);
}

TEST(RootSplitter, MoreThan128BitsOfPathsAreAnOverflow) {
  const Position kings = position_at(kWalledKings);
  EXPECT_THROW(split_root(kings, Depth(64), best_kernel()), CountOverflow);
  EXPECT_THROW(split_root(kings, Depth(64), best_kernel(), {}, {}, Workers(3)), CountOverflow);
}

TEST(RootSplitter, AStopEndsItWithinAPly) {
  static std::stop_source stop;
  static int generated = 0;  // by one worker
  constexpr int kAsked = 1'000;
  Kernel kernel = best_kernel();
  kernel.generate = [](const Board& board, MoveList& moves) {
    if (++generated == kAsked) stop.request_stop();
    best_kernel().generate(board, moves);
  };
  const RootSplit split = split_root(parse_position(kStartFen).value().position, Depth(12), kernel,
                                     kToTheLeaves, stop.get_token());
  EXPECT_EQ(generated, kAsked);
  EXPECT_EQ(split.ply, 3) << "of which there is all or nothing";
  EXPECT_EQ(split.size(), 5'362u);
  EXPECT_EQ(paths_to_all_units(split), NodeCount(8'902));
}

}  // namespace
}  // namespace manyply
