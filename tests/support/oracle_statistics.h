// Move statistics by the oracle: every move is made and looked at.
#pragma once

#include "core/move_statistics.h"
#include "tests/support/oracle.h"

namespace manyply::oracle {

/// The moves of the last of `depth` >= 1 plies.
[[nodiscard]] MoveStatistics statistics(const Position& position, int depth);

}  // namespace manyply::oracle
