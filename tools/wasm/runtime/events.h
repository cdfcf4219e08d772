// What other threads do elsewhere, in a module that has one: whoever counts asks now and then
// whether it is to stop, and that does what is due.
#pragma once

#include <functional>

namespace manyply::wasm {

/// Calls `task` every `milliseconds`, from within some stop_requested(), while it lives. A task
/// calls none itself, and throws nothing.
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

/// At once, whenever that was done last.
void do_what_is_due();

/// Milliseconds since some moment.
[[nodiscard]] double now();

}  // namespace manyply::wasm
