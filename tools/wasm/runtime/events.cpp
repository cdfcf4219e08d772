#include "tools/wasm/runtime/events.h"

#include <algorithm>
#include <utility>

// NOLINTBEGIN(readability-identifier-naming): these names belong to the host and to <stop_token>
extern "C" {
__attribute__((import_module("manyply"), import_name("now"))) double manyply_now();
void manyply_do_what_is_due(void);
}
// NOLINTEND(readability-identifier-naming)

namespace manyply::wasm {
namespace {

Repeated* all = nullptr;
double next_due = 0;
bool busy = false;

}  // namespace

Repeated::Repeated(double milliseconds, std::function<void()> task)
    : period_(milliseconds),
      task_(std::move(task)),
      due_(now() + milliseconds),
      next_(std::exchange(all, this)) {
  next_due = 0;
}

Repeated::~Repeated() {
  Repeated** at = &all;
  while (*at != this) at = &(*at)->next_;
  *at = next_;
}

double now() { return manyply_now(); }

void do_what_is_due() {
  if (busy) return;
  const double time = now();
  if (time < next_due) return;
  busy = true;
  double next = time + 1'000;
  for (Repeated* one = all; one != nullptr; one = one->next_) {
    if (one->due_ <= time) {
      one->due_ = time + one->period_;
      one->task_();
    }
    next = std::min(next, one->due_);
  }
  next_due = next;
  busy = false;
}

}  // namespace manyply::wasm

// Read the clock only at every fourth call, because reading it takes as long as a small count.
void manyply_do_what_is_due(void) {
  static unsigned calls = 0;
  if (++calls % 4 == 0) manyply::wasm::do_what_is_due();
}
