#include "tools/server/jobs/thread_time.h"

#include <pthread.h>

#include "core/base/check.h"

namespace manyply {

ThreadTime ThreadTime::of_this_thread() {
  clockid_t clock{};
  MANYPLY_CHECK(pthread_getcpuclockid(pthread_self(), &clock) == 0);
  return ThreadTime(clock);
}

std::chrono::nanoseconds ThreadTime::used() const {
  timespec time{};
  if (clock_gettime(clock_, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace manyply
