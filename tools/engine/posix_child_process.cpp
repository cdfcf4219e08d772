#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/files.h"
#include "tools/engine/child_process.h"

extern char** environ;  // NOLINT: POSIX declares it in no header

namespace manyply {
namespace {

using files::Pipe;

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

void make_nonblocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

Error cannot_start(int number) {
  return {ErrorCode::kUnavailable, "engine", 0,
          "cannot start a process: " + std::error_code(number, std::generic_category()).message()};
}

/// Runs the command with the three pipe ends as its standard streams, and sets `pid`. Returns 0 or
/// an error number. The command gets its own process group. So Ctrl-C reaches only this process,
/// and kill() reaches all processes that the command starts. If this process blocks or ignores
/// signals, the command still receives them.
int spawn(const std::string& command, const std::vector<std::string>& arguments, int in, int out,
          int err, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  // Debian installs chess engines in folders that are not in every user's PATH.
  const std::string script = "PATH=\"$PATH:/usr/games:/usr/local/games\"\n" + command +
                             (arguments.empty() ? "" : " \"$@\"");
  std::vector<std::string> words{"sh", "-c", script, "sh"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int problem = ::posix_spawn(&pid, "/bin/sh", &actions, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return problem;
}

/// Appends the available output to `text`. Closes `fd` at the end of the output.
void drain(int& fd, std::string& text) {
  std::array<char, 16384> chunk;
  const ssize_t count = ::read(fd, chunk.data(), chunk.size());
  if (count > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    close_fd(fd);
  }
}

}  // namespace

struct SystemProcess::State {
  pid_t pid = -1;  // -1 after the process was reaped
  int in = -1;
  int out = -1;
  int err = -1;
  Pipe wake{};  // readable after wake()
};

Result<std::unique_ptr<SystemProcess>> SystemProcess::start(
    const std::string& command, const std::vector<std::string>& arguments) {
  std::array<Pipe, 4> pipes;  // in this order: in, out, err, wake
  int problem = 0;
  for (Pipe& pipe : pipes) {
    if (const auto made = files::open_pipe()) {
      pipe = *made;
    } else if (problem == 0) {
      problem = errno;
    }
  }
  pid_t pid = -1;
  if (problem == 0)
    problem = spawn(command, arguments, pipes[0].read, pipes[1].write, pipes[2].write, pid);
  close_fd(pipes[0].read);
  close_fd(pipes[1].write);
  close_fd(pipes[2].write);
  if (problem != 0) {
    for (int* fd :
         {&pipes[0].write, &pipes[1].read, &pipes[2].read, &pipes[3].read, &pipes[3].write})
      close_fd(*fd);
    return cannot_start(problem);
  }
  for (const int fd : {pipes[0].write, pipes[1].read, pipes[2].read, pipes[3].write})
    make_nonblocking(fd);
  return std::unique_ptr<SystemProcess>(new SystemProcess(
      std::make_unique<State>(State{pid, pipes[0].write, pipes[1].read, pipes[2].read, pipes[3]})));
}

SystemProcess::SystemProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}

SystemProcess::~SystemProcess() {
  kill();
  for (int* fd : {&state_->in, &state_->out, &state_->err, &state_->wake.read, &state_->wake.write})
    close_fd(*fd);
}

bool SystemProcess::wait(std::chrono::milliseconds most, bool for_room, std::string& out,
                         std::string& err) {
  // poll() skips negative descriptors.
  std::array<pollfd, 4> fds{{{state_->out, POLLIN, 0},
                             {state_->err, POLLIN, 0},
                             {state_->wake.read, POLLIN, 0},
                             {for_room ? state_->in : -1, POLLOUT, 0}}};
  if (::poll(fds.data(), fds.size(), static_cast<int>(most.count())) <= 0) return false;
  if (fds[0].revents != 0) drain(state_->out, out);
  if (fds[1].revents != 0) drain(state_->err, err);
  return true;
}

// The result is ignored: if the pipe is full, the wait has already been woken.
void SystemProcess::wake() { static_cast<void>(!::write(state_->wake.write, "", 1)); }
bool SystemProcess::has_output() const { return state_->out >= 0; }
bool SystemProcess::has_input() const { return state_->in >= 0; }

std::optional<std::size_t> SystemProcess::write(std::string_view text) {
  const ssize_t count = ::write(state_->in, text.data(), text.size());
  if (count >= 0) return static_cast<std::size_t>(count);
  if (errno == EAGAIN || errno == EINTR) return 0;
  return std::nullopt;
}

void SystemProcess::close_input() { close_fd(state_->in); }

std::optional<int> SystemProcess::ended() {
  if (state_->pid < 0) return std::nullopt;
  siginfo_t info{};
  // Do not reap the process here. Otherwise another process could get the number of its group
  // before kill().
  if (::waitid(P_PID, static_cast<id_t>(state_->pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0)
    return std::nullopt;
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

void SystemProcess::kill() {
  if (state_->pid < 0) return;
  ::kill(-state_->pid, SIGKILL);
  while (::waitpid(state_->pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  state_->pid = -1;
}

void SystemProcess::rest(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

}  // namespace manyply
