// Tests counts, divides and published counts. Compares every kernel that runs on this machine with
// the suites and with the other kernels.
#include "core/counting.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "core/fen.h"
#include "core/kernel.h"
#include "core/kernels/slider_tables.h"
#include "core/known_values.h"
#include "core/move_statistics.h"
#include "core/position.h"
#include "tests/support/budget.h"
#include "tests/support/epd_suite.h"
#include "tests/support/kernels_here.h"
#include "tests/support/oracle.h"
#include "tests/support/positions.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

std::string count(const Position& position, int depth) {
  return count_nodes(position, Depth(depth))->to_string();
}

TEST(CountNodes, IsOneAtDepthZero) {
  EXPECT_EQ(count(Position(), 0), "1");
  EXPECT_EQ(count(position_at("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), 0), "1");
}

TEST(CountNodes, IsZeroBehindTheEndOfTheGame) {
  for (const char* ended : {"R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}) {
    for (const int depth : {1, 2, 3, 7, 8, 64})
      EXPECT_EQ(count(position_at(ended), depth), "0") << depth;
  }
}

TEST(CountNodes, OfTheStartPosition) {
  EXPECT_EQ(count(Position(), 1), "20");
  EXPECT_EQ(count(Position(), 2), "400");
  EXPECT_EQ(count(Position(), 3), "8902");
  EXPECT_EQ(count(Position(), 4), "197281");
  EXPECT_EQ(count(Position(), 5), "4865609");
}

// Depths beyond a kernel's maximum are counted by adding up the children.
TEST(CountNodes, GoesDeeperThanAKernel) {
  static_assert(Kernel::kMaxDepth == 7);
  for (const char* fen : {"8/8/8/8/8/8/8/K1k5 w - - 0 1", "k7/p7/P7/8/8/p7/P7/K7 b - - 0 1"}) {
    for (const int depth : {7, 8, 9}) {
      EXPECT_EQ(count(position_at(fen), depth),
                std::to_string(oracle::perft(oracle::parse(fen), depth)))
          << fen << " at depth " << depth;
    }
  }
}

TEST(CountNodes, TakesTheDeepestDepth) {
  // Both sides can only move their kings.
  EXPECT_EQ(count(position_at("k1b5/1p1p4/1P1P4/8/8/1p1p4/1P1P4/K1B5 w - - 0 1"), Depth::kMax),
            "1");
}

TEST(CountNodes, ReportsVisitedPositionsAtAnyDepth) {
  const auto visited = [](int depth) {
    CountStats stats;
    const Position position = position_at("8/8/8/8/8/8/8/K1k5 w - - 0 1");
    EXPECT_TRUE(count_nodes(position, Depth(depth), best_kernel(), {}, stats).ok());
    return stats.visited;
  };
  std::uint64_t interior = 0;
  for (int depth = 1; depth <= 9; ++depth) {
    EXPECT_EQ(visited(depth), interior) << depth;
    interior += oracle::perft(oracle::parse("8/8/8/8/8/8/8/K1k5 w - - 0 1"), depth);
  }
}

TEST(CountNodes, RefusesToCountWhenStoppedBefore) {
  for (const int depth : {0, 1, 3, 6, 12}) {
    CountStats stats;
    const auto result =
        count_nodes(Position(), Depth(depth), best_kernel(), stopped_before(), stats);
    ASSERT_FALSE(result.ok()) << depth;
    EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
  }
}

TEST(CountNodes, StopsSoonWithoutAPartialCount) {
  // Some plies above the leaves, the count polls at each position. The work between two polls takes
  // a fraction of a millisecond.
  constexpr std::uint64_t kMostBetween = 50'000;
  for (const Kernel* kernel : kernels_here()) {
    for (const std::uint64_t times : {1U, 2U, 30U, 1000U}) {
      const CountedLooks stop(times);
      CountStats stats;
      EXPECT_EQ(count_nodes(Position(), Depth(12), *kernel, stop, stats).error().code,
                ErrorCode::kCancelled);
      EXPECT_LT(stats.visited, kMostBetween * times) << kernel->name;
    }
  }
}

TEST(Divide, ListsTheLegalMovesInOrder) {
  const Position position = position_at(kKiwipeteFen);
  const auto entries = divide(position, Depth(3)).value();
  const MoveList moves = legal_moves(position);
  ASSERT_EQ(entries.size(), moves.size());
  const auto expected = oracle::divide(oracle::parse(kKiwipeteFen), 3);
  NodeCount sum;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].move, moves[i]);
    const std::string text = to_uci(moves[i], CastlingNotation::kStandard);
    EXPECT_EQ(entries[i].nodes, NodeCount(expected.at(text))) << text;
    sum += entries[i].nodes;
  }
  EXPECT_EQ(sum, NodeCount(97862));
}

TEST(Divide, GivesOneEachAtDepthOneAndNothingAfterMate) {
  for (const DivideEntry& entry : *divide(Position(), Depth(1)))
    EXPECT_EQ(entry.nodes, NodeCount(1));
  EXPECT_TRUE(divide(position_at("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"), Depth(5))->empty());
  EXPECT_THROW(static_cast<void>(divide(Position(), Depth(0))), BugError);
}

TEST(KnownValues, HoldsPublishedValuesBeyond64Bits) {
  EXPECT_EQ(known_value(Position(), Depth(1)), NodeCount(20));
  EXPECT_EQ(known_value(Position(), Depth(14))->to_string(), "61885021521585529237");
  EXPECT_EQ(known_value(Position(), Depth(15))->to_string(), "2015099950053364471960");
  EXPECT_EQ(known_value(Position(), Depth(16)), std::nullopt);
  EXPECT_EQ(known_value(position_at("kiwipete"), Depth(9)), NodeCount(708027759953502));
}

TEST(KnownValues, DepthZeroIsOneEverywhere) {
  EXPECT_EQ(known_value(position_at("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), Depth(0)), NodeCount(1));
}

TEST(KnownValues, ClocksAndUselessEnPassantSquaresMakeNoDifference) {
  EXPECT_EQ(known_value(position_at("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 42 99"),
                        Depth(2)),
            NodeCount(400));
  EXPECT_EQ(known_value(position_at("4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1"), Depth(4)),
            NodeCount(92197));
  EXPECT_EQ(known_value(position_at("4k3/8/8/8/8/5b2/7R/4K2R b - - 0 1"), Depth(4)), std::nullopt);
}

/// Published tables contain errors, so this counts every value up to `limit` again.
void recount_up_to(std::uint64_t limit) {
  int recounted = 0;
  for (const char* fen :
       {"startpos", "kiwipete", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -",
        "8/3K4/2p5/p2b2r1/5k2/8/8/1q6 b - -", "8/7p/p5pb/4k3/P1pPn3/8/P5PP/1rB2RK1 b - d3",
        "rnbqkb1r/ppppp1pp/7n/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6",
        "4k3/8/8/8/8/5b2/7R/4K2R b K -",
        "rnbq1b1r/ppppkppp/4pn2/8/1Q6/2PP4/PP2PPPP/RNB1KBNR b KQ -"}) {
    const Position position = position_at(fen);
    bool found = false;
    for (int depth = 1; depth <= 15; ++depth) {
      const std::optional<NodeCount> published = known_value(position, Depth(depth));
      found = found || published;
      if (!published || *published > NodeCount(limit)) continue;
      EXPECT_EQ(*count_nodes(position, Depth(depth)), *published) << fen << " depth " << depth;
      ++recounted;
    }
    EXPECT_TRUE(found) << fen;
  }
  EXPECT_GT(recounted, 20);
}

TEST(KnownValues, ShallowOnesAreRight) { recount_up_to(budget(20'000'000)); }
TEST(KnownValuesSlow, DeeperOnesAreRight) { recount_up_to(10'000'000'000); }

TEST(KnownValues, VerdictsHaveNames) {
  EXPECT_EQ(to_string(KnownVerdict::kMatch), "match");
  EXPECT_EQ(to_string(KnownVerdict::kMismatch), "mismatch");
  EXPECT_EQ(to_string(KnownVerdict::kUnknown), "unknown");
}

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

/// Calls check(square, occupied) for each square and each subset of the squares that a slider there
/// attacks on an empty board, including edges: a million calls for rooks.
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
