#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include "core/base/files.h"
#include "tools/cli/framework/io.h"

namespace manyply::console {

bool prepare() {
  bool has_output = true;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    if (fd == STDOUT_FILENO) has_output = false;
    // open() returns the lowest free descriptor, which is `fd`. Child processes inherit it.
    open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
  }
  std::signal(SIGPIPE, SIG_IGN);  // writing to a closed pipe returns an error instead
  std::signal(SIGXFSZ, SIG_IGN);  // the same for writing beyond a file's size limit
  return has_output;
}

// A separate thread waits for signals. It may call functions that are forbidden in a signal
// handler.
void watch_for_signals(std::stop_source stop, bool ends_on_sigterm) {
  sigset_t watched;
  sigemptyset(&watched);
  bool any = false;
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction inherited{};
    sigaction(signal, nullptr, &inherited);
    // The parent process may have set the signal to be ignored, as a shell script does with SIGINT
    // for processes that it starts in the background. The signal must then stay ignored.
    if (inherited.sa_handler == SIG_IGN || (signal == SIGTERM && !ends_on_sigterm)) continue;
    sigaddset(&watched, signal);
    any = true;
  }
  if (!any) return;
  pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  std::thread([stop = std::move(stop), watched]() mutable {
    for (;;) {
      int signal = 0;
      sigwait(&watched, &signal);
      if (!stop.request_stop() && signal == SIGINT) _exit(kExitInterrupted);
    }
  }).detach();
}

void watch_for_readers(Readers& readers) {
  struct stat status{};
  if (fstat(STDOUT_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  std::thread([&readers] {
    pollfd out{STDOUT_FILENO, 0, 0};
    while (poll(&out, 1, -1) < 0 && errno == EINTR) {
    }
    if ((out.revents & (POLLERR | POLLHUP)) != 0) readers.left();
  }).detach();
}

bool is_terminal(int fd) { return isatty(fd) != 0; }

int terminal_columns(int fd) {
  if (!is_terminal(fd)) return 0;
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

}  // namespace manyply::console

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

// If the pipe is full, an earlier wake-up has not been read yet. So this wake-up is not needed.
void InputWait::wake() { static_cast<void>(!::write(state_->wake.write, "", 1)); }

}  // namespace manyply
