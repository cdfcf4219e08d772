// Computes keys of all children of a position, either incrementally before each move or from
// scratch after the move. Also computes fingerprints.

#include <benchmark/benchmark.h>

#include <memory>

#include "bench/per_kernel.h"
#include "hash/fingerprint.h"
#include "hash/hashed_kernel.h"

namespace manyply {
namespace {

const KeySet& keys() {
  static const KeySet kKeys;
  return kKeys;
}

/// Makes the children without any key. The other benchmarks also compute keys, and the difference
/// in time is the cost of the keys.
std::uint64_t make_only(const Kernel& kernel, const Sample& sample) {
  std::uint64_t children = 0;
  for (const Board& board : sample.boards) {
    MoveList moves;
    kernel.generate(board, moves);
    for (const Move move : moves)
      benchmark::DoNotOptimize(kernel.make_unchecked(board, move).occupied());
    children += moves.size();
  }
  return children;
}

std::uint64_t from_scratch(const Kernel& kernel, const Sample& sample) {
  std::uint64_t children = 0;
  for (const Board& board : sample.boards) {
    MoveList moves;
    kernel.generate(board, moves);
    for (const Move move : moves)
      benchmark::DoNotOptimize(keys().key_from_scratch(kernel.make_unchecked(board, move)));
    children += moves.size();
  }
  return children;
}

std::uint64_t incremental(const Kernel& kernel, const Sample& sample) {
  const HashedKernel& hashed = hashed_kernel_for(kernel);
  const auto listed = std::make_unique<KeyedChildren>();
  std::uint64_t children = 0;
  for (const Board& board : sample.boards) {
    // Any parent key works, because each child's key is computed as a change to the parent's key.
    hashed.children(board, ZobristKey{1, 1}, keys(), *listed);
    benchmark::DoNotOptimize(listed->items[0].key);
    children += listed->size;
  }
  return children;
}

std::uint64_t fingerprints(const Kernel& kernel, const Sample& sample) {
  std::uint64_t children = 0;
  for (const Board& board : sample.boards) {
    MoveList moves;
    kernel.generate(board, moves);
    for (const Move move : moves)
      benchmark::DoNotOptimize(fingerprint(kernel.make_unchecked(board, move)));
    children += moves.size();
  }
  return children;
}

[[maybe_unused]] const bool registered =
    register_passes("make_only", &Sample::children, make_only) &&
    register_passes("incremental", &Sample::children, incremental) &&
    register_passes("from_scratch", &Sample::children, from_scratch) &&
    register_passes("fingerprint", &Sample::children, fingerprints);

/// Makes the random words of a key set.
void words(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(KeySet({.seed = 1}));
}
BENCHMARK(words)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace manyply
