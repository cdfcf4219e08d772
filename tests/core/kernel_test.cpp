// Compares every kernel that runs on this machine with the suites and with the other kernels.
#include "core/kernel.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "core/counting.h"
#include "core/fen.h"
#include "core/kernels/slider_tables.h"
#include "core/move_statistics.h"
#include "tests/support/budget.h"
#include "tests/support/epd_suite.h"
#include "tests/support/kernels_here.h"
#include "tests/support/random_positions.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

TEST(Kernels, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names{"auto"};
  for (const Kernel& kernel : all_kernels()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    EXPECT_FALSE(kernel.description.empty());
  }
}

TEST(Kernels, RunWhereTheProcessorHasWhatTheyNeed) {
  const Extensions here = Extensions::of_this_processor();
  for (const Kernel& kernel : all_kernels()) {
    const Extensions lacking = kernel.needs.without(here);
    EXPECT_EQ(runs_here(kernel), lacking == Extensions()) << kernel.name;
    if (runs_here(kernel)) continue;
    EXPECT_THAT(find_kernel(kernel.name).error().message,
                AllOf(HasSubstr("cannot run '" + std::string(kernel.name) + "'"),
                      EndsWith("lacks " + lacking.to_string())));
  }
}

TEST(Extensions, AreSets) {
  constexpr Extensions kAvx = Extensions::of("avx,popcnt");
  constexpr Extensions kAvx2 = Extensions::of("bmi,bmi2,lzcnt,popcnt,avx2");
  static_assert(kAvx == Extensions::of("popcnt,avx"));
  static_assert(kAvx.include(Extensions::of("popcnt")) && kAvx.include({}));
  static_assert(!kAvx.include(kAvx2) && !Extensions().include(kAvx));
  EXPECT_EQ(Extensions().to_string(), "");
  EXPECT_EQ(kAvx2.without(kAvx).to_string(), "lzcnt, bmi, bmi2, avx2");
}

TEST(Kernels, PortableRunsEverywhere) {
  const auto portable = find_kernel("portable");
  EXPECT_TRUE(runs_here(**portable));
}

TEST(Kernels, AutoIsTheBest) {
  EXPECT_EQ((*find_kernel("auto"))->name, best_kernel().name);
  EXPECT_TRUE(runs_here(best_kernel()));
}

TEST(Kernels, AreFoundByName) {
  for (const Kernel& kernel : all_kernels()) {
    const auto found = find_kernel(kernel.name);
    if (runs_here(kernel)) {
      EXPECT_EQ(*found, &kernel);
    } else {
      EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
    }
  }
  const auto unknown = find_kernel("abacus");
  EXPECT_EQ(unknown.error().field, "kernel");
  EXPECT_THAT(unknown.error().message, HasSubstr("'abacus' is not one of auto, "));
  EXPECT_THAT(unknown.error().message, HasSubstr("portable"));
  EXPECT_FALSE(find_kernel("").ok());
}

TEST(Kernels, TheScalarCodeIsThereButNotToCountWith) {
  EXPECT_TRUE(runs_here(scalar_kernel()));
  EXPECT_FALSE(find_kernel(scalar_kernel().name).ok());
}

class EachKernel : public ::testing::TestWithParam<const Kernel*> {
 protected:
  const Kernel& kernel() const { return *GetParam(); }

  NodeCount count(const Position& position, int depth) const {
    CountStats stats;
    return count_nodes(position, Depth(depth), kernel(), std::stop_token(), stats).value();
  }

  void expect_suites(std::uint64_t nodes) const {
    const auto cases = load_suites_within(nodes);
    ASSERT_FALSE(cases.empty());
    for (const SuiteCase& c : cases) {
      ASSERT_EQ(count(c.record.root.position, c.expected.depth.plies()).to_string(),
                c.expected.nodes.to_string())
          << c.where << " at depth " << c.expected.depth.plies() << ": " << c.record.fen;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, EachKernel, ::testing::ValuesIn(kernels_here()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(EachKernel, CountsTheSuites) { expect_suites(budget(500'000'000)); }

TEST_P(EachKernel, CountsTheSuitesToTheEndSlow) { expect_suites(100'000'000'000); }

/// Returns a mixture of positions with this side to move: quiet and crowded ones, mates,
/// promotions, castling.
std::vector<Board> boards_with(Color side, std::size_t size, const Chooser& choose) {
  std::vector<Board> boards;
  while (boards.size() < size) {
    const auto named = parse_position(piece_soup(choose));
    if (!named) continue;
    Position position = named->position;
    for (std::size_t plies = choose(3); plies > 0; --plies) {
      const MoveList moves = legal_moves(position);
      if (!moves.empty()) position = position.after_unchecked(moves[choose(moves.size())]);
    }
    if (position.side_to_move() == side) boards.push_back(position.board());
  }
  return boards;
}

// A kernel may work on neighbouring positions at the same time. For every batch size, their counts
// must stay separate.
TEST_P(EachKernel, CountsTwoPliesOfABatchAsOneByOne) {
  const Chooser choose = choose_by_seed(21);
  for (std::size_t size = 0; size < budget(4 * 64); ++size) {
    const std::size_t n = size % 64;
    const auto boards = boards_with(size % 2 == 0 ? Color::kWhite : Color::kBlack, n, choose);
    std::vector<std::uint32_t> leaves(n + 1, 0xDEAD);
    kernel().count_two_plies(boards.data(), n, leaves.data());
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(NodeCount(leaves[i]), count(position_unchecked(boards[i]), 2))
          << to_fen(position_unchecked(boards[i])) << ", " << i << " of " << n;
    }
    EXPECT_EQ(leaves[n], 0xDEADU) << "wrote past the batch";
    BoardLanes lanes;
    for (std::size_t i = 0; i < n; ++i) lanes.put(i, boards[i]);
    std::vector<std::uint32_t> in_lanes(n + 1, 0xDEAD);
    kernel().count_two_plies_in_lanes(lanes, n, in_lanes.data());
    EXPECT_EQ(in_lanes, leaves);
  }
}

TEST_P(EachKernel, AgreesWithPortableAtDepthThreeAndFour) {
  const Kernel& portable = **find_kernel("portable");
  const Chooser choose = choose_by_seed(22);
  std::uint64_t nodes = 0;
  while (nodes < budget(200'000'000)) {
    const auto named = parse_position(piece_soup(choose));
    if (!named) continue;
    for (const int depth : {3, 4}) {
      CountStats stats;
      CountStats expected_stats;
      const Board& board = named->position.board();
      const std::uint64_t expected = portable.count(board, depth, {}, expected_stats);
      ASSERT_EQ(kernel().count(board, depth, {}, stats), expected)
          << to_fen(named->position, named->notation) << " at depth " << depth;
      EXPECT_EQ(stats.visited, expected_stats.visited);
      nodes += expected;
      if (expected > 2'000'000) break;
    }
  }
}

TEST_P(EachKernel, CountsVisitedPositions) {
  CountStats stats;
  std::uint64_t leaves = kernel().count(Position().board(), 1, {}, stats);
  EXPECT_EQ(leaves, 20U);
  EXPECT_EQ(stats.visited, 0U);
  leaves = kernel().count(Position().board(), 4, {}, stats);
  EXPECT_EQ(leaves, 197281U);
  EXPECT_EQ(stats.visited, 20U + 400U + 8902U);
  kernel().count(Position().board(), 2, {}, stats);
  EXPECT_EQ(stats.visited, 20U + 400U + 8902U + 20U) << "adds to what is there";
}

TEST_P(EachKernel, StopsSoonWhenAsked) {
  CountStats stats;
  kernel().count(Position().board(), Kernel::kMaxDepth, stopped_before(), stats);
  EXPECT_LT(stats.visited, 1'000'000U);
}

// Compares fast slider attacks with attacks found by walking along the rays, for every square and
// every relevant set of pieces on its lines.

using Attacks = Bitboard (*)(int square, Bitboard occupied);

/// Calls check(square, occupied) for each subset of the empty-board lines, edges included: 2.2
/// million for rooks.
template <typename Check>
void for_each_occupancy(Attacks walk, Check check) {
  for (int square = 0; square < 64; ++square) {
    const Bitboard lines = walk(square, 0);
    Bitboard occupied = 0;
    do {
      check(square, occupied);
      occupied = (occupied - lines) & lines;
    } while (occupied != 0);
  }
}

void expect_same(Attacks fast, Attacks walk) {
  std::mt19937_64 random(1);
  std::uint64_t wrong = 0;
  for_each_occupancy(walk, [&](int square, Bitboard occupied) {
    // Pieces that are not on the lines, or on the square itself, have no effect.
    const Bitboard elsewhere = random() & ~walk(square, 0);
    wrong += fast(square, occupied | elsewhere) != walk(square, occupied) ? 1 : 0;
  });
  EXPECT_EQ(wrong, 0U);
}

TEST(SliderAttacks, HyperbolaSeesWhatRaysSee) {
  expect_same(rook_attacks_by_hyperbola, rook_attacks_by_walking);
  expect_same(bishop_attacks_by_hyperbola, bishop_attacks_by_walking);
}

/// A position with a single slider of the side to move and black pawns. The kings neither check nor
/// block, so the slider's moves in `kernel` are its attacks.
class LoneSlider {
 public:
  LoneSlider(const Kernel& kernel, Bitboard Pieces::* kind, Attacks walk)
      : kernel_(kernel), kind_(kind), walk_(walk) {}

  Bitboard targets(int square, Bitboard occupied) const {
    const Bitboard pawn_attacked = pawn_attacks<Color::kBlack>(occupied);
    const Bitboard free = ~(walk_(square, 0) | bit(square) | pawn_attacked);
    const int white_king = lowest(free);
    const int black_king =
        lowest(free & ~bit(white_king) & ~kKingAttacks[static_cast<std::size_t>(white_king)]);
    Board board;
    board.of(Color::kWhite).king = bit(white_king);
    board.of(Color::kWhite).*kind_ = bit(square);
    board.of(Color::kBlack).king = bit(black_king);
    board.of(Color::kBlack).pawns = occupied;
    MoveList moves;
    kernel_.generate(board, moves);
    Bitboard targets = 0;
    for (const Move move : moves) targets |= index(move.from()) == square ? bit(move.to()) : 0;
    return targets;
  }

 private:
  const Kernel& kernel_;
  Bitboard Pieces::* kind_;
  Attacks walk_;
};

TEST(SliderAttacks, EveryKernelMovesSlidersAlongTheirRays) {
  constexpr std::uint64_t kStep = kIsFastBuild ? 1 : 17;
  for (const Kernel* kernel : kernels_here()) {
    for (const auto& [kind, walk] :
         {std::pair<Bitboard Pieces::*, Attacks>{&Pieces::rooks_queens, rook_attacks_by_walking},
          {&Pieces::bishops_queens, bishop_attacks_by_walking}}) {
      const LoneSlider slider(*kernel, kind, walk);
      std::uint64_t wrong = 0;
      std::uint64_t number = 0;
      for_each_occupancy(walk, [&, walk = walk](int square, Bitboard occupied) {
        if (number++ % kStep != 0) return;
        wrong += slider.targets(square, occupied) != walk(square, occupied) ? 1 : 0;
      });
      EXPECT_EQ(wrong, 0U) << kernel->name;
    }
  }
}

}  // namespace
}  // namespace manyply
