// Finds the processor and memory limits of this process on Linux. Only linux_machine.cpp and its
// test use these functions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace manyply {

/// Returns the lowest CPU quota, in cores, of the control groups listed in the file `membership`
/// and of their ancestors. Returns nullopt if there is no limit or if no file can be read. The file
/// `membership` has the format of /proc/self/cgroup. `mount` is the root of the control group
/// files, normally /sys/fs/cgroup. The root may have files of version 1, of version 2, or of both.
/// Thread-safe.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& membership,
                                       const std::filesystem::path& mount);

/// Implements available_memory_bytes() on Linux. Returns the minimum of three numbers: the system's
/// available memory, the memory that all control groups of this process (versions 1 and 2) still
/// permit, and RLIMIT_AS minus the address space in use. Ignores files that cannot be read. `root`
/// must contain proc/ and sys/. Tests pass a directory of their own.
[[nodiscard]] std::uint64_t available_linux_memory(const std::filesystem::path& root = "/");

}  // namespace manyply
