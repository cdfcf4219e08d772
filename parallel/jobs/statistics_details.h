// Counts the kinds of moves that kernels cannot count with set operations. For this, examines each
// move of the last ply.
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
  kStalemates,  ///< moves after which the other side has no move and is not in check
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

/// Returns the number of moves of each kind at ply `spec.depth`, for each root move in
/// legal_moves() order. The result is empty at depth 0. Returns the same errors as run_job().
/// Throws nothing. Any thread may call it. The caller must not hold a lock.
Result<std::vector<LastPlyEntry>> count_last_ply(const TaskSpec& spec, const std::stop_token& stop,
                                                 Progress* progress = nullptr);

}  // namespace manyply
