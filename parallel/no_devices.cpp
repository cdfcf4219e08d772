// The device functions of builds for WebAssembly. They find no devices, because WebAssembly cannot
// open libraries.
#include "parallel/matrix/last_plies_device.h"

namespace manyply {
namespace {

Error no_device() {
  return {ErrorCode::kUnavailable, "device", 0,
          "WebAssembly cannot use a GPU; use the command for Linux, macOS or Windows"};
}

}  // namespace

Result<std::vector<DeviceInfo>> list_devices() { return no_device(); }

Result<std::unique_ptr<LastPliesDevice>> open_device(const DeviceSpec& /*spec*/) {
  return no_device();
}

}  // namespace manyply
