// The order of these includes matters:
// clang-format off
#include <windows.h>
#include <shellapi.h>
#include <winternl.h>
// clang-format on
#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/base/windows_text.h"
#include "tools/cli/framework/io.h"

namespace manyply::console {
namespace {

HANDLE handle_of(int fd) { return reinterpret_cast<HANDLE>(_get_osfhandle(fd)); }

std::optional<DWORD> console_mode(int fd) {
  DWORD mode = 0;
  if (GetConsoleMode(handle_of(fd), &mode) == 0) return std::nullopt;
  return mode;
}

/// Settings of the console before this process started. They are restored at the end.
UINT pages_before = 0;
std::array<std::optional<DWORD>, 3> modes_before;

void restore_console() {
  if (pages_before != 0) SetConsoleOutputCP(pages_before);
  for (const int fd : {1, 2}) {
    const std::optional<DWORD> mode = modes_before[static_cast<std::size_t>(fd)];
    if (mode) SetConsoleMode(handle_of(fd), *mode);
  }
}

/// Sets UTF-8 and enables escape sequences.
void prepare_console() {
  for (const int fd : {1, 2}) {
    const std::optional<DWORD> mode = console_mode(fd);
    if (!mode) continue;
    if (pages_before == 0) pages_before = GetConsoleOutputCP();
    SetConsoleOutputCP(CP_UTF8);
    modes_before[static_cast<std::size_t>(fd)] = mode;
    SetConsoleMode(handle_of(fd), *mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
  std::atexit(restore_console);
}

std::stop_source* to_stop = nullptr;

/// Windows calls this function on a separate thread.
BOOL WINAPI on_control(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) return FALSE;
  if (!to_stop->request_stop()) {
    restore_console();
    TerminateProcess(GetCurrentProcess(), kExitInterrupted);
  }
  return TRUE;
}

/// Returns whether a pipe has a reader. Windows does not notify a writer when the other end is
/// closed. A write of zero bytes cannot be used as a test, because many readers would take it for
/// the end of the input.
bool has_reader(HANDLE pipe) {
  struct LocalInformation {  // FILE_PIPE_LOCAL_INFORMATION
    ULONG type, configuration, most_instances, instances, in_quota, bytes_to_read, out_quota,
        out_quota_left, state, end;
  };
  constexpr auto kPipeLocalInformation = static_cast<FILE_INFORMATION_CLASS>(24);
  constexpr ULONG kConnected = 3;
  LocalInformation information{};
  IO_STATUS_BLOCK status{};
  return NtQueryInformationFile(pipe, &status, &information, sizeof information,
                                kPipeLocalInformation) >= 0 &&
         information.state == kConnected;
}

}  // namespace

bool prepare() {
  bool has_output = true;
  for (const int fd : {0, 1, 2}) {
    if (_get_osfhandle(fd) >= 0) {
      _setmode(fd, _O_BINARY);  // no translation of line ends
      continue;
    }
    if (fd == 1) has_output = false;
    const int nothing = _open("NUL", (fd == 1 ? _O_RDONLY : _O_WRONLY) | _O_BINARY);
    if (nothing != fd) _dup2(nothing, fd);
  }
  prepare_console();
  return has_output;
}

void watch_for_signals(std::stop_source stop, bool /*ends_on_sigterm*/) {
  static std::stop_source source;
  source = std::move(stop);
  to_stop = &source;
  SetConsoleCtrlHandler(on_control, TRUE);
}

void watch_for_readers(Readers& readers) {
  constexpr std::chrono::milliseconds kPeriod{250};
  const HANDLE out = handle_of(1);
  if (GetFileType(out) != FILE_TYPE_PIPE || !has_reader(out)) return;
  std::thread([&readers, out, kPeriod] {
    while (has_reader(out)) std::this_thread::sleep_for(kPeriod);
    readers.left();
  }).detach();
}

bool is_terminal(int fd) { return console_mode(fd).has_value(); }

int terminal_columns(int fd) {
  // Without escape sequences, the cursor cannot return to the start of the line.
  if (!has_colours(fd)) return 0;
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (GetConsoleScreenBufferInfo(handle_of(fd), &info) == 0) return 80;
  const int columns = info.srWindow.Right - info.srWindow.Left + 1;
  return columns > 1 ? columns : 80;
}

// Does not use the arguments of main(), because these are encoded in a code page, and their
// wildcards are already expanded.
std::vector<std::string> arguments(int /*argc*/, char** /*argv*/) {
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  std::vector<std::string> texts;
  for (int i = 1; words != nullptr && i < count; ++i) texts.push_back(windows::narrow(words[i]));
  LocalFree(static_cast<void*>(words));
  return texts;
}

bool has_colours(int fd) {
  return (console_mode(fd).value_or(0) & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

const char* keys_that_end_input() { return "Ctrl-Z and Enter"; }

}  // namespace manyply::console

// Windows has no common function to wait for pipes, consoles and files, and some reads cannot be
// cancelled. So a separate thread reads on request. If a caller stops waiting, the thread stays
// blocked in its read.

namespace manyply {
namespace {

/// Reads typed text as UTF-8. Reading bytes would return text in the console's code page. Returns
/// nullopt if reading fails. Returns an empty text at the end of input, which is Ctrl-Z at the
/// start of a line.
std::optional<std::string> typed(HANDLE console) {
  constexpr wchar_t kCtrlZ = 26;
  std::array<wchar_t, 1024> units;
  DWORD count = 0;
  do {  // Ctrl-C returns an empty result, which is not the end of the input
    SetLastError(0);
    if (ReadConsoleW(console, units.data(), static_cast<DWORD>(units.size()), &count, nullptr) == 0)
      return std::nullopt;
  } while (count == 0 && GetLastError() == ERROR_OPERATION_ABORTED);
  if (count > 0 && units[0] == kCtrlZ) return "";
  return windows::narrow({units.data(), count});
}

std::optional<std::string> next_bytes(HANDLE input) {
  DWORD mode = 0;
  if (GetConsoleMode(input, &mode) != 0) return typed(input);
  std::string bytes(4096, '\0');
  DWORD count = 0;
  if (ReadFile(input, bytes.data(), static_cast<DWORD>(bytes.size()), &count, nullptr) == 0) {
    if (GetLastError() != ERROR_BROKEN_PIPE && GetLastError() != ERROR_HANDLE_EOF)
      return std::nullopt;
    count = 0;
  }
  bytes.resize(count);
  return bytes;
}

/// State shared by the reading thread and its caller.
struct Handover {
  std::mutex mutex;
  std::condition_variable changed;
  HANDLE wanted = nullptr;  ///< handle to read from
  bool read = false;        ///< `bytes` or `error` have the result of the last read
  std::string bytes;
  int error = 0;
  bool woken = false;
  bool over = false;
};

void read_when_asked(const std::shared_ptr<Handover>& handover) {
  std::unique_lock lock(handover->mutex);
  while (true) {
    handover->changed.wait(lock, [&] { return handover->wanted != nullptr || handover->over; });
    if (handover->over) return;
    const HANDLE input = handover->wanted;
    lock.unlock();
    std::optional<std::string> bytes = next_bytes(input);
    const int error = bytes ? 0 : windows::errno_of(GetLastError());
    lock.lock();
    handover->bytes = std::move(bytes).value_or("");
    handover->error = error;
    handover->wanted = nullptr;
    handover->read = true;
    handover->changed.notify_all();
  }
}

}  // namespace

std::string for_shell(std::string_view text) {
  return windows::narrow(windows::quoted(windows::wide(text)));
}

struct InputWait::State {
  std::shared_ptr<Handover> handover = std::make_shared<Handover>();
  bool has_reader = false;
};

InputWait::InputWait() : state_(std::make_unique<State>()) {}

InputWait::~InputWait() {
  const std::lock_guard lock(state_->handover->mutex);
  state_->handover->over = true;
  state_->handover->changed.notify_all();
}

InputWait::Reading InputWait::read(int fd, std::span<char> into) {
  Handover& handover = *state_->handover;
  std::unique_lock lock(handover.mutex);
  if (!handover.read && handover.wanted == nullptr) {
    const auto input = reinterpret_cast<HANDLE>(_get_osfhandle(fd));
    if (input == INVALID_HANDLE_VALUE) {
      errno = EBADF;
      return {End::kFailed};
    }
    handover.wanted = input;
    handover.changed.notify_all();
  }
  if (!state_->has_reader) {
    std::thread(read_when_asked, state_->handover).detach();
    state_->has_reader = true;
  }
  handover.changed.wait(lock, [&] { return handover.read || handover.woken; });
  if (!handover.read) return {End::kWoken};
  if (handover.error != 0) {
    errno = handover.error;
    handover.read = false;
    return {End::kFailed};
  }
  const std::size_t count = std::min(into.size(), handover.bytes.size());
  std::ranges::copy_n(handover.bytes.begin(), static_cast<std::ptrdiff_t>(count), into.begin());
  handover.bytes.erase(0, count);
  handover.read = !handover.bytes.empty();
  return {End::kRead, count};
}

void InputWait::wake() {
  const std::lock_guard lock(state_->handover->mutex);
  state_->handover->woken = true;
  state_->handover->changed.notify_all();
}

}  // namespace manyply
