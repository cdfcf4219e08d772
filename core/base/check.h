// Internal consistency checks. A failed check means that Manyply has a bug. The check throws
// BugError, and every job turns this exception into an error that it returns. So a bug never aborts
// the process.
#pragma once

#include <stdexcept>

namespace manyply {

/// Thrown if an internal invariant or a documented precondition does not hold.
class BugError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void fail_check(const char* condition) { throw BugError(condition); }

}  // namespace manyply

/// Always enabled. Use it for checks that cost no measurable time.
#define MANYPLY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::manyply::fail_check("check failed: " #condition))

/// Enabled only in debug builds and builds with sanitizers. Use it for checks in hot code.
#ifdef MANYPLY_DCHECK_ENABLED
#define MANYPLY_DCHECK(condition) MANYPLY_CHECK(condition)
#else
#define MANYPLY_DCHECK(condition) static_cast<void>(0)
#endif
