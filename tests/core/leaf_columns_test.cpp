// Tests the blocks of moved columns: they must be the same for every order in which parts of the
// work are done.

#include "core/configurations/leaf_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory_resource>
#include <tuple>
#include <vector>

#include "core/fen.h"
#include "tests/support/one_by_one.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

/// Returns the configurations that `side` can have after `moves` own moves if no piece of the other
/// side is in the way.
std::vector<Configuration> configurations_after(const Position& root, Color side, int moves) {
  ConfigurationSet set;
  set.insert(configuration_of(root.board(), side));
  std::size_t begin = 0;
  for (int i = 0; i < moves; ++i) {
    const std::size_t end = set.size();
    for (; begin < end; ++begin) {
      std::vector<LoneStep> steps;
      append_lone_moves(Configuration(set[begin]), side, steps);
      for (const LoneStep& step : steps) set.insert(step.after);
    }
  }
  std::vector<Configuration> all;
  for (std::size_t i = 0; i < set.size(); ++i) all.push_back(set[i]);
  return all;
}

struct LeafCase {
  const char* fen;
  Color mover;
  int moves;
};
constexpr LeafCase kLeafCases[] = {
    {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Color::kBlack, 2},
    {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", Color::kWhite, 2},
    {"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", Color::kBlack, 2},
};

class LeafColumnsOf : public ::testing::TestWithParam<LeafCase> {
 protected:
  LeafColumns make(const ForEach& for_each, StopView stop = {}) const {
    const Position root = Position::from_setup(parse_fen(GetParam().fen).value()).value();
    return {GetParam().mover,
            configurations_after(root, GetParam().mover, GetParam().moves),
            configurations_after(root, ~GetParam().mover, 1),
            for_each,
            std::pmr::get_default_resource(),
            stop};
  }
};

TEST_P(LeafColumnsOf, DoNotDependOnTheOrderOfWork) {
  const LeafColumns one = make(first_to_last);
  const LeafColumns other = make(last_to_first);
  ASSERT_EQ(one.moved(), other.moved());
  ASSERT_GT(one.columns().size(), 128U);  // more than one pass lists
  ASSERT_EQ(one.blocks().size(), other.blocks().size());
  for (std::size_t i = 0; i < one.blocks().size(); ++i) {
    EXPECT_EQ(one.blocks()[i].first, other.blocks()[i].first);
    EXPECT_EQ(one.blocks()[i].count, other.blocks()[i].count);
    EXPECT_EQ(one.blocks()[i].captured, other.blocks()[i].captured);
    EXPECT_EQ(one.blocks()[i].any_king, other.blocks()[i].any_king);
  }
  ASSERT_EQ(one.paths().size(), other.paths().size());
  for (std::size_t i = 0; i < one.paths().size(); ++i) {
    EXPECT_EQ(one.paths()[i].empty, other.paths()[i].empty);
    EXPECT_EQ(one.paths()[i].captured, other.paths()[i].captured);
    EXPECT_EQ(one.paths()[i].castling, other.paths()[i].castling);
  }
  for (std::size_t column = 0; column < one.moved().size(); ++column) {
    EXPECT_TRUE(std::equal(one.sources_begin(column), one.sources_end(column),
                           other.sources_begin(column), other.sources_end(column),
                           [](const LeafSource& a, const LeafSource& b) {
                             return a.column == b.column && a.path == b.path;
                           }));
  }
  EXPECT_EQ(one.double_pushes().size(), other.double_pushes().size());
  EXPECT_EQ(one.castlings().size(), other.castlings().size());
}

/// Passes over all moves, which go square by square for captures, handle at most 128 columns at a
/// time.
TEST_P(LeafColumnsOf, LookAtAStopWhileMovesAreSorted) {
  const CountedLooks stop;
  const std::size_t parts = make(first_to_last, stop).columns().size() / 128;
  constexpr std::size_t kSquares = 65;
  EXPECT_GE(stop.looks(), parts * (1 + 3 * kSquares));
}

/// How often each column can make a move, by square of the capture, path and result.
using Ways = std::map<std::tuple<std::uint32_t, int, Bitboard, Bitboard, Bitboard>, int>;

/// The sources of each result are exactly the moves of the columns that lead to it.
TEST_P(LeafColumnsOf, HaveEachMoveOnce) {
  const LeafColumns leaf = make(last_to_first);
  Ways made;
  for (std::size_t i = 0; i < leaf.blocks().size(); ++i) {
    const LeafBlock& block = leaf.blocks()[i];
    for (std::size_t column = block.first; column < block.first + block.count; ++column) {
      const Pieces& after = leaf.moved()[column].pieces;
      for (const LeafSource* source = leaf.sources_begin(column);
           source != leaf.sources_end(column); ++source) {
        const LeafPath& path = leaf.paths()[source->path];
        EXPECT_EQ(path.captured, block.captured);
        ++made[{source->column, path.captured, path.empty, after.all(), after.pawns}];
      }
    }
  }
  Ways listed;
  std::size_t double_pushes = 0;
  std::size_t castlings = 0;
  for (std::uint32_t column = 0; column < leaf.columns().size(); ++column) {
    std::vector<LoneStep> steps;
    append_lone_moves(leaf.columns()[column], leaf.mover(), steps);
    for (const LoneStep& step : steps) {
      const LoneMove& move = step.move;
      const Pieces& after = step.after.pieces;
      if (move.kind != LoneMove::Kind::kPawnCapture)
        ++listed[{column, LeafPath::kQuiet, move.path | move.captures(), after.all(), after.pawns}];
      if (move.captures() != 0)
        ++listed[{column, int{move.to}, move.path, after.all(), after.pawns}];
      double_pushes += move.kind == LoneMove::Kind::kDoublePush ? 1 : 0;
      castlings += move.kind == LoneMove::Kind::kCastling ? 1 : 0;
    }
  }
  EXPECT_EQ(made, listed);
  EXPECT_EQ(leaf.double_pushes().size(), double_pushes);
  EXPECT_EQ(leaf.castlings().size(), castlings);
}

INSTANTIATE_TEST_SUITE_P(Positions, LeafColumnsOf, ::testing::ValuesIn(kLeafCases));

}  // namespace
}  // namespace manyply
