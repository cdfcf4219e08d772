#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <stdexcept>

#include "tests/support/eventually.h"

namespace manyply {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  return {ends[0], ends[1]};
}

Pipe make_terminal() {
  Pipe ends;
  if (::openpty(&ends.read, &ends.write, nullptr, nullptr, nullptr) != 0) {
    throw std::runtime_error("openpty failed");
  }
  ::fcntl(ends.read, F_SETFD, FD_CLOEXEC);
  ::fcntl(ends.write, F_SETFD, FD_CLOEXEC);
  return ends;
}

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

/// Appends what can be read now. At the end of the stream, closes `fd`.
void drain(int& fd, std::string& text) {
  std::array<char, 65536> chunk;
  const ssize_t count = ::read(fd, chunk.data(), chunk.size());
  if (count > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {  // a closed terminal returns EIO
    close_fd(fd);
  }
}

}  // namespace

Process::Process(const std::vector<std::string>& argv, Stdout out, Stderr err) {
  ::signal(SIGPIPE, SIG_IGN);
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  Pipe input = make_pipe();
  Pipe output = make_pipe();
  Pipe errors = err == Stderr::kPipe ? make_pipe() : make_terminal();
  if (out == Stdout::kFull) {
    ::close(output.write);
    output.write = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  }

  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {  // only async-signal-safe calls from here on
    ::dup2(input.read, STDIN_FILENO);
    ::dup2(output.write, STDOUT_FILENO);
    ::dup2(errors.write, STDERR_FILENO);
    ::signal(SIGINT, SIG_DFL);
    ::signal(SIGPIPE, SIG_DFL);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  close_fd(input.read);
  close_fd(output.write);
  close_fd(errors.write);
  in_ = input.write;
  err_ = errors.read;
  out_ = output.read;
  if (out == Stdout::kClosedPipe) close_fd(out_);
  if (out == Stdout::kUnread) {
    unread_ = out_;
    out_ = -1;
  }
}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (int* fd : {&in_, &out_, &err_, &unread_}) close_fd(*fd);
}

void Process::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(in_, text.data(), text.size());
    if (count < 0 && errno != EINTR) return;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void Process::close_input() { close_fd(in_); }

void Process::signal(int number) const { ::kill(pid_, number); }

bool Process::read_some(double seconds) {
  if (out_ < 0 && err_ < 0) return false;
  // poll() skips negative descriptors.
  std::array<pollfd, 2> sources{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
  const int ready = ::poll(sources.data(), sources.size(), static_cast<int>(seconds * 1000));
  if (ready <= 0) return ready < 0 && errno == EINTR;
  if (sources[0].revents != 0) drain(out_, result_.out);
  if (sources[1].revents != 0) drain(err_, result_.err);
  return true;
}

bool Process::wait_for(const std::string& where, std::string_view text) {
  const auto start = Clock::now();
  while (where.find(text) == std::string::npos) {
    const double left = kPatience - seconds_since(start);
    if (left <= 0 || !read_some(left)) return where.find(text) != std::string::npos;
  }
  return true;
}

bool Process::wait_for_output(std::string_view text) { return wait_for(result_.out, text); }

bool Process::wait_for_error_output(std::string_view text) { return wait_for(result_.err, text); }

bool Process::wait_for_handler(int number) const {
  return eventually(
      [&] { return ((signals("SigBlk:") | signals("SigCgt:")) >> (number - 1) & 1) != 0; });
}

bool Process::wait_until_taken(int number) const {
  return eventually(
      [&] { return ((signals("SigPnd:") | signals("ShdPnd:")) >> (number - 1) & 1) == 0; });
}

std::uint64_t Process::signals(std::string_view set) const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  std::uint64_t signals = 0;
  for (std::string name; status >> name;) {
    if (name == set) status >> std::hex >> signals;
  }
  return signals;
}

bool Process::has_ended() const {
  siginfo_t info{};
  const int waited = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return waited != 0 || info.si_pid != 0;
}

std::size_t Process::unread_bytes() const {
  int bytes = 0;
  return ::ioctl(unread_, FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

ProcessResult Process::finish(double seconds) {
  const auto start = Clock::now();
  while (read_some(std::max(0.0, seconds - seconds_since(start)))) {
  }
  int status = 0;
  struct rusage used{};
  while (::wait4(pid_, &status, WNOHANG, &used) == 0) {
    if (seconds_since(start) > seconds) ::kill(pid_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  pid_ = -1;
  result_.peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) << 10;
  result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result_;
}

ProcessResult run_process(const std::vector<std::string>& argv, std::string_view input) {
  Process process(argv);
  // Write on a separate thread. Otherwise, this program and the child could wait for each other,
  // both with a full pipe.
  const std::jthread writer([&] {
    process.send(input);
    process.close_input();
  });
  return process.finish();
}

}  // namespace manyply
