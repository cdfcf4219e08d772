// Processor time of one thread.
#pragma once

#include <chrono>
#include <ctime>

namespace manyply {

/// Measures the processor time of one thread. It does not advance while the thread waits or is not
/// scheduled. Const functions are safe to call from any thread while the measured thread lives.
class ThreadTime {
 public:
  [[nodiscard]] static ThreadTime of_this_thread();
  [[nodiscard]] std::chrono::nanoseconds used() const;  ///< since the thread started

 private:
  explicit ThreadTime(clockid_t clock) : clock_(clock) {}

  clockid_t clock_;
};

}  // namespace manyply
