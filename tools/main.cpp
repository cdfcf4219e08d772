// The `perft` program: signals and streams, and nothing else.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "tools/campaign/campaign_commands.h"
#include "tools/cli/commands.h"
#include "tools/client/client_commands.h"
#include "tools/command/command_line.h"
#include "tools/command/completion.h"
#include "tools/command/fd_stream.h"
#include "tools/command/manual.h"
#include "tools/server/serve_command.h"

namespace {

using manyply::ExitCode;

/// The first Ctrl-C requests a stop, the second one ends the process. SIGTERM stops what ends on
/// it, too. A thread that waits for the signal may do what a signal handler may not. Must run
/// before any other thread is started: they inherit the blocked signals.
void watch_for_signals(std::stop_source stop, bool ends_on_sigterm) {
  sigset_t watched;
  sigemptyset(&watched);
  bool any = false;
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction inherited{};
    sigaction(signal, nullptr, &inherited);
    // Ignored: started in the background, or under nohup.
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
      if (!stop.request_stop() && signal == SIGINT) _exit(manyply::kExitInterrupted);
    }
  }).detach();
}

/// Tells `readers` when the other end of standard output, a pipe, is closed: a command that has
/// nothing to print for hours would not notice.
void watch_for_readers(manyply::Readers& readers) {
  struct stat status{};
  if (fstat(STDOUT_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  std::thread([&readers] {
    pollfd out{STDOUT_FILENO, 0, 0};
    while (poll(&out, 1, -1) < 0 && errno == EINTR) {
    }
    if ((out.revents & POLLERR) != 0) readers.left();
  }).detach();
}

/// Whoever starts us may have closed some of the standard streams. Else the next file that is
/// opened would take the place: a wake-up would be read as input, answers be written into a
/// database. What takes the place can be neither read nor written: that is an error, as it would be
/// without us; but for complaints, which are lost. Whether there is a standard output.
bool fill_missing_streams() {
  bool has_output = true;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    if (fd == STDOUT_FILENO) has_output = false;
    // It gets the lowest number that is free. Children shall find it there, too.
    open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
  }
  return has_output;
}

int terminal_columns(int fd) {
  if (isatty(fd) == 0) return 0;
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

/// Whether what is written there is for eyes, and those want colours.
bool wants_colours(int fd) {
  // Nothing here changes the environment. NOLINTBEGIN(concurrency-mt-unsafe)
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  // NOLINTEND(concurrency-mt-unsafe)
  return isatty(fd) != 0 && (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

std::vector<manyply::Command> all_commands() {
  std::vector<manyply::Command> commands = manyply::cli_commands();
  commands.push_back(manyply::serve_command(manyply::campaign_opener()));
  for (const auto& others : {manyply::client_commands(), manyply::campaign_commands()})
    commands.insert(commands.end(), others.begin(), others.end());
  return commands;
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_output = fill_missing_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe shows up as a failed write
  std::signal(SIGXFSZ, SIG_IGN);  // and so does a file beyond the limit
  std::stop_source stop;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  std::vector<manyply::Command> commands = all_commands();
  commands.push_back(manyply::completion_command(commands));
  commands.push_back(manyply::manual_command(commands));
  const manyply::Command* const command = manyply::find_command(commands, arguments);
  const manyply::Needs needs = command != nullptr ? command->needs : manyply::Needs{};
  watch_for_signals(stop, needs.ends_on_sigterm);
  static manyply::Readers readers(stop);  // the thread that uses it may outlive main()
  if (!needs.outlives_readers) watch_for_readers(readers);

  manyply::FdStream out(STDOUT_FILENO);
  manyply::Io io{out,
                 std::cerr,
                 STDIN_FILENO,
                 terminal_columns(STDERR_FILENO),
                 stop.get_token(),
                 &readers,
                 terminal_columns(STDOUT_FILENO),
                 wants_colours(STDOUT_FILENO),
                 wants_colours(STDERR_FILENO)};
  const auto fail_to_write = [&io](int error) {
    const std::string why = std::error_code(error, std::generic_category()).message();
    return manyply::fail(io, {manyply::ErrorCode::kUnavailable, "standard output", 0, why});
  };
  // Before hours are spent on what reaches nobody.
  if (!has_output && !needs.outlives_readers) return fail_to_write(EBADF);
  const int exit_code = manyply::run_perft(arguments, io, commands);

  out.flush();
  return out.error() != 0 && out.error() != EPIPE ? fail_to_write(out.error()) : exit_code;
}
