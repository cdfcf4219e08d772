// Compares the last two plies in lanes with the oracle, for any number of paths to each pair.

#include "core/configurations/leaf_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory_resource>
#include <unordered_set>
#include <utility>

#include "core/configurations/row_kernel.h"
#include "core/fen.h"
#include "tests/support/emulated_avx512.h"
#include "tests/support/kernels_here.h"
#include "tests/support/one_by_one.h"
#include "tests/support/oracle.h"
#include "tests/support/plain_vectors.h"
#include "tests/support/positions.h"

namespace manyply {
namespace {

/// Pairs that lanes can count: the side of the columns is to move.
struct LanePairs {
  struct Pair {
    std::size_t row;
    std::size_t column;
    std::uint64_t leaves;  ///< leaves two plies below, without immediate en passant captures
  };
  Color mover = Color::kWhite;
  std::vector<Configuration> rows;
  std::vector<Configuration> columns;
  std::vector<Pair> pairs;
};

std::size_t number_in(std::vector<Configuration>& all, const Configuration& configuration) {
  const auto known = std::ranges::find(all, configuration);
  if (known == all.end()) {
    all.push_back(configuration);
    return all.size() - 1;
  }
  return static_cast<std::size_t>(known - all.begin());
}

/// Returns the positions two plies below `fen`, and the oracle's counts below them.
LanePairs pairs_two_plies_below(std::string_view fen) {
  const Board root = parse_position(fen)->position.board();
  LanePairs lanes;
  lanes.mover = root.side_to_move;
  const Color side = ~lanes.mover;
  std::unordered_set<std::string> met;
  const oracle::Position position = oracle::parse(fen);
  for (const oracle::Move& first : oracle::legal_moves(position)) {
    const oracle::Position between = oracle::after(position, first);
    for (const oracle::Move& second : oracle::legal_moves(between)) {
      oracle::Position below = oracle::after(between, second);
      below.en_passant = oracle::kNoSquare;
      if (!met.insert(oracle::identity(below)).second) continue;
      const Board board = parse_position(oracle::to_fen(below))->position.board();
      const Configuration row = configuration_of(board, side);
      const Configuration column = configuration_of(board, lanes.mover);
      if (!RowPlan::fits(row, side)) continue;
      if (lanes.rows.size() == kLeafRows && !std::ranges::count(lanes.rows, row)) continue;
      const std::size_t number = number_in(lanes.rows, row);
      lanes.pairs.push_back({number, number_in(lanes.columns, column), oracle::perft(below, 2)});
    }
  }
  return lanes;
}

/// The result of a count in lanes, and the value of each pair.
struct LaneCount {
  LeafCount count;
  std::vector<std::uint16_t> values;
  bool others_are_zero = true;  ///< all values are zero where there is no pair
};

/// Counts in the lanes of `kernel`; paths(i) paths lead to pair i.
LaneCount count_in_lanes(const LeafKernel& kernel, const LanePairs& lanes,
                         const std::function<std::uint32_t(std::size_t)>& paths) {
  LeafColumns leaf(lanes.mover, lanes.columns, lanes.rows, first_to_last,
                   std::pmr::get_default_resource());
  for (std::size_t block = 0; block < leaf.blocks().size(); ++block) leaf.fill(block);
  const std::size_t stride = leaf_stride(lanes.columns.size());
  std::vector<std::uint64_t> pairs(kLeafRows * stride / kBlockColumns);
  std::vector<std::uint32_t> paths_to(kLeafRows * stride);
  std::vector<std::uint16_t> values(kLeafRows * stride, 1);
  const auto place_of = [&](std::size_t pair) {
    return lanes.pairs[pair].row * stride + lanes.pairs[pair].column;
  };
  for (std::size_t i = 0; i < lanes.pairs.size(); ++i) {
    const std::size_t at = place_of(i);
    paths_to[at] = paths(i);
    pairs[at / kBlockColumns] |= std::uint64_t{1} << at % kBlockColumns;
  }
  LaneCount made;
  made.count = kernel.count(leaf,
                            {.rows = lanes.rows,
                             .pairs = pairs.data(),
                             .paths = paths_to.data(),
                             .stride = stride,
                             .values = values.data()},
                            best_kernel(), *kernel.make_scratch(leaf));
  for (std::size_t i = 0; i < lanes.pairs.size(); ++i)
    made.values.push_back(std::exchange(values[place_of(i)], std::uint16_t{0}));
  values.resize(lanes.rows.size() * stride);  // values of absent rows are not written
  made.others_are_zero =
      std::ranges::all_of(values, [](std::uint16_t value) { return value == 0; });
  return made;
}

struct NamedLanes {
  std::string_view name;
  const LeafKernel* kernel;
};
std::vector<NamedLanes> all_lanes() {
  std::vector<NamedLanes> all;
  for (const Kernel* kernel : kernels_here())
    all.push_back({kernel->name, &leaf_kernel_for(*kernel)});
  all.push_back({"plain-vectors", &plain_vector_leaves()});
  if (emulated_avx512_leaves() != nullptr)
    all.push_back({"avx512-emulated", emulated_avx512_leaves()});
  return all;
}

NodeCount leaves_of(const LeafCount& count) {
  return NodeCount::from_words(static_cast<std::uint64_t>(count.leaves >> 64),
                               static_cast<std::uint64_t>(count.leaves));
}

/// For numbers of paths from one to the largest that an entry can hold, the leaves of each pair and
/// their sum equal the oracle's. The same positions are counted for each number of paths.
TEST(LeafKernel, CountsEachPairAsOftenAsPathsLeadToIt) {
  constexpr std::uint32_t kMost = kTooManyPaths - 1;
  const Chooser choose = choose_by_seed(52);
  const std::function<std::uint32_t(std::size_t)> paths_of_pairs[] = {
      [](std::size_t) { return 1U; },
      [&](std::size_t) { return 1 + static_cast<std::uint32_t>(choose(1 << 16)); },
      [](std::size_t i) { return i % 7 == 0 ? kMost : 1U; },
      [&](std::size_t) { return 1 + static_cast<std::uint32_t>(choose(kMost)); },
      [](std::size_t) { return kMost; },
  };
  std::vector<std::string> fens{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                                "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
                                "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 b - - 0 1",
                                "r3k2r/1b6/8/8/8/8/8/R3K2R b KQkq - 0 1",
                                "3rk3/8/8/b7/8/2N5/8/3QK3 w - - 0 1"};
  while (fens.size() < 12) {
    std::string fen = piece_soup(choose);
    if (parse_position(fen)) fens.push_back(std::move(fen));
  }
  for (const std::string& fen : fens) {
    const LanePairs lanes = pairs_two_plies_below(fen);
    if (lanes.pairs.empty()) continue;
    for (const auto& [name, kernel] : all_lanes()) {
      const std::uint64_t positions = count_in_lanes(*kernel, lanes, paths_of_pairs[0]).count.pairs;
      for (const auto& paths : paths_of_pairs) {
        std::vector<std::uint32_t> numbers;
        NodeCount leaves;
        for (std::size_t i = 0; i < lanes.pairs.size(); ++i) {
          numbers.push_back(paths(i));
          leaves += NodeCount(numbers[i]) * lanes.pairs[i].leaves;
        }
        const LaneCount made =
            count_in_lanes(*kernel, lanes, [&](std::size_t i) { return numbers[i]; });
        EXPECT_EQ(leaves_of(made.count), leaves) << fen << ", " << name;
        EXPECT_EQ(made.count.pairs, positions) << fen << ", " << name;
        EXPECT_TRUE(made.others_are_zero) << fen << ", " << name;
        for (std::size_t i = 0; i < lanes.pairs.size(); ++i)
          EXPECT_EQ(made.values[i], lanes.pairs[i].leaves) << fen << ", " << name << ", pair " << i;
      }
    }
  }
}

}  // namespace
}  // namespace manyply
