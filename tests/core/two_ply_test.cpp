// perft(2) by every kernel that runs here against the plain scalar kernel, over a stream of random
// games and random placements.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/fen.h"
#include "core/kernel.h"
#include "core/movegen.h"
#include "tests/support/budget.h"
#include "tests/support/random_positions.h"

namespace manyply {
namespace {

const Kernel& scalar_kernel() {
  const auto bmi2 = find_kernel("bmi2");
  return bmi2 ? **bmi2 : **find_kernel("portable");
}

std::vector<const Kernel*> lane_kernels_here() {
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : all_kernels()) {
    if (runs_here(kernel) && &kernel != &scalar_kernel() && kernel.name != "portable")
      kernels.push_back(&kernel);
  }
  return kernels;
}

/// Boards of one side to move, checked as batches of all sizes.
class Comparison {
 public:
  void add(const Board& board) {
    batch_[board.side_to_move == Color::kWhite ? 0 : 1].push_back(board);
    auto& batch = batch_[board.side_to_move == Color::kWhite ? 0 : 1];
    if (batch.size() < batch_size_) return;
    compare(batch);
    batch.clear();
    batch_size_ = batch_size_ % 40 + 1;
  }
  [[nodiscard]] std::uint64_t positions() const { return positions_; }

 private:
  void compare(const std::vector<Board>& batch) {
    std::array<std::uint32_t, 64> expected;
    std::array<std::uint32_t, 64> found;
    scalar_kernel().count_two_plies(batch.data(), batch.size(), expected.data());
    for (const Kernel* kernel : kernels_) {
      kernel->count_two_plies(batch.data(), batch.size(), found.data());
      for (std::size_t i = 0; i < batch.size(); ++i) {
        ASSERT_EQ(found[i], expected[i])
            << kernel->name << ": " << to_fen(PositionAccess::wrap_unchecked(batch[i]));
      }
    }
    positions_ += batch.size();
  }

  std::vector<const Kernel*> kernels_ = lane_kernels_here();
  std::array<std::vector<Board>, 2> batch_;
  std::size_t batch_size_ = 1;
  std::uint64_t positions_ = 0;
};

/// Plays at random from `board`, up to `plies` moves, and adds every position on the way.
void play(Comparison& comparison, Board board, std::size_t plies, const Chooser& choose) {
  const Kernel& scalar = scalar_kernel();
  for (; plies > 0; --plies) {
    comparison.add(board);
    MoveList moves;
    scalar.generate(board, moves);
    if (moves.empty()) return;
    board = scalar.make_unchecked(board, moves[choose(moves.size())]);
  }
}

void compare_positions(std::uint64_t positions, std::uint64_t seed) {
  if (lane_kernels_here().empty()) GTEST_SKIP() << "scalar kernels only";
  const Chooser choose = choose_by_seed(seed);
  Comparison comparison;
  const auto play_from = [&](const std::string& fen, std::size_t plies) {
    if (const auto named = parse_position(fen))
      play(comparison, named->position.board(), plies, choose);
  };
  while (comparison.positions() < positions && !::testing::Test::HasFatalFailure()) {
    play_from(std::string(kStartFen), 150);
    play_from(std::string(kKiwipeteFen), 80);
    play_from(chess960_start(static_cast<int>(choose(960))), 80);
    // Few of them are legal.
    for (int i = 0; i < 40; ++i) play_from(piece_soup(choose), 1 + choose(16));
  }
}

TEST(TwoPly, AgreesOnRandomPositions) { compare_positions(budget(1'000'000), 1); }

TEST(TwoPlySlow, AgreesOnManyRandomPositions) { compare_positions(10'000'000, 2); }

}  // namespace
}  // namespace manyply
