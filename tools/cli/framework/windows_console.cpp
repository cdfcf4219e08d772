#include <fcntl.h>
#include <io.h>
#include <windows.h>
#include <winternl.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "tools/cli/framework/console.h"

namespace manyply::console {
namespace {

HANDLE handle_of(int fd) { return reinterpret_cast<HANDLE>(_get_osfhandle(fd)); }

std::optional<DWORD> console_mode(int fd) {
  DWORD mode = 0;
  if (GetConsoleMode(handle_of(fd), &mode) == 0) return std::nullopt;
  return mode;
}

/// Settings of the console before this process; they are restored at the end.
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

/// Runs on a thread of its own.
BOOL WINAPI on_control(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) return FALSE;
  if (!to_stop->request_stop()) {
    restore_console();
    TerminateProcess(GetCurrentProcess(), kExitInterrupted);
  }
  return TRUE;
}

/// Returns whether a pipe has a reader. Windows does not notify a writer when the other end is
/// closed, and writing zero bytes would look like the end of input to many readers.
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
  // Without escape sequences, there is no way back to the start of the line.
  if (!has_colours(fd)) return 0;
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (GetConsoleScreenBufferInfo(handle_of(fd), &info) == 0) return 80;
  const int columns = info.srWindow.Right - info.srWindow.Left + 1;
  return columns > 1 ? columns : 80;
}

}  // namespace manyply::console
