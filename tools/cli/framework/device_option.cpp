#include "tools/cli/framework/device_option.h"

#include <fmt/format.h>

#include <string>

#include "core/base/memory.h"

namespace manyply {
namespace {

constexpr std::array<std::string_view, 3> kDeviceNames{"cpu", "gpu", "list"};

std::optional<Error> take_device(DeviceOptions& options, const std::string& text) {
  constexpr std::size_t kMost = 63;
  options.lists_devices = text == "list";
  options.device.reset();
  if (text == "cpu" || text == "list") return accepted();
  options.device.emplace();
  if (text == "gpu") return accepted();
  const auto number = parse_number(text, std::size_t{0}, kMost);
  if (!number) {
    return bad_input("--device",
                     "'" + text + "' is not one of cpu, gpu, list, or a number from the list");
  }
  options.device->number = *number;
  return accepted();
}

std::optional<Error> take_memory(DeviceOptions& options, const std::string& text) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  const Result<std::uint64_t> size = parse_table_size(text);
  if (!size) return renamed(size.error(), "--device-memory");
  if (*size < kLeast) return bad_input("--device-memory", "must be at least 1M");
  options.device_bytes = *size;
  return accepted();
}

}  // namespace

constexpr std::array<Flag<DeviceOptions>, 2> kDevice{{
    {"--device",
     "DEVICE",
     "count the last two plies on this device: cpu, gpu, or a number from the list that 'list' "
     "prints; experimental: exact in tests, but never run on a GPU (default: cpu)",
     take_device,
     {ValueKind::kAny, kDeviceNames}},
    {"--device-memory", "SIZE",
     "device memory that a count may use: 512M, 8G, or a number of MiB (default: most of the "
     "memory)",
     take_memory},
}};

Result<std::unique_ptr<LastPliesDevice>> opened_device(const DeviceOptions& options) {
  if (!options.device) {
    if (options.device_bytes != 0) return bad_input("--device-memory", "requires --device gpu");
    return std::unique_ptr<LastPliesDevice>();
  }
  DeviceSpec spec = *options.device;
  spec.most_bytes = options.device_bytes;
  auto opened = open_device(spec);
  if (!opened) return renamed(opened.error(), "--device");
  return opened;
}

int print_devices(Io& io) {
  const auto devices = list_devices();
  if (!devices) return fail(io, renamed(devices.error(), "--device"));
  for (std::size_t i = 0; i < devices->size(); ++i) {
    const DeviceInfo& device = devices.value()[i];
    io.out << fmt::format("{}  {}  {}, driver {}, {} of memory, {} in one buffer\n", i,
                          device.is_gpu ? "gpu  " : "other", device.name, device.driver,
                          format_bytes(device.bytes), format_bytes(device.most_bytes));
  }
  io.out << std::flush;
  return kExitOk;
}

void note_unused_device(int depth, bool divide, Io& io) {
  // A divide counts below each root move, where one ply less remains.
  const int least = divide && depth == kMinMatrixDepth ? kMinMatrixDepth + 1 : kMinMatrixDepth;
  if (depth < least) {
    io.err << fmt::format(
        "perft: --device: depth {} was counted on the processor, because the device is used for {} "
        "only from depth {} on\n",
        depth, least > kMinMatrixDepth ? "divides" : "totals", least);
  }
}

}  // namespace manyply
