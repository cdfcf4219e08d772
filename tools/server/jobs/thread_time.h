// Processor time of one thread.
#pragma once

#include <chrono>
#include <ctime>

namespace manyply {

/// Stands still while the thread waits, or while others have its core. Const access from any
/// thread, as long as the thread lives.
class ThreadTime {
 public:
  [[nodiscard]] static ThreadTime of_this_thread();
  [[nodiscard]] std::chrono::nanoseconds used() const;  ///< since the thread began

 private:
  explicit ThreadTime(clockid_t clock) : clock_(clock) {}

  clockid_t clock_;
};

}  // namespace manyply
