#include "tools/engine/child_process.h"

#include <array>
#include <cstring>
#include <utility>

namespace manyply {
namespace {

using Clock = ChildProcess::Clock;
using std::chrono::milliseconds;

/// Returns the length of the next wait before `deadline`, at most 100 ms. WaitingClock should not
/// count the time for which this process is suspended. But if the suspension begins during a wait,
/// the clock counts the suspension up to the time limit of this wait. So waits are short.
milliseconds slice_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
  // Round up. Otherwise waits of 0 ms would follow each other just before the deadline.
  return std::clamp(left + milliseconds(1), milliseconds(0), milliseconds(100));
}

/// Returns the description of a signal, such as "Segmentation fault"; empty if no such signal
/// exists. On systems without signals, returns the texts of Linux.
#if defined(_WIN32) || defined(__wasm__)
std::string signal_text(int number) {
  constexpr std::array<const char*, 32> kTexts{"",
                                               "Hangup",
                                               "Interrupt",
                                               "Quit",
                                               "Illegal instruction",
                                               "Trace/breakpoint trap",
                                               "Aborted",
                                               "Bus error",
                                               "Floating point exception",
                                               "Killed",
                                               "User defined signal 1",
                                               "Segmentation fault",
                                               "User defined signal 2",
                                               "Broken pipe",
                                               "Alarm clock",
                                               "Terminated",
                                               "Stack fault",
                                               "Child exited",
                                               "Continued",
                                               "Stopped (signal)",
                                               "Stopped",
                                               "Stopped (tty input)",
                                               "Stopped (tty output)",
                                               "Urgent I/O condition",
                                               "CPU time limit exceeded",
                                               "File size limit exceeded",
                                               "Virtual timer expired",
                                               "Profiling timer expired",
                                               "Window changed",
                                               "I/O possible",
                                               "Power failure",
                                               "Bad system call"};
  if (number < 0 || number >= static_cast<int>(kTexts.size())) return "";
  return kTexts[static_cast<std::size_t>(number)];
}
#else
std::string signal_text(int number) {
  // strsignal() also returns a text for unknown signals.
  // NOLINTNEXTLINE(concurrency-mt-unsafe): only one thread calls it
  const char* const found = ::strsignal(number);
  std::string text = found != nullptr ? found : "";
  text.erase(std::min(text.find(": "), text.size()));  // macOS adds the number
  return text.starts_with("Unknown signal") ? "" : text;
}
#endif

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::string& command,
                                                          const std::vector<std::string>& arguments,
                                                          const std::stop_token& stop) {
  auto process = SystemProcess::start(command, arguments);
  if (!process) return process.error();
  return std::unique_ptr<ChildProcess>(new ChildProcess(stop, std::move(process).value()));
}

ChildProcess::ChildProcess(const std::stop_token& stop, std::unique_ptr<SystemProcess> process)
    : stop_(stop), process_(std::move(process)) {}

ChildProcess::~ChildProcess() {
  process_->close_input();  // if the program does not end after this, it is killed
  if (!stop_.stop_requested()) wait(Clock::now() + milliseconds(100));
}

int ChildProcess::wait(Clock::time_point deadline) {
  constexpr milliseconds kNap{2};
  while (!killed_) {
    if (const std::optional<int> code = process_->ended()) {
      pump(false, Clock::now());  // read the program's last output
      exit_code_ = *code;
      break;
    }
    if (Clock::now() >= deadline || stop_.stop_requested()) break;
    SystemProcess::rest(kNap);
    Clock::waited(kNap);
  }
  process_->kill();
  killed_ = true;
  return exit_code_;
}

ChildProcess::Wait ChildProcess::pump(bool writing, Clock::time_point deadline) {
  const std::stop_callback wake(stop_, [this] { process_->wake(); });
  const milliseconds slice = slice_until(deadline);
  const std::size_t before = output_.size();
  const bool something = process_->wait(slice, writing, output_, errors_);
  Clock::waited(slice);
  if (stop_.stop_requested()) return Wait::kStopped;
  if (!something) return Clock::now() >= deadline ? Wait::kTimeout : Wait::kReady;
  received_ += output_.size() - before;
  if (errors_.size() > kMaxErrors) errors_.erase(0, errors_.size() - kMaxErrors);
  return Wait::kReady;
}

bool ChildProcess::send(std::string_view text, Clock::time_point deadline) {
  while (!text.empty() && process_->has_input()) {
    const std::optional<std::size_t> taken = process_->write(text);
    text.remove_prefix(taken.value_or(0));
    if (taken == 0) {
      if (received_ > kMaxOutput || pump(true, deadline) != Wait::kReady) return false;
    } else if (!taken) {
      return false;
    }
  }
  return text.empty();
}

void ChildProcess::close_input() { process_->close_input(); }

void ChildProcess::drop_output() {
  for (std::string line; next_line(line, Clock::now()) == Read::kLine;) {
  }
  output_.clear();
  scanned_ = 0;
}

ChildProcess::Read ChildProcess::next_line(std::string& line, Clock::time_point deadline,
                                           std::string_view prompt) {
  while (true) {
    if (received_ > kMaxOutput || lines_ > kMaxLines) return Read::kFlood;
    if (!prompt.empty() && output_ == prompt) {
      output_.clear();
      scanned_ = 0;
      return Read::kPrompt;
    }
    const std::size_t end = output_.find('\n', scanned_);
    const bool last = end == std::string::npos && !process_->has_output() && !output_.empty();
    if (end != std::string::npos || last) {
      line = output_.substr(0, std::min(end, kMaxLine));
      output_.erase(0, last ? std::string::npos : end + 1);
      scanned_ = 0;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (std::exchange(dropping_, false)) continue;
      ++lines_;
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
    if (!process_->has_output()) return Read::kEnd;
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
  // The stored text may begin in the middle of a line, so remove this line.
  if (text.size() == kMaxErrors) text.erase(0, text.find('\n') + 1);
  std::erase(text, '\r');
  std::ranges::replace_if(text, [](char c) { return c != '\n' && (c < ' ' || c > '~'); }, '?');
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

std::string describe_end(int exit_code) {
  if (exit_code < 0) return "closed its output but kept running";
  constexpr int kSignals = 65;  // number of signals on Linux
  if (exit_code > 128 && exit_code < 128 + kSignals) {
    const int number = exit_code - 128;
    const std::string name = signal_text(number);
    return "was killed by signal " + std::to_string(number) +
           (name.empty() ? "" : " (" + name + ")");
  }
  if (exit_code == 127) return "could not be started (exit code 127)";
  return "ended with exit code " + std::to_string(exit_code);
}

}  // namespace manyply
