// Plays the plies of a count of distinct positions, and transposes each ply for the next one.
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
  std::function<bool(const Configuration&)> counted;  ///< whether to count a row that is wanted
};

/// Plays `ply` without the rows that `filter` rejects, and transposes it: its rows become columns,
/// because the other side moves next. Leaves out rows and columns without pairs. Sets `distinct` to
/// the number of positions in the rows that `filter` counts. The caller must have started
/// `progress` with ply.kinds() units. After a stop request the result is unusable. Throws
/// MatrixDoesNotFit.
PairStage next_stage(const PairPly& ply, const RowFilter* filter, const Workers& workers,
                     const std::stop_token& stop, Progress& progress, MatrixBudget& budget,
                     std::uint64_t& distinct);

/// Returns the number of positions in the rows of kind number `kind`, without storing them. If
/// `wanted` is not empty, counts only rows for which it returns true. If `counted` is not null,
/// counts only pairs in columns whose bit is set in `counted`. `scratch` must belong to the calling
/// thread. After a stop request the result is meaningless. Throws MatrixDoesNotFit.
std::uint64_t count_rows(const PairPly& ply, std::size_t kind,
                         const std::function<bool(const Configuration&)>& wanted,
                         const std::uint64_t* counted, const std::stop_token& stop,
                         PairPly::Scratch& scratch);

}  // namespace manyply
