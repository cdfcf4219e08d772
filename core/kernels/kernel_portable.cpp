// The sets kernel for any 64-bit machine, in the compiler's vectors of 16 bytes: two positions per
// register.
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#include "core/kernels/kernel_constants.h"
#include "core/kernels/kernel_registry.h"

namespace manyply::portable {
namespace {

#include "core/kernels/legal_moves.inc"
// Keep this order: lanes_*.inc hides functions that legal_moves.inc calls (pawn_attacks()).
#include "core/kernels/lanes_pair.inc"
#include "core/kernels/sets_kernel.inc"
#include "core/kernels/sets_statistics.inc"

}  // namespace

const StatisticsKernel kStatistics = kSetsStatistics;

const Kernel kKernel{
    .name = "portable",
    .description = "in plain vectors, any 64-bit machine",
    .needs = {},
    .hashed = HashedPartner::kPortable,
    .statistics = kStatistics,
    .count = kernel_count,
    .count_two_plies = kernel_count_two_plies,
    .count_two_plies_in_lanes = kernel_count_two_plies_in_lanes,
    .generate = kernel_generate,
    .make_unchecked = kernel_make_unchecked,
};

Bitboard checkers(const Board& board) {
  const int king = lowest(board.of(board.side_to_move).king);
  return board.side_to_move == Color::kWhite
             ? attackers<Color::kBlack>(board.of(Color::kBlack), king, board.occupied())
             : attackers<Color::kWhite>(board.of(Color::kWhite), king, board.occupied());
}

bool en_passant_is_possible(const Board& board, Square target) {
  return (board.side_to_move == Color::kWhite
              ? en_passant_capturers<Color::kWhite>(board, index(target))
              : en_passant_capturers<Color::kBlack>(board, index(target))) != 0;
}

}  // namespace manyply::portable
