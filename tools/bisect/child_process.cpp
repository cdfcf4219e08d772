#include "tools/bisect/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>

namespace manyply {
namespace {

using Clock = ChildProcess::Clock;
using std::chrono::milliseconds;

struct Pipe {
  int read = -1;
  int write = -1;
};

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{ends[0], ends[1]};
}

void make_nonblocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

Error cannot_start(int number) {
  return {ErrorCode::kUnavailable, "engine", 0,
          "cannot start a process: " + std::error_code(number, std::generic_category()).message()};
}

/// How long the next wait for `deadline` is to take: a little, so that of a time in which nothing
/// can run no more than that is counted.
milliseconds slice_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
  // Rounded up, so that the last wait does not spin.
  return std::clamp(left + milliseconds(1), milliseconds(0), milliseconds(100));
}

/// Runs the command with the three pipe ends as its standard streams: in a process group of its
/// own, so that a Ctrl-C meant for us is ours to pass on and whatever the command starts dies with
/// it; with no signal blocked or ignored, whatever this process does with its signals.
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

  // Debian installs chess engines where not everybody's PATH leads.
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

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::string& command,
                                                          const std::vector<std::string>& arguments,
                                                          const std::stop_token& stop) {
  std::array<Pipe, 3> pipes;  // in, out, err
  int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  int problem = wake < 0 ? errno : 0;
  for (Pipe& pipe : pipes) {
    if (const auto made = make_pipe()) {
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
    for (int* fd : {&pipes[0].write, &pipes[1].read, &pipes[2].read, &wake}) close_fd(*fd);
    return cannot_start(problem);
  }
  for (const int fd : {pipes[0].write, pipes[1].read, pipes[2].read}) make_nonblocking(fd);
  return std::unique_ptr<ChildProcess>(
      new ChildProcess(stop, pid, pipes[0].write, pipes[1].read, pipes[2].read, wake));
}

ChildProcess::ChildProcess(const std::stop_token& stop, pid_t pid, int in, int out, int err,
                           int wake)
    : stop_(stop), pid_(pid), in_(in), out_(out), err_(err), wake_(wake) {}

ChildProcess::~ChildProcess() {
  close_fd(in_);  // the end of input is a polite goodbye; what does not listen is killed
  if (!stop_.stop_requested()) wait(Clock::now() + milliseconds(100));
  kill_group();
  for (int* fd : {&out_, &err_, &wake_}) close_fd(*fd);
}

void ChildProcess::kill_group() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

int ChildProcess::wait(Clock::time_point deadline) {
  constexpr milliseconds kNap{2};
  while (pid_ >= 0) {
    siginfo_t info{};
    // Left unreaped, so that the group's number cannot be anybody else's while it is killed.
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) break;
    if (info.si_pid != 0) {
      pump(false, Clock::now());  // last words
      kill_group();
      exit_code_ = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
      return exit_code_;
    }
    if (Clock::now() >= deadline || stop_.stop_requested()) break;
    std::this_thread::sleep_for(kNap);
    Clock::waited(kNap);
  }
  kill_group();
  return exit_code_;
}

bool ChildProcess::drain(int& fd, std::string& text) {
  std::array<char, 16384> chunk;
  const ssize_t count = ::read(fd, chunk.data(), chunk.size());
  if (count > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(count));
    return true;
  }
  if (count == 0 || (errno != EINTR && errno != EAGAIN)) close_fd(fd);
  return false;
}

ChildProcess::Wait ChildProcess::pump(bool writing, Clock::time_point deadline) {
  const std::stop_callback wake(stop_, [this] { ::eventfd_write(wake_, 1); });
  // poll() skips negative descriptors.
  std::array<pollfd, 4> fds{
      {{out_, POLLIN, 0}, {err_, POLLIN, 0}, {wake_, POLLIN, 0}, {writing ? in_ : -1, POLLOUT, 0}}};
  const milliseconds slice = slice_until(deadline);
  const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(slice.count()));
  Clock::waited(slice);
  if (stop_.stop_requested()) return Wait::kStopped;
  if (ready <= 0) return Clock::now() >= deadline ? Wait::kTimeout : Wait::kReady;
  if (fds[0].revents != 0) {
    const std::size_t before = output_.size();
    drain(out_, output_);
    received_ += output_.size() - before;
  }
  if (fds[1].revents != 0) {
    drain(err_, errors_);
    if (errors_.size() > kMaxErrors) errors_.erase(0, errors_.size() - kMaxErrors);
  }
  return Wait::kReady;
}

bool ChildProcess::send(std::string_view text, Clock::time_point deadline) {
  while (!text.empty() && in_ >= 0) {
    const ssize_t count = ::write(in_, text.data(), text.size());
    if (count > 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else {
      const bool may_wait = count == 0 || errno == EAGAIN || errno == EINTR;
      if (!may_wait || received_ > kMaxOutput || pump(true, deadline) != Wait::kReady) return false;
    }
  }
  return text.empty();
}

void ChildProcess::close_input() { close_fd(in_); }

ChildProcess::Read ChildProcess::next_line(std::string& line, Clock::time_point deadline) {
  while (true) {
    const std::size_t end = output_.find('\n', scanned_);
    const bool last = end == std::string::npos && out_ < 0 && !output_.empty();
    if (end != std::string::npos || last) {
      line = output_.substr(0, std::min(end, kMaxLine));
      output_.erase(0, last ? std::string::npos : end + 1);
      scanned_ = 0;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (std::exchange(dropping_, false)) continue;
      return Read::kLine;
    }
    scanned_ = output_.size();
    if (scanned_ > kMaxLine && !dropping_) {
      line = output_.substr(0, kMaxLine);
      output_.clear();
      scanned_ = 0;
      dropping_ = true;
      return Read::kLine;
    }
    if (dropping_) output_.clear(), scanned_ = 0;
    if (received_ > kMaxOutput) return Read::kFlood;
    if (out_ < 0) return Read::kEnd;
    switch (pump(false, deadline)) {
      case Wait::kStopped:
        return Read::kStopped;
      case Wait::kTimeout:
        return Read::kTimeout;
      case Wait::kReady:
        break;
    }
  }
}

std::string ChildProcess::errors() const {
  std::string text = errors_;
  if (text.size() == kMaxErrors) text.erase(0, text.find('\n') + 1);  // begins within a line
  std::erase(text, '\r');
  std::ranges::replace_if(text, [](char c) { return c != '\n' && (c < ' ' || c > '~'); }, '?');
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

std::string describe_end(int exit_code) {
  if (exit_code < 0) return "closed its output and went on running";
  if (exit_code > 128 && exit_code < 128 + NSIG) {
    const int number = exit_code - 128;
    const char* name = ::sigdescr_np(number);
    return "was killed by signal " + std::to_string(number) +
           (name != nullptr ? std::string(" (") + name + ")" : "");
  }
  if (exit_code == 127) return "could not be started (exit code 127)";
  return "ended with exit code " + std::to_string(exit_code);
}

}  // namespace manyply
