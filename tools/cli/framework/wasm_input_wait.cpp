#include <unistd.h>

#include <cerrno>

#include "tools/cli/framework/input_wait.h"
#include "tools/wasm/runtime/events.h"

namespace manyply {

struct InputWait::State {};

InputWait::InputWait() = default;
InputWait::~InputWait() = default;

/// The host blocks while reading. After a stop request, reading fails with EINTR.
InputWait::Reading InputWait::read(int fd, std::span<char> into) {
  wasm::do_what_is_due();
  const ssize_t count = ::read(fd, into.data(), into.size());
  if (count < 0) return {errno == EINTR ? End::kWoken : End::kFailed};
  return {End::kRead, static_cast<std::size_t>(count)};
}

void InputWait::wake() {}

}  // namespace manyply
