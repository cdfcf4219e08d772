// Implements devices.h for WebAssembly, which cannot open libraries and so has no devices.
#include "parallel/device/devices.h"

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
