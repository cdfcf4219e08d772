// Counts the last plies by OpenCL.
#pragma once

#include <memory>

#include "parallel/device/devices.h"
#include "parallel/device/opencl.h"

namespace manyply {

/// Does the same as open_device() with functions that the caller chooses, which must outlive the
/// device.
[[nodiscard]] Result<std::unique_ptr<LastPliesDevice>> open_device(const DeviceSpec& spec,
                                                                   const opencl::Api& api);

}  // namespace manyply
