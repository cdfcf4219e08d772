// Counts kinds of moves of the last ply that kernels cannot count with operations on sets. It
// examines each such move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/node_count.h"
#include "core/position.h"
#include "parallel/jobs/workforce.h"

namespace manyply {

enum class LastPlyKind : std::uint8_t {
  kDoubleSteps,
  kCastlesKingSide,
  kCastlesQueenSide,
  kStalemates,  ///< moves that leave the other side without a move and not in check
};
inline constexpr std::size_t kLastPlyKinds = 4;

struct LastPlyTotals {
  std::array<NodeCount, kLastPlyKinds> counts{};

  [[nodiscard]] const NodeCount& operator[](LastPlyKind kind) const {
    return counts[static_cast<std::size_t>(kind)];
  }
  friend bool operator==(const LastPlyTotals&, const LastPlyTotals&) = default;
};

struct LastPlyEntry {
  Move move;
  LastPlyTotals totals;
};

/// Returns, for each root move in legal_moves() order, the number of moves of each kind at ply
/// `spec.depth` below it; empty at depth 0. Errors as for run_job(). Throws nothing. Any thread;
/// hold no lock.
Result<std::vector<LastPlyEntry>> count_last_ply(const TaskSpec& spec, const std::stop_token& stop,
                                                 Progress* progress = nullptr);

}  // namespace manyply
