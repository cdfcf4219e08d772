// The devices of this machine that can count the last plies of a count by configurations.
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
  std::uint64_t bytes = 0;       ///< of memory
  std::uint64_t most_bytes = 0;  ///< of one buffer
};

/// Which device to use, and how.
struct DeviceSpec {
  std::optional<std::size_t> number = {};  ///< in the list of devices; nullopt = the first GPU
  std::uint64_t most_bytes = 0;            ///< of its memory; 0 = most of it

  // For tests.
  enum class Dense : std::uint8_t { kWhateverPays, kAlways, kNever };
  Dense dense = Dense::kWhateverPays;    ///< whether pairs of ordinary configurations use tables
  std::uint32_t most_rows = UINT32_MAX;  ///< of a batch
  /// Stored plies with larger matrices before them are played on the device. By default, the
  /// processor would need about 10 ms.
  std::uint64_t least_stored_bytes = 1 << 18;
  /// Columns of a stored ply that one group makes at once: a multiple of 256 up to the default.
  std::uint32_t window_columns = 1 << 19;
};

/// Lists all devices. If OpenCL or a device is missing, returns kUnavailable, field "device", and
/// the message names what to install.
[[nodiscard]] Result<std::vector<DeviceInfo>> list_devices();

/// Opens a device and builds its program, which may take seconds. Returns kUnavailable or
/// kInvalidInput, field "device", if that is impossible.
[[nodiscard]] Result<std::unique_ptr<LastPliesDevice>> open_device(const DeviceSpec& spec);

}  // namespace manyply
