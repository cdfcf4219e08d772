// The control groups above this process.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace manyply {

/// Where a control group is found, and what limits it. A path below the mount, without a slash at
/// its start; empty for the mount's root.
struct Cgroup {
  std::string_view controllers;  ///< of version 1 as ",cpu,cpuacct,"; of version 2 ",,"
  const std::filesystem::path& path;

  [[nodiscard]] bool unified() const { return controllers == ",,"; }
  /// Version 1 only: "cpu", "memory".
  [[nodiscard]] bool limits(std::string_view controller) const;
};

/// Visits each group that `membership` (in the format of /proc/self/cgroup) names, and after it its
/// ancestors, whose limits it inherits: the mount's root is the last of them. In a container a
/// group's own path may not be visible while the root is the container's group. Nothing to visit if
/// the file cannot be read.
void visit_cgroups(const std::filesystem::path& membership,
                   const std::function<void(const Cgroup&)>& visit);

}  // namespace manyply
