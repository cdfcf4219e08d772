// Internal consistency checks. A failed check is a bug in Manyply: it throws BugError, which every
// job turns into an error report, so a library never aborts the process that uses it.
#pragma once

#include <stdexcept>

namespace manyply {

/// Thrown when an internal invariant or a documented precondition does not hold.
class BugError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void fail_check(const char* condition) { throw BugError(condition); }

}  // namespace manyply

/// Always on; for invariants whose test costs nothing measurable.
#define MANYPLY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::manyply::fail_check("check failed: " #condition))

/// On in debug builds only; for invariants on hot paths.
#ifdef MANYPLY_DCHECK_ENABLED
#define MANYPLY_DCHECK(condition) MANYPLY_CHECK(condition)
#else
#define MANYPLY_DCHECK(condition) static_cast<void>(0)
#endif
