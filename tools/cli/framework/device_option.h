// The flags that choose a device for the last plies of a count.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "parallel/device/devices.h"
#include "tools/cli/framework/shared_flags.h"

namespace manyply {

struct DeviceOptions {
  std::optional<DeviceSpec> device = {};  ///< nullopt = the processor
  bool lists_devices = false;
  std::uint64_t device_bytes = 0;  ///< device memory that a count may use; 0 = most of it
};
extern const std::array<Flag<DeviceOptions>, 2> kDevice;  ///< --device, --device-memory

/// Opens the chosen device. Returns null if the user chose the processor. Errors name the flag.
Result<std::unique_ptr<LastPliesDevice>> opened_device(const DeviceOptions& options);

/// Prints all devices. Returns the exit code.
int print_devices(Io& io);

/// Prints a note on io.err if a count of this depth does not use the device. `divide` says whether
/// the count is a divide.
void note_unused_device(int depth, bool divide, Io& io);

}  // namespace manyply
