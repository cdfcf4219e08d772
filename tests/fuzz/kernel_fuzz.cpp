// The bytes select a position (random pieces or the start of a game) and a few moves from there.
// The library must agree with the oracle after each move, and all kernels must agree one ply
// deeper.

#include "core/kernel.h"
#include "tests/fuzz/expect.h"
#include "tests/support/agreement.h"
#include "tests/support/positions.h"

using namespace manyply;

namespace {

std::string root(const Chooser& choose) {
  switch (choose(4)) {
    case 0:
      return std::string(kKiwipeteFen);
    case 1:
      return chess960_start(static_cast<int>(choose(4) * 240 + choose(240)));
    default:
      return piece_soup(choose);
  }
}

void expect_kernels_agree(const std::string& fen) {
  const Result<NamedPosition> named = parse_position(fen);
  if (!named) return;
  const Board& board = named->position.board();
  const Kernel& reference = scalar_kernel();
  CountStats stats;
  if (reference.count(board, 2, {}, stats) > 5'000) return;  // keep the fuzzer fast
  const std::uint64_t expected = reference.count(board, 3, {}, stats);
  for (const Kernel& kernel : all_kernels()) {
    if (runs_here(kernel)) expect(kernel.count(board, 3, {}, stats) == expected, kernel.name, fen);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Chooser choose = choose_by_bytes({data, size});
  const std::string fen = root(choose);
  const std::string problem = first_disagreement(fen, choose, static_cast<int>(choose(3)), 2);
  expect(problem.empty(), problem);
  expect_kernels_agree(fen);
  return 0;
}
