// Takes positions one at a time. Lists the moves of a position, makes its children, or counts its
// moves without listing them.

#include "bench/per_kernel.h"

namespace manyply {
namespace {

std::uint64_t list_moves(const Kernel& kernel, const Sample& sample) {
  std::uint64_t sum = 0;
  for (const Board& board : sample.boards) {
    MoveList moves;
    kernel.generate(board, moves);
    benchmark::DoNotOptimize(moves);
    sum += moves.size();
  }
  return sum;
}

std::uint64_t make_children(const Kernel& kernel, const Sample& sample) {
  std::uint64_t sum = 0;
  for (const Board& board : sample.boards) {
    MoveList moves;
    kernel.generate(board, moves);
    for (const Move move : moves) benchmark::DoNotOptimize(kernel.make_unchecked(board, move));
    sum += moves.size();
  }
  return sum;
}

std::uint64_t bulk_count(const Kernel& kernel, const Sample& sample) {
  std::uint64_t sum = 0;
  CountStats stats;
  for (const Board& board : sample.boards) sum += kernel.count(board, 1, {}, stats);
  return sum;
}

[[maybe_unused]] const bool registered =
    register_passes("list_moves", &Sample::children, list_moves) &&
    register_passes("make_children", &Sample::children, make_children) &&
    register_passes("bulk_count", &Sample::children, bulk_count);

}  // namespace
}  // namespace manyply
