// Measures perft(2), which kernels compute for the last two plies of a count. Positions are counted
// one at a time, in batches of 32 (about the number of children of a node), or all in one call. If
// a call has several positions, a kernel can work on some of them at the same time.

#include <algorithm>
#include <vector>

#include "bench/per_kernel.h"

namespace manyply {
namespace {

std::uint64_t one_by_one(const Kernel& kernel, const Sample& sample) {
  std::uint64_t sum = 0;
  CountStats stats;
  for (const Board& board : sample.boards) sum += kernel.count(board, 2, {}, stats);
  return sum;
}

std::uint64_t in_batches(const Kernel& kernel, const Sample& sample, std::size_t batch) {
  std::uint64_t sum = 0;
  std::vector<std::uint32_t> leaves(batch);
  for (std::size_t at = 0; at < sample.boards.size(); at += batch) {
    const std::size_t count = std::min(batch, sample.boards.size() - at);
    kernel.count_two_plies(sample.boards.data() + at, count, leaves.data());
    for (std::size_t i = 0; i < count; ++i) sum += leaves[i];
  }
  return sum;
}

std::uint64_t by_siblings(const Kernel& kernel, const Sample& sample) {
  return in_batches(kernel, sample, 32);
}

std::uint64_t all_at_once(const Kernel& kernel, const Sample& sample) {
  return in_batches(kernel, sample, sample.boards.size());
}

[[maybe_unused]] const bool registered =
    register_passes("two_plies_each", &Sample::grandchildren, one_by_one) &&
    register_passes("two_plies_by_32", &Sample::grandchildren, by_siblings) &&
    register_passes("two_plies_all", &Sample::grandchildren, all_at_once);

}  // namespace
}  // namespace manyply
