#include <algorithm>
#include <fstream>

#include "core/base/cgroups.h"
#include "core/base/cpu_quota.h"

namespace manyply {
namespace {

namespace fs = std::filesystem;

/// Returns the quota in cores; nullopt for values that mean "no limit".
std::optional<double> cores(double quota_us, double period_us) {
  if (quota_us > 0 && period_us > 0) return quota_us / period_us;
  return std::nullopt;
}

// Version 2: "max 100000" or "150000 100000", in microseconds. "max" means no limit and fails to
// parse as a number.
std::optional<double> unified_quota(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0;
  double period = 0;
  return file >> quota >> period ? cores(quota, period) : std::nullopt;
}

// Version 1: two files with microseconds; a quota of -1 means no limit.
std::optional<double> legacy_quota(const fs::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  return quota_file >> quota && period_file >> period ? cores(quota, period) : std::nullopt;
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

}  // namespace manyply
