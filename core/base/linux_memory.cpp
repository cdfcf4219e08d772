// Memory on Linux: how much is available, and how to map large tables.
#include "core/base/linux_memory.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "core/base/cgroups.h"
#include "core/base/system_memory.h"

namespace manyply {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// Reads a file that contains one number. Returns nullopt for "max" and if the file is missing.
std::optional<std::uint64_t> read_number(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// Returns the number after `name` at the start of a line.
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

/// The names of the files in one version of control groups.
struct CgroupFiles {
  fs::path mount;
  const char* limit;
  const char* usage;
  const char* droppable;  // field of memory.stat: page cache that the kernel drops first
};

/// Returns the room in one control group: its limit minus the used memory that cannot be dropped.
std::uint64_t cgroup_room(const fs::path& group, const CgroupFiles& files) {
  const auto limit = read_number(group / files.limit);
  const auto usage = read_number(group / files.usage);
  if (!limit || !usage) return kUnlimited;
  const std::uint64_t droppable = read_field(group / "memory.stat", files.droppable).value_or(0);
  const std::uint64_t used = *usage - std::min(*usage, droppable);
  return *limit - std::min(*limit, used);
}

/// Returns the least room in any control group from ours up to the mount.
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

std::uint64_t available_linux_memory(const fs::path& root) {
  return std::min({system_available(root), cgroups_available(root), address_space_available(root)});
}

namespace system_memory {

std::uint64_t available() { return available_linux_memory(); }

void* allocate(std::uint64_t bytes) {
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  // The kernel aligns large mappings to huge pages.
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  if (bytes >= kHugePage) madvise(data, bytes, MADV_HUGEPAGE);  // advice: failure costs speed only
  return data;
}

void free(void* data, std::uint64_t bytes) { munmap(data, bytes); }

void return_freed() { trim_heap(); }

}  // namespace system_memory

}  // namespace manyply
