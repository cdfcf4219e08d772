#include "tools/command/input_wait.h"
#include "tools/wasm/runtime/events.h"

namespace manyply {

struct InputWait::State {};

InputWait::InputWait() = default;
InputWait::~InputWait() = default;

/// The host waits while it is read, until somebody asks for a stop; then reading is EINTR.
InputWait::End InputWait::wait(int /*fd*/) {
  wasm::do_what_is_due();
  return End::kReadable;
}

void InputWait::wake() {}

}  // namespace manyply
