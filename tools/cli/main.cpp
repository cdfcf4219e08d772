// The `perft` program: signals and streams, and nothing else.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tools/cli/command_line.h"
#include "tools/cli/fd_stream.h"
#ifdef MANYPLY_HAS_SERVER
#include "tools/server/server_commands.h"
#endif

namespace {

using manyply::ExitCode;

/// The first Ctrl-C requests a stop, the second one ends the process. A thread that waits for the
/// signal may do what a signal handler may not. Must run before any other thread is started: they
/// inherit the blocked signal.
void watch_for_interrupts(std::stop_source stop) {
  struct sigaction inherited{};
  sigaction(SIGINT, nullptr, &inherited);
  if (inherited.sa_handler == SIG_IGN) return;  // started in the background, or under nohup

  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
  std::thread([stop = std::move(stop), interrupt]() mutable {
    int signal = 0;
    sigwait(&interrupt, &signal);
    stop.request_stop();
    sigwait(&interrupt, &signal);
    _exit(manyply::kExitInterrupted);
  }).detach();
}

int terminal_columns(int fd) {
  if (isatty(fd) == 0) return 0;
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe shows up as a failed write
  std::stop_source stop;
  watch_for_interrupts(stop);

  manyply::FdStream out(STDOUT_FILENO);
  manyply::Io io{out, std::cerr, STDIN_FILENO, terminal_columns(STDERR_FILENO), stop.get_token()};
#ifdef MANYPLY_HAS_SERVER
  const std::span<const manyply::Command> more = manyply::server_commands();
#else
  const std::span<const manyply::Command> more;
#endif
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const int exit_code = manyply::run_perft(arguments, io, more);

  out.flush();
  if (out.error() != 0 && out.error() != EPIPE) {
    const std::string why = std::error_code(out.error(), std::generic_category()).message();
    return manyply::fail(io, {manyply::ErrorCode::kUnavailable, "standard output", 0, why});
  }
  return exit_code;
}
