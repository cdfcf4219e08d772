// Tests stored rows, sorting in parts, and blocks of moved columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory_resource>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "core/configurations/leaf_tables.h"
#include "core/configurations/lone_moves.h"
#include "core/configurations/row_kernel.h"
#include "core/configurations/sort_all.h"
#include "core/fen.h"
#include "tests/support/one_by_one.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using Group = std::array<std::uint32_t, kGroupColumns>;

Group unpacked_group(unsigned lanes, const std::uint16_t* packed) {
  Group paths;
  unpack(lanes, packed, paths.data());
  return paths;
}

/// Lists the moves by kind, and compares them with append_lone_moves().
TEST(LoneMoves, AreTheSameByKind) {
  const auto written = [](const std::vector<LoneStep>& steps) {
    std::multiset<std::tuple<std::uint16_t, Bitboard, ConfigurationKind, Bitboard>> all;
    for (const auto& [move, after] : steps)
      all.emplace(move.number(), move.path, kind_of(after), after.pieces.all());
    return all;
  };
  std::size_t changes = 0;
  for (const std::string_view fen :
       {kStartFen, kKiwipeteFen, std::string_view("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"),
        std::string_view("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -")}) {
    const Board board = parse_position(fen)->position.board();
    for (const Color side : {Color::kWhite, Color::kBlack}) {
      const Configuration root = configuration_of(board, side);
      std::vector<LoneStep> before{{{}, root}};
      append_lone_moves(root, side, before);
      for (const LoneStep& step : before) {
        std::vector<LoneStep> all;
        append_lone_moves(step.after, side, all);
        std::set<ConfigurationKind> kinds;
        for (const LoneStep& next : all) kinds.insert(kind_of(next.after));
        std::vector<LoneStep> by_kind;
        append_moves_within_kind(step.after, side, by_kind);
        kinds.erase(kind_of(step.after));
        for (const ConfigurationKind kind : kinds)
          MovesToKind(kind_of(step.after), kind).append(step.after, side, by_kind);
        EXPECT_EQ(written(by_kind), written(all)) << fen;
        changes += kinds.size();
      }
    }
  }
  EXPECT_GT(changes, 1'000u);
}

/// Numbers at the limits of 16 bits, and numbers whose lower half is 0.
TEST(StoredRow, UnpacksWhatWasPacked) {
  constexpr std::array<std::uint32_t, 8> kNumbers{1,       2,       0xFFFE,  0xFFFF,
                                                  0x10000, 0x10001, 0x20000, 0x7FFFFFFF};
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t limit = random() % 2 == 0 ? 4 : kNumbers.size();  // the first 4 have 16 bits
    const auto lanes = static_cast<unsigned>(1 + random() % 255);
    Group paths{};
    std::size_t words = 0;
    std::size_t large = 0;
    for (std::size_t lane = 0; lane < kGroupColumns; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      paths[lane] = kNumbers[random() % limit];
      ++words;
      large += paths[lane] > 0xFFFF ? 1U : 0U;
    }
    if (large != 0) words += 2 + large;
    ASSERT_EQ(size_to_pack(lanes, paths.data()), words);
    std::array<std::uint16_t, kMostPacked + 1> packed;
    packed.fill(0xAAAA);
    const std::uint16_t* const end = pack(lanes, paths.data(), packed.data());
    ASSERT_EQ(static_cast<std::size_t>(end - packed.data()), words);
    ASSERT_EQ(*end, 0xAAAA);
    ASSERT_EQ(packed_size(lanes, packed.data()), words);
    ASSERT_EQ(unpacked_group(lanes, packed.data()), paths);
    Group visited{};
    EXPECT_EQ(
        for_each_in_group(lanes, packed.data(),
                          [&](std::size_t lane, std::uint32_t number) { visited[lane] = number; }),
        end);
    ASSERT_EQ(visited, paths);
  }
}

TEST(StoredRow, AppendsGroupAfterGroup) {
  constexpr std::array<std::uint32_t, 3> kGroups{0, 4, 9};
  constexpr std::array<std::uint8_t, 3> kLanes{0b1, 0b10000010, 0b100};
  constexpr std::array<std::uint16_t, 7> kPacked{7, 0, 0b10, 5, 6, 1, 8};  // 0x10005 in lane 1
  std::vector<std::uint32_t> paths{99};
  append_unpacked({kGroups.data(), kLanes.data(), kPacked.data(), kGroups.size()}, paths);
  std::vector<std::uint32_t> expected(1 + 3 * kGroupColumns);
  expected[0] = 99;
  expected[1] = 7;
  expected[1 + kGroupColumns + 1] = 0x10005;
  expected[1 + kGroupColumns + 7] = 6;
  expected[1 + 2 * kGroupColumns + 2] = 8;
  EXPECT_EQ(paths, expected);
}

// Tests sorting in parts: the order, the result for every assignment of parts to threads, and how
// soon a stop takes effect.

std::vector<std::uint32_t> random_numbers(std::size_t size) {
  std::mt19937 random(static_cast<std::uint32_t>(size));
  std::vector<std::uint32_t> numbers(size);
  for (std::uint32_t& number : numbers)
    number = static_cast<std::uint32_t>(random() % (size / 2 + 1));
  return numbers;
}

TEST(SortAll, SortsWhateverTheSize) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kSortedAtOnce - 1, kSortedAtOnce, kSortedAtOnce + 1,
        2 * kSortedAtOnce, 3 * kSortedAtOnce + 17, 4 * kSortedAtOnce + 1, 11 * kSortedAtOnce}) {
    std::vector<std::uint32_t> numbers = random_numbers(size);
    std::vector<std::uint32_t> other = numbers;
    std::vector<std::uint32_t> expected = numbers;
    std::ranges::sort(expected);
    sort_all(numbers, std::less<>(), first_to_last, {});
    sort_all(other, std::less<>(), last_to_first, {});
    EXPECT_EQ(numbers, expected) << size;
    EXPECT_EQ(other, expected) << size;
  }
}

TEST(SortAll, AStopIsHeardWithinAPart) {
  const std::vector<std::uint32_t> numbers = random_numbers(3 * kSortedAtOnce);
  const CountedLooks all;
  std::vector<std::uint32_t> sorted = numbers;
  sort_all(sorted, std::less<>(), first_to_last, all);
  ASSERT_GE(all.looks(), 8U) << "before each of three parts, and in two merges";
  constexpr std::uint64_t kMostOfAPart = 2 * 14 * kSortedAtOnce;  // comparisons: above 2 n log2 n
  for (std::uint64_t look = 1; look <= all.looks(); ++look) {
    const CountedLooks stop(look);
    std::uint64_t at_look = 0;
    std::uint64_t compared = 0;
    std::uint64_t most = 0;
    std::uint64_t late = 0;
    sorted = numbers;
    sort_all(
        sorted,
        [&](std::uint32_t a, std::uint32_t b) {
          if (stop.looks() != at_look) at_look = stop.looks(), compared = 0;
          most = std::max(most, ++compared);
          late += at_look >= look ? 1 : 0;
          return a < b;
        },
        first_to_last, stop);
    EXPECT_LE(most, kMostOfAPart) << "between two looks";
    EXPECT_EQ(late, 0U) << "compared after the stop";
  }
}

// Tests the blocks of moved columns: they must be the same for every order in which parts of the
// work are done.

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
  ASSERT_GT(one.columns().size(), 128U);  // one pass lists at most 128
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

/// A pass over all moves handles at most 128 columns at a time. For captures, it also handles only
/// one square at a time.
TEST_P(LeafColumnsOf, LookAtAStopWhileMovesAreSorted) {
  const CountedLooks stop;
  const std::size_t parts = make(first_to_last, stop).columns().size() / 128;
  constexpr std::size_t kSquares = 65;
  EXPECT_GE(stop.looks(), parts * (1 + 3 * kSquares));
}

/// How often a column makes a move. The key contains the column, the square of the capture, the
/// path and the result.
using Ways = std::map<std::tuple<std::uint32_t, int, Bitboard, Bitboard, Bitboard>, int>;

/// The sources of a result must be exactly the moves that lead from the columns to this result.
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
