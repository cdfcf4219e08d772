// The interface of devices that count the last two plies, such as GPUs.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "core/base/memory.h"
#include "core/base/node_count.h"
#include "core/base/stop_view.h"
#include "core/board.h"
#include "parallel/matrix/matrix_job.h"
#include "parallel/matrix/matrix_ply.h"
#include "parallel/progress.h"

namespace manyply {

/// Thrown if a device has failed. The job then ends with an error.
class DeviceFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown if a device has too little memory. A smaller part of the count may fit.
class DeviceTooSmall : public MatrixTakesTooMuch {
 public:
  /// The device would need at least `used` bytes, but may use only `most`.
  DeviceTooSmall(std::uint64_t used, std::uint64_t most)
      : MatrixTakesTooMuch(("too little memory: at least " + format_bytes(used) + " needed, " +
                            format_bytes(most) + " available; allow more, or use another device")
                               .c_str()) {}
};

/// Counts on a device. Only one thread at a time may use it.
class LastPliesDevice {
 public:
  LastPliesDevice() = default;
  virtual ~LastPliesDevice() = default;
  LastPliesDevice(const LastPliesDevice&) = delete;
  LastPliesDevice& operator=(const LastPliesDevice&) = delete;

  struct Counted {
    NodeCount nodes;
    std::uint64_t pairs = 0;        ///< positions after the ply, each counted two plies deep
    std::uint64_t dense_pairs = 0;  ///< positions one ply later, counted with tables
  };

  /// Returns the number of leaves two plies below all rows of `ply`. After `stop` the result is
  /// meaningless. `root` is the root of the count. Starts `progress`. Throws DeviceFailed,
  /// DeviceTooSmall, and MatrixDoesNotFit if 2^31 or more paths lead to one position.
  virtual Counted count(const MatrixPly& ply, const Board& root, const Workers& workers,
                        StopView stop, Progress& progress) = 0;

  /// Returns what the counts up to now have used of the device.
  [[nodiscard]] virtual DeviceUse use() const = 0;
};

}  // namespace manyply
