// Plays plies of distinct positions, and stores and transposes them for the next ply.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "core/configurations/configuration_set.h"
#include "parallel/matrix/matrix_stage.h"
#include "parallel/matrix/pair_matrix.h"
#include "parallel/matrix/pair_ply.h"
#include "parallel/progress.h"
#include "parallel/workers.h"

namespace manyply {

/// Decides which rows of a ply are made. Any thread may call it.
struct RowFilter {
  std::function<bool(const Configuration&)> wanted;   ///< whether to make and keep a row
  std::function<bool(const Configuration&)> counted;  ///< whether to count it, too
};

/// Plays `ply` without the rows that `filter` rejects, and transposes it: its rows become columns,
/// because the other side moves next. Leaves out rows and columns without pairs. Sets `distinct` to
/// the number of counted positions. The caller must have started `progress` with a unit for each
/// kind of rows. Unusable after `stop`. Throws MatrixDoesNotFit.
PairStage next_stage(const PairPly& ply, const RowFilter* filter, const Workers& workers,
                     const std::stop_token& stop, Progress& progress, MatrixBudget& budget,
                     std::uint64_t& distinct);

/// Returns the number of positions in the rows of kind number `kind`, without storing them. Counts
/// only rows for which `wanted` returns true if it is not empty, and only columns in `counted` if
/// that is not null. `scratch` belongs to the calling thread. Meaningless after `stop`. Throws
/// MatrixDoesNotFit.
std::uint64_t count_rows(const PairPly& ply, std::size_t kind,
                         const std::function<bool(const Configuration&)>& wanted,
                         const std::uint64_t* counted, const std::stop_token& stop,
                         PairPly::Scratch& scratch);

}  // namespace manyply
