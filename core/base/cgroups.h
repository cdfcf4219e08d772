// The Linux control groups that this process belongs to.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace manyply {

/// A control group. `path` is relative to the mount of the control group files, without a leading
/// slash; empty for the mount's root.
struct Cgroup {
  std::string_view controllers;  ///< version 1: such as ",cpu,cpuacct,"; version 2: ",,"
  const std::filesystem::path& path;

  /// Returns whether it is a version 2 group.
  [[nodiscard]] bool unified() const { return controllers == ",,"; }
  /// Returns whether a version 1 group has this controller, for example "cpu" or "memory".
  [[nodiscard]] bool limits(std::string_view controller) const;
};

/// Visits each group that `membership` (a file in the format of /proc/self/cgroup) names, then its
/// ancestors up to the root of the mount, since their limits apply too. In a container, the group's
/// own path may be invisible and the root may be the container's group. Visits nothing if the file
/// cannot be read.
void visit_cgroups(const std::filesystem::path& membership,
                   const std::function<void(const Cgroup&)>& visit);

}  // namespace manyply
