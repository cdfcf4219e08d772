// The machine and the commit of a measurement. Without them, a measurement is worthless.
#pragma once

#include <string>

namespace manyply {

/// Returns text such as "Intel(R) Xeon(R) Processor, 2 cores"; "unknown" without /proc.
[[nodiscard]] std::string machine();

/// Returns the checked-out commit, followed by "-dirty" if tracked files were changed; "unknown"
/// without git.
[[nodiscard]] std::string commit();

}  // namespace manyply
