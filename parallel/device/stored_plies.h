// Plays stored plies on a device. A stored ply is one whose matrix is stored for the next ply.
#pragma once

#include "core/base/stop_view.h"
#include "parallel/device/opencl.h"
#include "parallel/matrix/matrix_stage.h"
#include "parallel/workers.h"

namespace manyply::device {

/// Does the same as next_stage(), but the order of columns and captures may differ. Throws
/// DeviceFailed and the exceptions of next_stage(). If the tables of the ply do not fit on the
/// device, throws DeviceTooSmall.
MatrixStage next_stage_on(opencl::Device& device, const DeviceSpec& spec, const MatrixPly& ply,
                          const Workers& workers, StopView stop, MatrixBudget& budget);

}  // namespace manyply::device
