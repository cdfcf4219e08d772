#include "parallel/cpu_quota.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

#include "parallel/job.h"

namespace manyply {
namespace {

namespace fs = std::filesystem;

std::optional<double> cores(double quota_us, double period_us) {
  if (quota_us > 0 && period_us > 0) return quota_us / period_us;
  return std::nullopt;
}

// Version 2: "max 100000" or "150000 100000". "max" does not read as a number: no limit.
std::optional<double> unified_quota(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0;
  double period = 0;
  return file >> quota >> period ? cores(quota, period) : std::nullopt;
}

// Version 1: -1 or microseconds.
std::optional<double> legacy_quota(const fs::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  return quota_file >> quota && period_file >> period ? cores(quota, period) : std::nullopt;
}

// A group inherits its ancestors' limits. In a container the group's own path may not be visible
// while the mount's root is the container's group: both ways end at the root.
template <typename ReadQuota>
void tighten(std::optional<double>& tightest, const fs::path& mount, const fs::path& group,
             ReadQuota read_quota) {
  for (fs::path below = group.relative_path();; below = below.parent_path()) {
    const std::optional<double> quota = read_quota(mount / below);
    if (quota) tightest = std::min(*quota, tightest.value_or(*quota));
    if (below.empty()) return;
  }
}

int cores_in_affinity_mask() {
#ifdef __linux__
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return CPU_COUNT(&mask);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

std::optional<double> cgroup_cpu_quota(const fs::path& membership, const fs::path& mount) {
  std::optional<double> tightest;
  std::ifstream lines(membership);
  for (std::string line; std::getline(lines, line);) {  // "4:cpu,cpuacct:/group" or "0::/group"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,") {
      tighten(tightest, mount, group, unified_quota);
      tighten(tightest, mount / "unified", group, unified_quota);
    } else if (controllers.find(",cpu,") != std::string::npos) {
      tighten(tightest, mount / "cpu", group, legacy_quota);
      tighten(tightest, mount / "cpu,cpuacct", group, legacy_quota);
    }
  }
  return tightest;
}

int available_threads() {
  int threads = std::max(1, cores_in_affinity_mask());
  // Rounded up: with a quota of 1.5 cores one thread would leave half a core unused.
  if (const auto quota = cgroup_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup")) {
    threads = std::min(threads, static_cast<int>(std::ceil(std::min(*quota, 1e6))));
  }
  return std::max(1, threads);
}

}  // namespace manyply
