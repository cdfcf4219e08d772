#include "bench/sample.h"

#include <array>
#include <stop_token>

#include "core/fen.h"
#include "core/kernel.h"
#include "core/position.h"

namespace manyply {

namespace {

/// How to draw a sample, and the sums that it must have. A walk through the tree of `fen` enters
/// each position two plies above `ply` with probability 1 / `keep_subtrees`. At `ply`, it keeps
/// each position with probability 1 / `keep_positions`.
struct Recipe {
  const char* name;
  std::string_view fen;
  int ply;
  std::uint64_t keep_subtrees;
  std::uint64_t keep_positions;
  std::size_t positions;
  std::uint64_t children;
  std::uint64_t grandchildren;
};

constexpr std::array<Recipe, 4> kRecipes{{
    {"start-5", kStartFen, 5, 16, 10, 32306, 791179, 21098449},
    {"start-6", kStartFen, 6, 400, 10, 29773, 802452, 21277422},
    {"kiwipete-4", kKiwipeteFen, 4, 12, 12, 26242, 1238587, 51504635},
    {"kiwipete-5", kKiwipeteFen, 5, 500, 13, 30438, 1257469, 59001465},
}};

/// SplitMix64. It gives the same numbers on every machine; the distributions of the C++ standard do
/// not guarantee that.
class Dice {
 public:
  /// Returns true with probability 1 / n.
  bool one_in(std::uint64_t n) {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return (z ^ (z >> 31)) % n == 0;
  }

 private:
  std::uint64_t state_ = 2024;
};

void draw(const Position& position, int plies, const Recipe& recipe, Dice& dice,
          std::vector<Board>& boards) {
  if (plies == 0) {
    if (dice.one_in(recipe.keep_positions)) boards.push_back(position.board());
    return;
  }
  if (plies == 2 && !dice.one_in(recipe.keep_subtrees)) return;
  for (const Move move : legal_moves(position))
    draw(position.after_unchecked(move), plies - 1, recipe, dice, boards);
}

Sample draw(const Recipe& recipe) {
  Sample sample{recipe.name, {}};
  Dice dice;
  draw(parse_position(recipe.fen)->position, recipe.ply, recipe, dice, sample.boards);
  const Kernel& portable = **find_kernel("portable");
  CountStats stats;
  for (const Board& board : sample.boards) {
    sample.children += portable.count(board, 1, {}, stats);
    sample.grandchildren += portable.count(board, 2, {}, stats);
  }
  return sample;
}

}  // namespace

std::span<const Sample> samples() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> drawn;
    for (const Recipe& recipe : kRecipes) {
      drawn.push_back(draw(recipe));
      const Sample& sample = drawn.back();
      MANYPLY_CHECK(sample.boards.size() == recipe.positions &&
                    sample.children == recipe.children &&
                    sample.grandchildren == recipe.grandchildren);
    }
    return drawn;
  }();
  return all;
}

}  // namespace manyply
