// Repeated tasks in a module with one thread. Other systems run such tasks in separate threads.
// Here, a count polls for stop requests, and each poll runs the tasks that are due.
#pragma once

#include <functional>

namespace manyply::wasm {

/// As long as this object exists, stop_requested() calls `task` about every `milliseconds`. A task
/// must not call stop_requested() and must not throw.
class Repeated {
 public:
  Repeated(double milliseconds, std::function<void()> task);
  ~Repeated();
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

 private:
  friend void do_what_is_due();

  const double period_;
  const std::function<void()> task_;
  double due_;
  Repeated* next_;
};

/// Runs due tasks now.
void do_what_is_due();

/// Returns the milliseconds since an arbitrary moment.
[[nodiscard]] double now();

}  // namespace manyply::wasm
