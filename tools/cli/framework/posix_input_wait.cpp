#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/base/files.h"
#include "tools/cli/framework/input_wait.h"

namespace manyply {

struct InputWait::State {
  const files::Pipe wake = files::open_pipe().value_or(files::Pipe{});
  State() { ::fcntl(wake.write, F_SETFL, O_NONBLOCK); }
  ~State() {
    ::close(wake.read);
    ::close(wake.write);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

InputWait::InputWait() : state_(std::make_unique<State>()) {}
InputWait::~InputWait() = default;

InputWait::Reading InputWait::read(int fd, std::span<char> into) {
  std::array<pollfd, 2> sources{{{fd, POLLIN, 0}, {state_->wake.read, POLLIN, 0}}};
  if (::poll(sources.data(), sources.size(), -1) < 0)
    return {errno == EINTR ? End::kWoken : End::kFailed};
  if (sources[0].revents == 0) return {End::kWoken};
  const ssize_t count = ::read(fd, into.data(), into.size());
  if (count < 0) return {errno == EINTR ? End::kWoken : End::kFailed};
  return {End::kRead, static_cast<std::size_t>(count)};
}

// If the pipe is full, a wake-up is already pending.
void InputWait::wake() { static_cast<void>(!::write(state_->wake.write, "", 1)); }

}  // namespace manyply
