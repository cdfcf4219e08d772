// The console of the WebAssembly module. Signals arrive at the host (tools/wasm/npm/command.js),
// which this code polls.

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "tools/cli/framework/io.h"
#include "tools/wasm/runtime/events.h"

// NOLINTBEGIN(readability-identifier-naming): names in the host
extern "C" {
__attribute__((import_module("manyply"), import_name("terminal_columns"))) int
manyply_terminal_columns(int fd);
__attribute__((import_module("manyply"), import_name("has_output"))) int manyply_has_output();
/// Returns nonzero after Ctrl-C.
__attribute__((import_module("manyply"), import_name("asked_to_stop"))) int manyply_asked_to_stop();
}
// NOLINTEND(readability-identifier-naming)

namespace manyply::console {
namespace {

constexpr double kLookMilliseconds = 10;

}  // namespace

bool prepare() { return manyply_has_output() != 0; }

void watch_for_signals(std::stop_source stop, bool /*ends_on_sigterm*/) {
  static const wasm::Repeated look(kLookMilliseconds, [stop = std::move(stop)] {
    if (manyply_asked_to_stop() != 0) stop.request_stop();
  });
}

/// Does nothing, because Node detects a closed pipe only when it writes.
void watch_for_readers(Readers& /*readers*/) {}

bool is_terminal(int fd) { return manyply_terminal_columns(fd) > 0; }
int terminal_columns(int fd) { return manyply_terminal_columns(fd); }

}  // namespace manyply::console

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
