// Where figures come from: without machine and commit a figure is worth nothing.
#pragma once

#include <string>

namespace manyply {

/// "Intel(R) Xeon(R) Processor, 2 cores"; "unknown" without /proc.
[[nodiscard]] std::string machine();

/// The checked-out commit, "-dirty" behind it when files differ from it; "unknown" without git.
[[nodiscard]] std::string commit();

}  // namespace manyply
