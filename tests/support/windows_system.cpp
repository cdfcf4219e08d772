#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <stdexcept>

#include "tests/support/system.h"

namespace manyply {
namespace {

DWORD WINAPI run(void* what) {
  (*static_cast<std::function<void()>*>(what))();
  return 0;
}

}  // namespace

void on_small_stack(const std::function<void()>& body) {
  std::function<void()> ours = body;
  const HANDLE thread = CreateThread(nullptr, kSmallStackBytes, run, &ours,
                                     STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (thread == nullptr) throw std::runtime_error("no thread");
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
}

std::array<int, 2> open_pipe() {
  constexpr unsigned kBytes = 65'536;
  std::array<int, 2> ends{};
  if (::_pipe(ends.data(), kBytes, _O_BINARY | _O_NOINHERIT) != 0)
    throw std::runtime_error("no pipe");
  return ends;
}

}  // namespace manyply
