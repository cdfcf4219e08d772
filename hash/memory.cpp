#include "hash/memory.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace manyply {

namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

/// A file that holds one number; "max" and missing files are no number.
std::optional<std::uint64_t> read_number(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

std::uint64_t system_available() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> name >> kibibytes >> unit) {
    if (name == "MemAvailable:") return kibibytes * 1024;
  }
  return kUnlimited;
}

/// Room in one cgroup directory: its limit less what is used and cannot be dropped.
std::uint64_t cgroup_room(const std::string& directory, const char* limit_file,
                          const char* usage_file) {
  const auto limit = read_number(directory + limit_file);
  const auto usage = read_number(directory + usage_file);
  if (!limit || !usage) return kUnlimited;
  std::uint64_t droppable = 0;
  std::ifstream stat(directory + "/memory.stat");
  std::string name;
  std::uint64_t value = 0;
  while (stat >> name >> value) {
    if (name == "inactive_file" || name == "total_inactive_file") droppable = value;
  }
  const std::uint64_t used = *usage - std::min(*usage, droppable);
  return *limit - std::min(*limit, used);
}

/// Least room in any cgroup from ours to the root.
std::uint64_t cgroups_available() {
  std::uint64_t least = kUnlimited;
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    const bool v2 = line.starts_with("0::");
    const bool v1 = line.find(":memory:") != std::string::npos;
    if (!v2 && !v1) continue;
    const std::string root = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    std::string path = line.substr(line.rfind(':') + 1);
    while (true) {
      if (path == "/") path.clear();
      least = std::min(
          least, v2 ? cgroup_room(root + path, "/memory.max", "/memory.current")
                    : cgroup_room(root + path, "/memory.limit_in_bytes", "/memory.usage_in_bytes"));
      if (path.empty()) break;
      path.erase(path.rfind('/'));
    }
  }
  return least;
}

std::uint64_t rlimit_available() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t used = pages * 4096;
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::uint64_t available_memory_bytes() {
  return std::min({system_available(), cgroups_available(), rlimit_available()});
}

TableMemory::~TableMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

TableMemory::TableMemory(TableMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

TableMemory& TableMemory::operator=(TableMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Result<TableMemory> TableMemory::allocate(std::uint64_t bytes) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kUnavailable, "hash", 0, format_bytes(bytes) + " wanted, " + why};
  };
  const std::uint64_t available = available_memory_bytes();
  if (bytes > available) return refuse("but only " + format_bytes(available) + " are available");
  // Alignment to huge pages is the kernel's business for large mappings.
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return refuse("but the system refuses them");
  if (bytes >= kHugePage) madvise(data, bytes, MADV_HUGEPAGE);  // advice: failure costs speed only
  TableMemory memory;
  memory.data_ = data;
  memory.bytes_ = bytes;
  return memory;
}

void TableMemory::touch(int part, int parts) const {
  const std::uint64_t pages = (bytes_ + kHugePage - 1) / kHugePage;
  const std::uint64_t first =
      pages * static_cast<std::uint64_t>(part) / static_cast<std::uint64_t>(parts);
  const std::uint64_t last =
      pages * (static_cast<std::uint64_t>(part) + 1) / static_cast<std::uint64_t>(parts);
  const std::uint64_t end = std::min(last * kHugePage, bytes_);
  auto* bytes = static_cast<volatile unsigned char*>(data_);
  for (std::uint64_t at = first * kHugePage; at < end; at += 4096) bytes[at] = 0;
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  const bool whole = unit == 0 || amount == static_cast<double>(static_cast<std::uint64_t>(amount));
  const int length =
      std::snprintf(text.data(), text.size(), whole ? "%.0f %s" : "%.1f %s", amount, kUnits[unit]);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace manyply
