// Plies of distinct positions: made, stored, and turned over for the next one.
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

/// Which rows of a ply are made. Any thread.
struct RowFilter {
  std::function<bool(const Configuration&)> wanted;   ///< made, and kept
  std::function<bool(const Configuration&)> counted;  ///< and counted, too
};

/// Plays `ply`, of which `filter` may leave rows out, and turns it over: its rows become columns,
/// since now the other side moves. Rows and columns without pairs are left out. `distinct` becomes
/// the number of positions. After `stop` the answer is good for nothing. `progress` is started,
/// with a unit for each kind of rows. Throws MatrixDoesNotFit.
PairStage next_stage(const PairPly& ply, const RowFilter* filter, const Workers& workers,
                     const std::stop_token& stop, Progress& progress, MatrixBudget& budget,
                     std::uint64_t& distinct);

/// Positions of the rows of kind `kind`, of which none is kept; those in `counted` columns only, if
/// that is not null. `scratch` is the caller's own. After `stop` the number means nothing. Throws
/// MatrixDoesNotFit.
std::uint64_t count_rows(const PairPly& ply, std::size_t kind, const std::uint64_t* counted,
                         const std::stop_token& stop, PairPly::Scratch& scratch);

}  // namespace manyply
