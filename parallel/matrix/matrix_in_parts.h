// A count by configurations in parts, for matrices that memory does not hold.
#pragma once

#include "parallel/matrix/matrix_job.h"
#include "parallel/matrix/matrix_stage.h"

namespace manyply {

/// The share of pairs that there are among those of two ordinary configurations.
double density_of(const MatrixStage& stage, const Board& root, const Workers& workers,
                  StopView stop);

/// As count_by_configurations(), in parts. Throws MatrixDoesNotFit. Errors: those of the store.
/// After `by.stop()` the count is good for nothing.
Result<MatrixCount> count_in_parts(const MatrixSpec& spec, const Workforce& by);

}  // namespace manyply
