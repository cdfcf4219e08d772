#include "parallel/jobs/small_count.h"

#include <cmath>

#include "core/counting.h"

namespace manyply {

bool is_small(const Board& board, int depth, double most_leaves, const Kernel& kernel,
              const std::stop_token& stop) {
  constexpr int kAlwaysSmall = 4;
  if (depth <= kAlwaysSmall) return true;
  CountStats unused;
  const double two = count_board(board, 2, kernel, stop, unused).approximate();
  const double three = count_board(board, 3, kernel, stop, unused).approximate();
  return two == 0 || three * std::pow(three / two, depth - 3) <= most_leaves;
}

}  // namespace manyply
