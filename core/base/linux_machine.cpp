// Memory and processors on Linux. Control groups limit the memory and the number of processors. The
// CPU affinity also limits the number of processors.
#include "core/base/linux_machine.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "core/base/machine.h"
#include "core/base/memory.h"

namespace manyply::system_memory {

void* allocate(std::uint64_t bytes) {
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  // Linux (since version 6.7) aligns large mappings to huge pages, so this code need not.
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  // If madvise() fails, the memory works, but is slower.
  if (bytes >= kHugePage) madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

void free(void* data, std::uint64_t bytes) { munmap(data, bytes); }
bool can_free_parts() { return true; }

}  // namespace manyply::system_memory

namespace manyply {
namespace {

namespace fs = std::filesystem;

/// A control group. `path` is relative to the mount of the control group files and has no leading
/// slash. It is empty for the root of the mount.
struct Cgroup {
  std::string_view controllers;  ///< version 1: for example ",cpu,cpuacct,"; version 2: ",,"
  const std::filesystem::path& path;

  /// Returns whether this is a group of version 2.
  [[nodiscard]] bool unified() const { return controllers == ",,"; }
  /// Returns whether a version 1 group has this controller, for example "cpu" or "memory".
  [[nodiscard]] bool limits(std::string_view controller) const {
    return controllers.find("," + std::string(controller) + ",") != std::string_view::npos;
  }
};

/// Visits each control group that the file `membership` lists. After each group, visits its
/// ancestors up to the root of the mount, because the ancestors' limits apply too. The file has the
/// format of /proc/self/cgroup. If it cannot be read, visits nothing.
///
/// Visiting the root also helps in a container: a listed group's folder may not exist there, and
/// the root of the mount may be the container's group.
void visit_cgroups(const std::filesystem::path& membership,
                   const std::function<void(const Cgroup&)>& visit) {
  std::ifstream lines(membership);
  for (std::string line; std::getline(lines, line);) {  // "9:memory:/group" or "0::/group"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    for (auto path = std::filesystem::path(line.substr(second + 1)).relative_path();;
         path = path.parent_path()) {
      visit({controllers, path});
      if (path.empty()) break;
    }
  }
}

// ---------------------------------------------------------------- processors

/// Returns the quota in cores; nullopt if the values mean "no limit".
std::optional<double> cores(double quota_us, double period_us) {
  if (quota_us > 0 && period_us > 0) return quota_us / period_us;
  return std::nullopt;
}

// Returns the quota of a version 2 group in cores. The file cpu.max contains a quota and a period
// in microseconds, such as "150000 100000". If there is no limit, it contains "max 100000", and the
// function returns nullopt, because "max" is not a number.
std::optional<double> unified_quota(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0;
  double period = 0;
  return file >> quota >> period ? cores(quota, period) : std::nullopt;
}

// Returns the quota of a version 1 group in cores. One file contains the quota and another contains
// the period, both in microseconds. A quota of -1 means no limit.
std::optional<double> legacy_quota(const fs::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  return quota_file >> quota && period_file >> period ? cores(quota, period) : std::nullopt;
}

// ---------------------------------------------------------------- memory

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// Reads a file that contains one number. Returns nullopt for "max" and if the file is missing.
std::optional<std::uint64_t> read_number(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// Finds the first line of the file that begins with the word `name`. Returns the number that
/// follows, or nullopt if no line begins with `name` and a number.
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

/// The folder and the file names of one version of control groups.
struct CgroupFiles {
  fs::path mount;
  const char* limit;
  const char* usage;
  const char* droppable;  // field of memory.stat: size of the page cache that Linux frees first
};

/// Returns the number of bytes that one control group still permits: its limit minus its used
/// memory. Page cache that Linux can drop does not count as used. Returns kUnlimited if the group
/// has no limit, or if the limit or the used memory cannot be read.
std::uint64_t cgroup_room(const fs::path& group, const CgroupFiles& files) {
  const auto limit = read_number(group / files.limit);
  const auto usage = read_number(group / files.usage);
  if (!limit || !usage) return kUnlimited;
  const std::uint64_t droppable = read_field(group / "memory.stat", files.droppable).value_or(0);
  const std::uint64_t used = *usage - std::min(*usage, droppable);
  return *limit - std::min(*limit, used);
}

/// Returns the smallest cgroup_room() of the process's control groups and their ancestors up to the
/// mount.
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

int cores_in_affinity_mask() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return CPU_COUNT(&mask);
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

std::optional<double> cgroup_cpu_quota(const fs::path& membership, const fs::path& mount) {
  std::optional<double> tightest;
  const auto tighten = [&tightest](std::optional<double> quota) {
    if (quota) tightest = std::min(*quota, tightest.value_or(*quota));
  };
  visit_cgroups(membership, [&](const Cgroup& group) {
    if (group.unified()) {
      tighten(unified_quota(mount / group.path));
      tighten(unified_quota(mount / "unified" / group.path));
    } else if (group.limits("cpu")) {
      tighten(legacy_quota(mount / "cpu" / group.path));
      tighten(legacy_quota(mount / "cpu,cpuacct" / group.path));
    }
  });
  return tightest;
}

std::uint64_t available_linux_memory(const fs::path& root) {
  return std::min({system_available(root), cgroups_available(root), address_space_available(root)});
}

std::uint64_t available_memory_bytes() { return available_linux_memory(); }

void return_freed_memory() {
#if defined(__GLIBC__)  // other C libraries return freed memory without a call
  ::malloc_trim(0);
#endif
}

const char* advice_on_pages() { return nullptr; }

int usable_processors() {
  const int threads = std::max(1, cores_in_affinity_mask());
  // Round up: with a quota of 1.5 cores, one thread would leave half a core unused.
  const auto quota = cgroup_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
  return quota ? std::min(threads, static_cast<int>(std::ceil(std::min(*quota, 1e6)))) : threads;
}

void spread_thread(int /*thread*/) {}

void sleep_while(const std::atomic<int>& number, int value) { number.wait(value); }
void wake_sleepers(std::atomic<int>& number) { number.notify_all(); }

}  // namespace manyply
