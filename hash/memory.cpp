#include "hash/memory.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "hash/cgroups.h"

namespace manyply {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

/// A file that holds one number; "max" and missing files are no number.
std::optional<std::uint64_t> read_number(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// The number that stands behind `name` at the start of a line.
std::optional<std::uint64_t> read_field(const fs::path& path, std::string_view name) {
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    std::uint64_t number = 0;
    if (words >> word && word == name && words >> number) return number;
  }
  return std::nullopt;
}

std::uint64_t system_available(const fs::path& root) {
  const auto kibibytes = read_field(root / "proc/meminfo", "MemAvailable:");
  return kibibytes ? *kibibytes * 1024 : kUnlimited;
}

/// The names that one version of cgroups gives to what we read.
struct CgroupFiles {
  fs::path mount;
  const char* limit;
  const char* usage;
  const char* droppable;  // field of memory.stat: page cache that the kernel gives up first
};

/// Room in one cgroup: its limit less what is used and cannot be dropped.
std::uint64_t cgroup_room(const fs::path& group, const CgroupFiles& files) {
  const auto limit = read_number(group / files.limit);
  const auto usage = read_number(group / files.usage);
  if (!limit || !usage) return kUnlimited;
  const std::uint64_t droppable = read_field(group / "memory.stat", files.droppable).value_or(0);
  const std::uint64_t used = *usage - std::min(*usage, droppable);
  return *limit - std::min(*limit, used);
}

/// Least room in any cgroup from ours up to the mount.
std::uint64_t cgroups_available(const fs::path& root) {
  const CgroupFiles unified{root / "sys/fs/cgroup", "memory.max", "memory.current",
                            "inactive_file"};
  const CgroupFiles legacy{root / "sys/fs/cgroup/memory", "memory.limit_in_bytes",
                           "memory.usage_in_bytes", "total_inactive_file"};
  std::uint64_t least = kUnlimited;
  visit_cgroups(root / "proc/self/cgroup", [&](const Cgroup& group) {
    if (!group.unified() && !group.limits("memory")) return;
    const CgroupFiles& files = group.unified() ? unified : legacy;
    least = std::min(least, cgroup_room(files.mount / group.path, files));
  });
  return least;
}

std::uint64_t address_space_available(const fs::path& root) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const std::uint64_t pages = read_number(root / "proc/self/statm").value_or(0);
  const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::uint64_t available_memory_bytes(const fs::path& root) {
  return std::min({system_available(root), cgroups_available(root), address_space_available(root)});
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

void TableMemory::touch(int part, int parts, const std::stop_token& stop) const {
  const std::uint64_t pages = (bytes_ + kHugePage - 1) / kHugePage;
  const std::uint64_t first =
      pages * static_cast<std::uint64_t>(part) / static_cast<std::uint64_t>(parts);
  const std::uint64_t last =
      pages * (static_cast<std::uint64_t>(part) + 1) / static_cast<std::uint64_t>(parts);
  const std::uint64_t end = std::min(last * kHugePage, bytes_);
  auto* bytes = static_cast<volatile unsigned char*>(data_);
  for (std::uint64_t at = first * kHugePage; at < end; at += 4096) {
    if (at % kHugePage == 0 && stop.stop_requested()) return;
    bytes[at] = 0;
  }
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
