#include "parallel/device/opencl.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/base/files.h"

namespace manyply {

/// The OpenCL program, from last_plies.cpp.in.
extern const char* const kLastPliesProgram;

namespace opencl {
namespace {

constexpr std::size_t kLanes = 64;              // LANES of moves.cl
constexpr std::uint64_t kMostGroups = 1 << 20;  // largest number of groups in a slice
constexpr std::uint64_t kWordsOfGroup = 4096;   // WORDS_OF_GROUP
constexpr std::uint64_t kTotalsOfGroup = 4096;  // TOTALS_OF_GROUP

constexpr Bits kGpu = 1 << 2;
constexpr Bits kAllDevices = 0xFFFFFFFF;
constexpr Bits kProfiling = 1 << 1;
constexpr Bits kReadWrite = 1 << 0;
constexpr Bits kAllocHostPointer = 1 << 4;  // in memory that the device reads directly
constexpr Bits kMapWrite = 1 << 1;
constexpr std::size_t kPinnedHalf = std::size_t{4} << 20;
constexpr Int kNoMemory[] = {-4, -5, -6, -61};  // too little memory or resources, or a wrong size
enum Property : UInt {
  kDeviceType = 0x1000,
  kMaxWorkGroupSize = 0x1004,
  kMaxMemAllocSize = 0x1010,
  kGlobalMemSize = 0x101F,
  kLocalMemSize = 0x1023,
  kAvailable = 0x1027,
  kCompilerAvailable = 0x1028,
  kDeviceName = 0x102B,
  kDriverVersion = 0x102D,
  kDeviceVersion = 0x102F,
  kBuildLog = 0x1183,
  kCommandStart = 0x1282,
  kCommandEnd = 0x1283,
};

Error unavailable(std::string message) {
  return {ErrorCode::kUnavailable, "device", 0, std::move(message)};
}

template <typename Function>
bool find(const SharedLibrary& library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(library.find(name));
  return function != nullptr;
}

bool find_all(const SharedLibrary& library, Api& api) {
  return find(library, "clGetPlatformIDs", api.GetPlatformIDs) &&
         find(library, "clGetDeviceIDs", api.GetDeviceIDs) &&
         find(library, "clGetDeviceInfo", api.GetDeviceInfo) &&
         find(library, "clCreateContext", api.CreateContext) &&
         find(library, "clReleaseContext", api.ReleaseContext) &&
         find(library, "clCreateCommandQueue", api.CreateCommandQueue) &&
         find(library, "clReleaseCommandQueue", api.ReleaseCommandQueue) &&
         find(library, "clCreateProgramWithSource", api.CreateProgramWithSource) &&
         find(library, "clBuildProgram", api.BuildProgram) &&
         find(library, "clGetProgramBuildInfo", api.GetProgramBuildInfo) &&
         find(library, "clReleaseProgram", api.ReleaseProgram) &&
         find(library, "clCreateKernel", api.CreateKernel) &&
         find(library, "clReleaseKernel", api.ReleaseKernel) &&
         find(library, "clSetKernelArg", api.SetKernelArg) &&
         find(library, "clCreateBuffer", api.CreateBuffer) &&
         find(library, "clReleaseMemObject", api.ReleaseMemObject) &&
         find(library, "clEnqueueWriteBuffer", api.EnqueueWriteBuffer) &&
         find(library, "clEnqueueReadBuffer", api.EnqueueReadBuffer) &&
         find(library, "clEnqueueNDRangeKernel", api.EnqueueNDRangeKernel) &&
         find(library, "clEnqueueMapBuffer", api.EnqueueMapBuffer) &&
         find(library, "clEnqueueUnmapMemObject", api.EnqueueUnmapMemObject) &&
         find(library, "clFlush", api.Flush) && find(library, "clFinish", api.Finish) &&
         find(library, "clWaitForEvents", api.WaitForEvents) &&
         find(library, "clGetEventProfilingInfo", api.GetEventProfilingInfo) &&
         find(library, "clReleaseEvent", api.ReleaseEvent);
}

/// The library's name on Linux, Windows and macOS.
constexpr const char* kLibraries[] = {"libOpenCL.so.1", "OpenCL.dll",
                                      "/System/Library/Frameworks/OpenCL.framework/OpenCL"};

Result<Api> open_library() {
  Api api{};
  // Tools such as oclgrind load their own OpenCL into the process.
  if (const auto loaded = SharedLibrary::open(nullptr); loaded && find_all(*loaded, api))
    return api;
  for (const char* const name : kLibraries) {
    const std::optional<SharedLibrary> library = SharedLibrary::open(name);
    if (!library) continue;
    if (find_all(*library, api)) return api;
    return unavailable(std::string(name) + " lacks functions of OpenCL 1.2; update the driver");
  }
  return unavailable(
      "found no OpenCL library; install the GPU's driver and, on Linux, the package "
      "ocl-icd-libopencl1");
}

std::string text_of(const Api& api, Handle device, Property property) {
  std::array<char, 1024> text{};
  if (api.GetDeviceInfo(device, property, text.size() - 1, text.data(), nullptr) != 0) return {};
  return text.data();
}

template <typename T>
T number_of(const Api& api, Handle device, Property property) {
  T number{};
  return api.GetDeviceInfo(device, property, sizeof number, &number, nullptr) == 0 ? number : T{};
}

Listed described(const Api& api, Handle device) {
  constexpr std::uint64_t kLocalBytes = 24 << 10;  // a kernel needs at most 21 KiB
  Listed listed{.id = device,
                .info = {.name = text_of(api, device, kDeviceName),
                         .driver = text_of(api, device, kDriverVersion),
                         .is_gpu = (number_of<Bits>(api, device, kDeviceType) & kGpu) != 0,
                         .bytes = number_of<std::uint64_t>(api, device, kGlobalMemSize),
                         .most_bytes = number_of<std::uint64_t>(api, device, kMaxMemAllocSize)},
                .why_not = {}};
  const std::string version = text_of(api, device, kDeviceVersion);  // "OpenCL 1.2 …"
  if (version < "OpenCL 1.2") {
    listed.why_not = "supports only " + version + "; OpenCL 1.2 is needed";
  } else if (number_of<UInt>(api, device, kAvailable) == 0) {
    listed.why_not = "is not available";
  } else if (number_of<UInt>(api, device, kCompilerAvailable) == 0) {
    listed.why_not = "has no compiler for OpenCL C; install the complete driver";
  } else if (number_of<std::size_t>(api, device, kMaxWorkGroupSize) < kLanes ||
             number_of<std::uint64_t>(api, device, kLocalMemSize) < kLocalBytes) {
    listed.why_not = "is too small: groups of 64 work-items and 24 KiB of local memory are needed";
  }
  return listed;
}

}  // namespace

Result<const Api*> load() {
  static const Result<Api> api = open_library();
  if (!api) return api.error();
  return &api.value();
}

Result<std::vector<Listed>> list(const Api& api) {
  constexpr UInt kMost = 64;
  std::array<Handle, kMost> platforms{};
  UInt platform_count = 0;
  if (api.GetPlatformIDs(kMost, platforms.data(), &platform_count) != 0) platform_count = 0;
  std::vector<Listed> all;
  for (UInt p = 0; p < std::min(platform_count, kMost); ++p) {
    std::array<Handle, kMost> devices{};
    UInt count = 0;
    if (api.GetDeviceIDs(platforms[p], kAllDevices, kMost, devices.data(), &count) != 0) continue;
    for (UInt d = 0; d < std::min(count, kMost); ++d) all.push_back(described(api, devices[d]));
  }
  if (all.empty())
    return unavailable(
        "OpenCL lists no device; install the GPU's OpenCL driver (for example nvidia-opencl-icd, "
        "mesa-opencl-icd or intel-opencl-icd)");
  return all;
}

Buffer::~Buffer() {
  if (handle_ == nullptr) return;
  device_->api_.ReleaseMemObject(handle_);
  device_->give_back(bytes_);
}

Device::Device(const Api& api, Listed listed, std::uint64_t most_bytes)
    : api_(api),
      listed_(std::move(listed)),
      most_bytes_(most_bytes),
      most_groups_(std::clamp(most_bytes / 256 / kTotalsOfGroup * kTotalsOfGroup, kTotalsOfGroup,
                              kMostGroups)) {
  try {
    Int code = 0;
    context_ = api_.CreateContext(nullptr, 1, &listed_.id, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue_ = api_.CreateCommandQueue(context_, listed_.id, kProfiling, &code);
    check(code, "clCreateCommandQueue");
    sending_queue_ = api_.CreateCommandQueue(context_, listed_.id, 0, &code);
    check(code, "clCreateCommandQueue");
    pin_memory();
    const char* source = kLastPliesProgram;
    program_ = api_.CreateProgramWithSource(context_, 1, &source, nullptr, &code);
    check(code, "clCreateProgramWithSource");
    code = api_.BuildProgram(program_, 1, &listed_.id, "-cl-std=CL1.2", nullptr, nullptr);
    if (code != 0) {
      std::string log(std::size_t{1} << 14, '\0');
      api_.GetProgramBuildInfo(program_, listed_.id, kBuildLog, log.size(), log.data(), nullptr);
      throw DeviceFailed(listed_.info.name + ": cannot build the program (code " +
                         std::to_string(code) + "): " + log.substr(0, log.find('\0')));
    }
    totals_ = buffer_of<std::uint64_t>(2 * most_groups_);
    sums_ = buffer_of<std::uint64_t>(3 * most_groups_ / kTotalsOfGroup);
    clear(sums_);
  } catch (...) {
    release();
    throw;
  }
}

Device::~Device() { release(); }

/// Allocates pinned memory, through which send() copies. Devices read pinned memory faster than
/// other memory.
void Device::pin_memory() {
  Int code = 0;
  pinned_buffer_ =
      api_.CreateBuffer(context_, kReadWrite | kAllocHostPointer, 2 * kPinnedHalf, nullptr, &code);
  check(code, "clCreateBuffer");
  void* const pinned = api_.EnqueueMapBuffer(sending_queue_, pinned_buffer_, 1, kMapWrite, 0,
                                             2 * kPinnedHalf, 0, nullptr, nullptr, &code);
  check(code, "clEnqueueMapBuffer");
  pinned_ = static_cast<std::byte*>(pinned);
}

void Device::release() noexcept {
  for (const Running& each : running_) api_.ReleaseEvent(each.event);
  if (queue_ != nullptr) api_.Finish(queue_);
  if (pinned_ != nullptr) {
    api_.EnqueueUnmapMemObject(sending_queue_, pinned_buffer_, pinned_, 0, nullptr, nullptr);
    api_.Finish(sending_queue_);
  }
  if (pinned_buffer_ != nullptr) api_.ReleaseMemObject(pinned_buffer_);
  if (sending_queue_ != nullptr) api_.ReleaseCommandQueue(sending_queue_);
  totals_ = {};
  sums_ = {};
  for (const auto& [name, kernel] : kernels_) api_.ReleaseKernel(kernel);
  if (program_ != nullptr) api_.ReleaseProgram(program_);
  if (queue_ != nullptr) api_.ReleaseCommandQueue(queue_);
  if (context_ != nullptr) api_.ReleaseContext(context_);
}

void Device::check(Int code, const char* function) const {
  if (code != 0)
    throw DeviceFailed(listed_.info.name + " failed: " + function + " returned " +
                       std::to_string(code));
}

std::uint64_t Device::most_buffer_bytes() const {
  return std::min(most_bytes_, listed_.info.most_bytes);
}

std::uint64_t Device::used_bytes() const {
  const MutexLock lock(bytes_mutex_);
  return used_bytes_;
}

void Device::give_back(std::size_t bytes) {
  const MutexLock lock(bytes_mutex_);
  used_bytes_ -= bytes;
}

DeviceUse Device::use() const {
  const MutexLock lock(bytes_mutex_);
  DeviceUse use{listed_.info.name, listed_.info.driver, peak_bytes_, 0, {}};
  for (const auto& [name, seconds] : seconds_) {
    use.seconds += seconds;
    use.kernels.emplace_back(name, seconds);
  }
  return use;
}

void Device::forget_use() {
  const MutexLock lock(bytes_mutex_);
  seconds_.clear();
  peak_bytes_ = used_bytes_;
}

Buffer Device::buffer(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, sizeof(std::uint64_t));
  if (bytes > most_buffer_bytes()) throw DeviceTooSmall(bytes, most_buffer_bytes());
  const MutexLock lock(bytes_mutex_);
  if (used_bytes_ + bytes > most_bytes_) throw DeviceTooSmall(used_bytes_ + bytes, most_bytes_);
  Int code = 0;
  Handle handle = api_.CreateBuffer(context_, kReadWrite, bytes, nullptr, &code);
  if (std::ranges::find(kNoMemory, code) != std::end(kNoMemory))
    throw DeviceTooSmall(used_bytes_ + bytes, used_bytes_);
  check(code, "clCreateBuffer");
  used_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
  return {*this, handle, bytes};
}

void Device::send_bytes(const Buffer& to, const void* from, std::size_t bytes) {
  MANYPLY_CHECK(bytes <= to.bytes_);
  std::array<Handle, 2> sent{};  // events of the halves of the pinned memory
  try {
    // While the device reads one half, this thread fills the other.
    for (std::size_t begin = 0; begin < bytes; begin += kPinnedHalf) {
      const std::size_t half = begin / kPinnedHalf % 2;
      std::byte* const pinned = pinned_ + half * kPinnedHalf;
      const std::size_t size = std::min(kPinnedHalf, bytes - begin);
      wait_for(sent[half]);
      std::memcpy(pinned, static_cast<const std::byte*>(from) + begin, size);
      check(api_.EnqueueWriteBuffer(sending_queue_, to.handle_, 0, begin, size, pinned, 0, nullptr,
                                    &sent[half]),
            "clEnqueueWriteBuffer");
      check(api_.Flush(sending_queue_), "clFlush");
    }
    for (Handle& event : sent) wait_for(event);
  } catch (...) {
    api_.Finish(sending_queue_);  // then the device no longer reads the pinned memory
    for (const Handle event : sent) {
      if (event != nullptr) api_.ReleaseEvent(event);
    }
    throw;
  }
}

/// If the event is not null, waits for it and releases it.
void Device::wait_for(Handle& event) {
  if (event == nullptr) return;
  check(api_.WaitForEvents(1, &event), "clWaitForEvents");
  api_.ReleaseEvent(std::exchange(event, nullptr));
}

void Device::write_bytes(const Buffer& to, const void* from, std::size_t bytes) {
  MANYPLY_CHECK(bytes <= to.bytes_);
  if (bytes == 0) return;
  check(api_.EnqueueWriteBuffer(queue_, to.handle_, 1, 0, bytes, from, 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
}

void Device::read_bytes(const Buffer& from, void* to, std::size_t bytes) {
  MANYPLY_CHECK(bytes <= from.bytes_);
  if (bytes == 0) return;
  check(api_.EnqueueReadBuffer(queue_, from.handle_, 1, 0, bytes, to, 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
}

void Device::clear(const Buffer& buffer) {
  MANYPLY_CHECK(buffer.bytes_ / sizeof(UInt) <= UINT32_MAX);
  const auto words = static_cast<UInt>(buffer.bytes_ / sizeof(UInt));
  run("clear_words", (words + kWordsOfGroup - 1) / kWordsOfGroup, {}, buffer, words);
}

Handle Device::kernel(const std::string& name) {
  Handle& kernel = kernels_[name];
  if (kernel == nullptr) {
    Int code = 0;
    kernel = api_.CreateKernel(program_, name.c_str(), &code);
    check(code, "clCreateKernel");
  }
  return kernel;
}

void Device::enqueue(const std::string& name, std::uint64_t first, std::uint64_t groups,
                     std::span<const Argument> arguments) {
  Handle kernel = this->kernel(name);
  const auto first_group = static_cast<UInt>(first);
  UInt index = 0;
  check(api_.SetKernelArg(kernel, index++, sizeof first_group, &first_group), "clSetKernelArg");
  for (const Argument& each : arguments)
    check(api_.SetKernelArg(kernel, index++, each.bytes, each.value), "clSetKernelArg");
  const std::size_t global = groups * kLanes;
  Handle event = nullptr;
  check(api_.EnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &kLanes, 0, nullptr, &event),
        "clEnqueueNDRangeKernel");
  running_.push_back({event, &kernels_.find(name)->first, groups});
}

void Device::run_slices(const std::string& name, std::uint64_t groups, StopView stop,
                        std::span<const Argument> arguments, bool adds_up) {
  // The largest expected time of a slice, and of all slices between two calls of finish().
  constexpr double kSeconds = 0.1;
  constexpr std::uint64_t kFirstGroups = 256;
  MANYPLY_CHECK(groups <= UINT32_MAX);
  for (std::uint64_t first = 0; first < groups;) {
    if (stop.stop_requested()) return;
    const double rate = rates_[name];
    const bool knows = rate > 0;
    const auto wanted =
        knows ? static_cast<std::uint64_t>(std::min(1e9, rate * kSeconds)) : kFirstGroups;
    const std::uint64_t count =
        std::min({groups - first, most_groups_, std::max<std::uint64_t>(wanted, 1)});
    enqueue(name, first, count, arguments);
    if (adds_up) {
      const auto totals = static_cast<UInt>(count);
      const Argument all[] = {argument(totals_), argument(totals), argument(sums_)};
      enqueue("add_totals", 0, (count + kTotalsOfGroup - 1) / kTotalsOfGroup, all);
    }
    first += count;
    expected_seconds_ += knows ? static_cast<double>(count) / rate : kSeconds;
    if (expected_seconds_ >= kSeconds) finish();
  }
}

void Device::finish() {
  check(api_.Finish(queue_), "clFinish");
  struct Run {
    double seconds = 0;
    double groups = 0;
  };
  std::map<std::string_view, Run> runs;  // by kernel
  for (const Running& each : running_) {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    check(api_.GetEventProfilingInfo(each.event, kCommandStart, sizeof start, &start, nullptr),
          "clGetEventProfilingInfo");
    check(api_.GetEventProfilingInfo(each.event, kCommandEnd, sizeof end, &end, nullptr),
          "clGetEventProfilingInfo");
    Run& run = runs[*each.kernel];
    run.seconds += static_cast<double>(end - start) * 1e-9;
    run.groups += static_cast<double>(each.groups);
  }
  for (const auto& [kernel, run] : runs) {
    const std::string name(kernel);
    seconds_[name] += run.seconds;
    if (run.seconds <= 0) continue;
    // Some groups have much less work than others, so the next slice may need more time than the
    // rate predicts. Let the rate grow slowly.
    constexpr double kMostGrowth = 4;
    double& rate = rates_[name];
    const double measured = run.groups / run.seconds;
    rate = rate > 0 ? std::min(measured, kMostGrowth * rate) : measured;
  }
  for (const Running& each : running_) api_.ReleaseEvent(each.event);
  running_.clear();
  expected_seconds_ = 0;
}

Totals Device::take_totals() {
  finish();
  const std::vector<std::uint64_t> sums =
      read<std::uint64_t>(sums_, sums_.bytes() / sizeof(std::uint64_t));
  clear(sums_);
  NodeCount::Word leaves = 0;
  Totals totals;
  for (std::size_t i = 0; i < sums.size(); i += 3) {
    leaves += sums[i] + (NodeCount::Word{sums[i + 1]} << 32);
    totals.positions += sums[i + 2];
  }
  totals.leaves = NodeCount::from_words(static_cast<std::uint64_t>(leaves >> 64),
                                        static_cast<std::uint64_t>(leaves));
  return totals;
}

}  // namespace opencl
}  // namespace manyply
