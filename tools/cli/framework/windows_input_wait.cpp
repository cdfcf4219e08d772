// Windows cannot wait for pipes, consoles and files in the same way, and not all reads can be
// cancelled. Therefore a separate thread reads on request, and a caller that stops waiting abandons
// that read.
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/base/windows_text.h"
#include "tools/cli/framework/input_wait.h"

namespace manyply {
namespace {

/// Reads typed text as UTF-8; a console's bytes would be in its code page. Returns nullopt if
/// reading fails; empty at the end of input, which is Ctrl-Z at the start of a line.
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
  bool read = false;        ///< `bytes` or `error` hold the result of the last read
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
