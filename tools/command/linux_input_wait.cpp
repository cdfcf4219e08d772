#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "tools/command/input_wait.h"

namespace manyply {

struct InputWait::State {
  const int wake = ::eventfd(0, EFD_CLOEXEC);
  ~State() { ::close(wake); }
};

InputWait::InputWait() : state_(std::make_unique<State>()) {}
InputWait::~InputWait() = default;

InputWait::Reading InputWait::read(int fd, std::span<char> into) {
  std::array<pollfd, 2> sources{{{fd, POLLIN, 0}, {state_->wake, POLLIN, 0}}};
  if (::poll(sources.data(), sources.size(), -1) < 0)
    return {errno == EINTR ? End::kWoken : End::kFailed};
  if (sources[0].revents == 0) return {End::kWoken};
  const ssize_t count = ::read(fd, into.data(), into.size());
  if (count < 0) return {errno == EINTR ? End::kWoken : End::kFailed};
  return {End::kRead, static_cast<std::size_t>(count)};
}

void InputWait::wake() { ::eventfd_write(state_->wake, 1); }

}  // namespace manyply
