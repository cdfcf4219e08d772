// The CPU quota that Linux control groups grant this process, in cores. It may be a fraction.
#pragma once

#include <filesystem>
#include <optional>

namespace manyply {

/// Returns the lowest CPU quota, in cores, of the control groups that `membership` names (a file in
/// the format of /proc/self/cgroup) and of their ancestors. Returns nullopt if there is no limit or
/// if no file can be read. `mount` is the root of the control group files, normally /sys/fs/cgroup;
/// it may hold version 1, version 2, or both. Thread-safe.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& membership,
                                       const std::filesystem::path& mount);

}  // namespace manyply
