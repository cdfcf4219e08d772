// What Linux allows this process: its control groups (versions 1 and 2) and its memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace manyply {

/// Returns the lowest CPU quota, in cores, of the control groups that `membership` names (a file in
/// the format of /proc/self/cgroup) and of their ancestors. Returns nullopt if there is no limit or
/// if no file can be read. `mount` is the root of the control group files, normally /sys/fs/cgroup;
/// it may hold version 1, version 2, or both. Thread-safe.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& membership,
                                       const std::filesystem::path& mount);

/// available_memory_bytes() on Linux. Returns the minimum of the system's available memory, the
/// memory that each control group above this process (versions 1 and 2) still permits, and
/// RLIMIT_AS. Ignores files that cannot be read. `root` contains proc/ and sys/; tests pass another
/// one.
[[nodiscard]] std::uint64_t available_linux_memory(const std::filesystem::path& root = "/");

}  // namespace manyply
