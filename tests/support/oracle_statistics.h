// Move statistics by the oracle, which makes every move and examines the position after it.
#pragma once

#include "core/move_statistics.h"
#include "tests/support/oracle.h"

namespace manyply::oracle {

/// Returns statistics of the moves in the last of `depth` plies; depth >= 1.
[[nodiscard]] MoveStatistics statistics(const Position& position, int depth);

}  // namespace manyply::oracle
