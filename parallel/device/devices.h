// Lists and opens the devices that can count the last plies of a count by configurations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "parallel/matrix/last_plies_device.h"

namespace manyply {

struct DeviceInfo {
  std::string name;
  std::string driver;  ///< version of the driver
  bool is_gpu = false;
  std::uint64_t bytes = 0;       ///< size of the memory
  std::uint64_t most_bytes = 0;  ///< largest size of one buffer
};

/// Which device to use, and how.
struct DeviceSpec {
  std::optional<std::size_t> number = {};  ///< in the list of devices; nullopt = the first GPU
  std::uint64_t most_bytes = 0;            ///< bytes of memory to use; 0 = most of the memory

  // For tests.
  enum class Dense : std::uint8_t { kWhateverPays, kAlways, kNever };
  Dense dense = Dense::kWhateverPays;    ///< whether tables count pairs of ordinary configurations
  std::uint32_t most_rows = UINT32_MAX;  ///< largest number of rows in a batch
  /// The device plays a stored ply (stored_plies.h) if the matrix from which the ply starts has at
  /// least this number of bytes. For a ply that starts from a matrix of 256 KiB, the default, the
  /// processor would need about 10 ms.
  std::uint64_t least_stored_bytes = 1 << 18;
  /// Number of columns that a work-group makes at once in a stored ply (stored_plies.cl). It must
  /// be a multiple of 256, and at most the default.
  std::uint32_t window_columns = 1 << 19;
};

/// Lists all devices. If there is no OpenCL or no device, returns kUnavailable with field "device".
/// The message then says what to install.
[[nodiscard]] Result<std::vector<DeviceInfo>> list_devices();

/// Opens a device and builds its program, which may take seconds. Returns kInvalidInput, field
/// "device", if spec.number is too large, and kUnavailable, field "device", if the device cannot be
/// used.
[[nodiscard]] Result<std::unique_ptr<LastPliesDevice>> open_device(const DeviceSpec& spec);

}  // namespace manyply
