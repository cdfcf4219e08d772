// Compares fast slider attacks with attacks found by walking along the rays, for every square and
// every relevant set of pieces on its lines.

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/kernel.h"
#include "core/kernels/slider_tables.h"
#include "tests/support/budget.h"
#include "tests/support/kernels_here.h"

namespace manyply {
namespace {

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
