// Opens OpenCL 1.2 at run time, so that the program can be built and started without OpenCL.
// Declares the few functions that we use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/node_count.h"
#include "core/base/result.h"
#include "core/base/stop_view.h"
#include "parallel/matrix/last_plies_device.h"

namespace manyply::opencl {

using Handle = void*;
using Int = std::int32_t;
using UInt = std::uint32_t;
using Bits = std::uint64_t;

/// The functions of the library. Each has the name of an OpenCL function, without "cl".
struct Api {
  Int (*GetPlatformIDs)(UInt, Handle*, UInt*);
  Int (*GetDeviceIDs)(Handle, Bits, UInt, Handle*, UInt*);
  Int (*GetDeviceInfo)(Handle, UInt, std::size_t, void*, std::size_t*);
  Handle (*CreateContext)(const std::intptr_t*, UInt, const Handle*, void*, void*, Int*);
  Int (*ReleaseContext)(Handle);
  Handle (*CreateCommandQueue)(Handle, Handle, Bits, Int*);
  Int (*ReleaseCommandQueue)(Handle);
  Handle (*CreateProgramWithSource)(Handle, UInt, const char**, const std::size_t*, Int*);
  Int (*BuildProgram)(Handle, UInt, const Handle*, const char*, void*, void*);
  Int (*GetProgramBuildInfo)(Handle, Handle, UInt, std::size_t, void*, std::size_t*);
  Int (*ReleaseProgram)(Handle);
  Handle (*CreateKernel)(Handle, const char*, Int*);
  Int (*ReleaseKernel)(Handle);
  Int (*SetKernelArg)(Handle, UInt, std::size_t, const void*);
  Handle (*CreateBuffer)(Handle, Bits, std::size_t, void*, Int*);
  Int (*ReleaseMemObject)(Handle);
  Int (*EnqueueWriteBuffer)(Handle, Handle, UInt, std::size_t, std::size_t, const void*, UInt,
                            const Handle*, Handle*);
  Int (*EnqueueReadBuffer)(Handle, Handle, UInt, std::size_t, std::size_t, void*, UInt,
                           const Handle*, Handle*);
  Int (*EnqueueNDRangeKernel)(Handle, Handle, UInt, const std::size_t*, const std::size_t*,
                              const std::size_t*, UInt, const Handle*, Handle*);
  void* (*EnqueueMapBuffer)(Handle, Handle, UInt, Bits, std::size_t, std::size_t, UInt,
                            const Handle*, Handle*, Int*);
  Int (*EnqueueUnmapMemObject)(Handle, Handle, void*, UInt, const Handle*, Handle*);
  Int (*Flush)(Handle);
  Int (*Finish)(Handle);
  Int (*WaitForEvents)(UInt, const Handle*);
  Int (*GetEventProfilingInfo)(Handle, UInt, std::size_t, void*, std::size_t*);
  Int (*ReleaseEvent)(Handle);
};

/// Returns the functions of the system's OpenCL, which the first call opens. Returns kUnavailable,
/// field "device", if OpenCL cannot be opened.
Result<const Api*> load();

/// A device that OpenCL lists.
struct Listed {
  Handle id;
  DeviceInfo info;
  std::string why_not;  ///< why our program cannot run on it; empty if it can
};
/// Returns all devices of all platforms; kUnavailable, field "device", if there is none.
Result<std::vector<Listed>> list(const Api& api);

class Device;

/// Memory of a device. Only one thread at a time may use it.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Returns the address of the handle, for kernel arguments.
  [[nodiscard]] const Handle* argument() const { return &handle_; }

 private:
  friend class Device;
  Buffer(Device& device, Handle handle, std::size_t bytes)
      : device_(&device), handle_(handle), bytes_(bytes) {}
  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    std::swap(bytes_, other.bytes_);
  }

  Device* device_ = nullptr;
  Handle handle_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The leaves and positions that kernels have added up.
struct Totals {
  NodeCount leaves;
  std::uint64_t positions = 0;
};

/// A device with our program. In this folder, a kernel is an OpenCL kernel. run() and count() may
/// return before their kernels have ended. Kernels run in the order of the calls. read(), write()
/// and finish() wait for all earlier kernels. All functions throw DeviceFailed if the device fails.
///
/// Only one thread at a time may use it, with one exception: a second thread may call buffer() and
/// send(), and destroy buffers. send() has its own queue, so it does not wait for kernels.
class Device {
 public:
  /// Builds the program. Throws DeviceFailed. `api` must outlive this object.
  Device(const Api& api, Listed listed, std::uint64_t most_bytes);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const DeviceInfo& info() const { return listed_.info; }
  /// These functions return limits in bytes: most_bytes() for all buffers together,
  /// most_buffer_bytes() for each buffer.
  [[nodiscard]] std::uint64_t most_bytes() const { return most_bytes_; }
  [[nodiscard]] std::uint64_t most_buffer_bytes() const;
  [[nodiscard]] std::uint64_t used_bytes() const;
  [[nodiscard]] DeviceUse use() const;
  void forget_use();  ///< makes use() start again from zero

  /// Allocates a buffer. Throws DeviceTooSmall if it does not fit.
  Buffer buffer(std::size_t bytes);
  template <typename T>
  Buffer buffer_of(std::size_t count) {
    return buffer(count * sizeof(T));
  }
  /// Allocates a buffer with the contents of `items`. Returns when the items are on the device.
  template <typename T>
  Buffer send(const std::vector<T>& items) {
    Buffer buffer = this->buffer(items.size() * sizeof(T));
    send_bytes(buffer, items.data(), items.size() * sizeof(T));
    return buffer;
  }
  /// Waits for all earlier kernels, and then changes the buffer.
  template <typename T>
  void write(const Buffer& to, const std::vector<T>& items) {
    write_bytes(to, items.data(), items.size() * sizeof(T));
  }
  template <typename T>
  [[nodiscard]] std::vector<T> read(const Buffer& from, std::size_t count) {
    std::vector<T> items(count);
    read_bytes(from, items.data(), count * sizeof(T));
    return items;
  }
  /// Sets all words of a buffer to 0. The buffer must have fewer than 2^32 words.
  void clear(const Buffer& buffer);

  /// Runs `groups` work-groups of a kernel, in slices of about a tenth of a second. After a stop
  /// request, starts no more slices. The first argument of a kernel is the number of the slice's
  /// first group; `arguments` follow.
  template <typename... Arguments>
  void run(const char* kernel, std::uint64_t groups, StopView stop, const Arguments&... arguments) {
    const Argument all[] = {argument(arguments)...};
    run_slices(kernel, groups, stop, all, false);
  }
  /// Runs a kernel like run(). `arguments` must include totals(). Then adds up the totals that the
  /// groups of the kernel have written.
  template <typename... Arguments>
  void count(const char* kernel, std::uint64_t groups, StopView stop,
             const Arguments&... arguments) {
    const Argument all[] = {argument(arguments)...};
    run_slices(kernel, groups, stop, all, true);
  }
  [[nodiscard]] const Buffer& totals() const { return totals_; }
  /// Returns the sum of all totals since the last call of this function.
  Totals take_totals();

  void finish();

 private:
  friend class Buffer;
  struct Argument {
    std::size_t bytes;
    const void* value;
  };
  static Argument argument(const Buffer& buffer) {
    return {sizeof(Handle), static_cast<const void*>(buffer.argument())};
  }
  static Argument argument(const UInt& number) { return {sizeof number, &number}; }
  struct Running {
    Handle event;
    const std::string* kernel;
    std::uint64_t groups;
  };

  void check(Int code, const char* function) const;
  Handle kernel(const std::string& name);
  void release() noexcept;
  void pin_memory();
  void send_bytes(const Buffer& to, const void* from, std::size_t bytes);
  void wait_for(Handle& event);
  void give_back(std::size_t bytes);
  void write_bytes(const Buffer& to, const void* from, std::size_t bytes);
  void read_bytes(const Buffer& from, void* to, std::size_t bytes);
  void run_slices(const std::string& name, std::uint64_t groups, StopView stop,
                  std::span<const Argument> arguments, bool adds_up);
  void enqueue(const std::string& name, std::uint64_t first, std::uint64_t groups,
               std::span<const Argument> arguments);

  const Api& api_;
  const Listed listed_;
  const std::uint64_t most_bytes_;
  const std::uint64_t most_groups_;  // largest number of groups in a slice
  mutable Mutex bytes_mutex_;
  std::uint64_t used_bytes_ MANYPLY_GUARDED_BY(bytes_mutex_) = 0;
  std::uint64_t peak_bytes_ MANYPLY_GUARDED_BY(bytes_mutex_) = 0;
  Handle context_ = nullptr;
  Handle queue_ = nullptr;          // for kernels, and for reads and writes that wait for them
  Handle sending_queue_ = nullptr;  // for send()
  Handle pinned_buffer_ = nullptr;
  std::byte* pinned_ = nullptr;  // the memory of pinned_buffer_ on the host, in two halves
  Handle program_ = nullptr;
  std::map<std::string, Handle> kernels_;
  std::map<std::string, double> seconds_;
  std::map<std::string, double> rates_;  // groups per second in recent slices
  std::vector<Running> running_;
  double expected_seconds_ = 0;  // expected time of running_
  Buffer totals_;                // totals of the groups of a slice
  Buffer sums_;                  // results of the kernel add_totals
};

}  // namespace manyply::opencl

namespace manyply {

/// Does the same as open_device(spec) of last_plies_device.h, but calls OpenCL through `api`, which
/// must outlive the device.
[[nodiscard]] Result<std::unique_ptr<LastPliesDevice>> open_device(const DeviceSpec& spec,
                                                                   const opencl::Api& api);

}  // namespace manyply
