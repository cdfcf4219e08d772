// The quota that control groups grant this process, in cores: a fraction, not rounded.
#pragma once

#include <filesystem>
#include <optional>

namespace manyply {

/// The tightest CPU quota, in cores, of the control groups named in `membership` (the format of
/// /proc/self/cgroup) and of their ancestors, looked up below `mount` (/sys/fs/cgroup: version 2,
/// version 1, or both side by side). None when there is no limit or nothing can be read.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& membership,
                                       const std::filesystem::path& mount);

}  // namespace manyply
