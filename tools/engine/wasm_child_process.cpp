// The JavaScript host (tools/wasm/npm/engines.js) starts programs and forwards their streams.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "tools/engine/child_process.h"
#include "tools/wasm/runtime/events.h"

// NOLINTBEGIN(readability-identifier-naming): the host defines these names
#define MANYPLY_HOST(name) __attribute__((import_module("manyply"), import_name(name)))
extern "C" {
/// Starts a program. `words` are the command and its arguments. A zero byte ends each word. Returns
/// a number above 0, which stands for the process. If the program cannot be started, returns 0 and
/// writes the system's message to `why`.
MANYPLY_HOST("start")
int manyply_start(const char* words, std::size_t length, char* why, std::size_t room);
/// Waits for output, or for room to write. Returns 4 times the number of bytes read, plus one of
/// these numbers: 0 if nothing happened, 1 for standard output, 2 for standard error, 3 if there is
/// room. A result of exactly 1 or 2 means that the stream has ended.
MANYPLY_HOST("wait")
int manyply_wait(int process, int milliseconds, int for_room, char* bytes, std::size_t room);
/// Returns the number of bytes written, or -1 if the program no longer reads its input.
MANYPLY_HOST("write") int manyply_write(int process, const char* bytes, std::size_t length);
MANYPLY_HOST("close_input") void manyply_close_input(int process);
/// Returns the exit code, or -1 while the program runs.
MANYPLY_HOST("ended") int manyply_ended(int process);
MANYPLY_HOST("kill") void manyply_kill(int process);
MANYPLY_HOST("rest") void manyply_rest(int milliseconds);
}
// NOLINTEND(readability-identifier-naming)

namespace manyply {

struct SystemProcess::State {
  int number = 0;
  bool has_output = true;
  bool has_input = true;
};

Result<std::unique_ptr<SystemProcess>> SystemProcess::start(
    const std::string& command, const std::vector<std::string>& arguments) {
  std::string words = command + '\0';
  for (const std::string& word : arguments) words += word + '\0';
  std::array<char, 200> why{};
  const int number = manyply_start(words.data(), words.size(), why.data(), why.size() - 1);
  if (number > 0)
    return std::unique_ptr<SystemProcess>(
        new SystemProcess(std::make_unique<State>(State{.number = number})));
  return Error{ErrorCode::kUnavailable, "engine", 0,
               std::string("cannot start a process: ") + why.data()};
}

SystemProcess::SystemProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}

SystemProcess::~SystemProcess() { kill(); }

bool SystemProcess::wait(std::chrono::milliseconds most, bool for_room, std::string& out,
                         std::string& err) {
  std::array<char, 16384> bytes;
  const int answer = manyply_wait(state_->number, static_cast<int>(most.count()), for_room ? 1 : 0,
                                  bytes.data(), bytes.size());
  wasm::do_what_is_due();
  const auto count = static_cast<std::size_t>(answer / 4);
  switch (answer % 4) {
    case 1:
      out.append(bytes.data(), count);
      if (count == 0) state_->has_output = false;
      return true;
    case 2:
      err.append(bytes.data(), count);
      return true;
    case 3:
      return true;
    default:
      return false;
  }
}

void SystemProcess::wake() {}  // the host itself ends its waits on a stop request
bool SystemProcess::has_output() const { return state_->has_output; }
bool SystemProcess::has_input() const { return state_->has_input; }

std::optional<std::size_t> SystemProcess::write(std::string_view text) {
  const int count = manyply_write(state_->number, text.data(), text.size());
  if (count < 0) return std::nullopt;
  return static_cast<std::size_t>(count);
}

void SystemProcess::close_input() {
  state_->has_input = false;
  manyply_close_input(state_->number);
}

std::optional<int> SystemProcess::ended() {
  const int code = manyply_ended(state_->number);
  return code < 0 ? std::nullopt : std::optional(code);
}

void SystemProcess::kill() { manyply_kill(state_->number); }
void SystemProcess::rest(std::chrono::milliseconds time) {
  manyply_rest(static_cast<int>(time.count()));
  wasm::do_what_is_due();
}

}  // namespace manyply
