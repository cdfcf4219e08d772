// Opens devices (devices.h) through a given OpenCL library.
#pragma once

#include <memory>

#include "parallel/device/devices.h"
#include "parallel/device/opencl.h"

namespace manyply {

/// Does the same as open_device(spec), but calls OpenCL through `api`, which must outlive the
/// device.
[[nodiscard]] Result<std::unique_ptr<LastPliesDevice>> open_device(const DeviceSpec& spec,
                                                                   const opencl::Api& api);

}  // namespace manyply
