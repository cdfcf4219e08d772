// Lists and opens devices, such as GPUs, and declares their interface. A device counts the last two
// plies of a count by configurations, and may also play earlier plies.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/memory.h"
#include "core/base/node_count.h"
#include "core/base/result.h"
#include "core/base/stop_view.h"
#include "core/board.h"
#include "parallel/matrix/matrix_job.h"
#include "parallel/matrix/matrix_ply.h"
#include "parallel/matrix/matrix_stage.h"
#include "parallel/progress.h"

namespace manyply {

/// Thrown if a device has failed. A job with JobSpec::one_of_many then counts without a device. Any
/// other job fails.
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

/// Returns the result of count(); kUnavailable with field "device" if count() throws DeviceFailed
/// or DeviceTooSmall.
template <typename Count>
auto with_device_errors(const Count& count) -> decltype(count()) try {
  return count();
} catch (const DeviceFailed& failure) {
  return Error{ErrorCode::kUnavailable, "device", 0, failure.what()};
} catch (const DeviceTooSmall& why) {
  return Error{ErrorCode::kUnavailable, "device", 0, why.what()};
}

/// A device. Only one thread at a time may use it. Jobs that may run at the same time must take a
/// DeviceLease.
class LastPliesDevice {
 public:
  LastPliesDevice() = default;
  virtual ~LastPliesDevice() = default;
  LastPliesDevice(const LastPliesDevice&) = delete;
  LastPliesDevice& operator=(const LastPliesDevice&) = delete;

  struct Counted {
    NodeCount nodes;
    std::uint64_t pairs = 0;        ///< positions after the ply, counted without tables
    std::uint64_t dense_pairs = 0;  ///< positions one ply below pairs that tables count
  };

  /// Counts the leaves two plies below all rows of `ply`. After a stop request the result is
  /// meaningless. `root` is the root of the count. Starts `progress`. Throws DeviceFailed and
  /// DeviceTooSmall. If 2^31 or more paths lead to one position, throws MatrixDoesNotFit.
  virtual Counted count(const MatrixPly& ply, const Board& root, const Workers& workers,
                        StopView stop, Progress& progress) = 0;

  /// Does the same as next_stage() of matrix_stage.h, but the order of columns and captures may
  /// differ. Returns nullopt if the processor should play this ply, because the ply is small or
  /// does not fit on the device. Throws DeviceFailed and MatrixDoesNotFit.
  virtual std::optional<MatrixStage> next_stage(const MatrixPly& ply, const Workers& workers,
                                                StopView stop, MatrixBudget& budget) = 0;

  /// Returns how the device was used since the last call of forget_use().
  [[nodiscard]] virtual DeviceUse use() const = 0;
  virtual void forget_use() = 0;

 protected:
  /// Call it when the device has failed. After that, the device gives no more leases.
  void note_failure() { failed_ = true; }

 private:
  friend class DeviceLease;
  std::atomic<bool> taken_ = false;   // written by leases; orders the accesses of successive jobs
  std::atomic<bool> failed_ = false;  // written by the job that uses the device
};

/// Reserves a device for one job, until this object is destroyed. Any thread may construct a lease.
/// The constructor never waits.
class DeviceLease {
 public:
  /// Takes `device`. If `device` is null, has failed or is used by another job, takes nothing.
  explicit DeviceLease(LastPliesDevice* device) {
    if (device == nullptr) return;
    if (device->failed_) {
      why_not_ = "the device has failed";
    } else if (device->taken_.exchange(true)) {
      why_not_ = "another job uses the device";
    } else {
      device_ = device;
      device_->forget_use();
    }
  }
  ~DeviceLease() {
    if (device_ != nullptr) device_->taken_ = false;
  }
  DeviceLease(const DeviceLease&) = delete;
  DeviceLease& operator=(const DeviceLease&) = delete;

  [[nodiscard]] LastPliesDevice* device() const { return device_; }  ///< null if not taken
  /// Returns why the device was not taken; empty if it was taken or is null.
  [[nodiscard]] const char* why_not() const { return why_not_; }

 private:
  LastPliesDevice* device_ = nullptr;
  const char* why_not_ = "";
};

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
  /// The device plays a stored ply (stored_plies.cpp) if the matrix from which the ply starts has
  /// at least this number of bytes. For a ply that starts from a matrix of 256 KiB, the default,
  /// the processor would need about 10 ms.
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
