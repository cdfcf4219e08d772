#include "core/movegen.h"

#include "core/kernels/kernel_registry.h"

namespace manyply {

MoveList legal_moves(const Position& position) {
  MoveList moves;
  portable::kKernel.generate(position.board(), moves);
  return moves;
}

}  // namespace manyply
