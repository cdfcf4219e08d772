// Large pages on Windows: whether this process may use them, and advice if it may not.
#include <windows.h>

#include <atomic>

#include "core/base/system_memory.h"
#include "core/base/windows_large_page.h"

namespace manyply::system_memory {
namespace {

std::atomic<bool> large_are_missed{false};

}  // namespace

/// Large pages require the privilege to lock pages in memory. An administrator must grant it to the
/// user, and a program must enable it.
std::uint64_t large_page() {
  static const std::uint64_t size = [] {
    HANDLE token = nullptr;
    if (OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY, &token) == 0)
      return std::uint64_t{0};
    TOKEN_PRIVILEGES wanted{};
    wanted.PrivilegeCount = 1;
    wanted.Privileges[0].Attributes = SE_PRIVILEGE_ENABLED;
    const bool given =
        LookupPrivilegeValueW(nullptr, L"SeLockMemoryPrivilege", &wanted.Privileges[0].Luid) != 0 &&
        AdjustTokenPrivileges(token, FALSE, &wanted, 0, nullptr, nullptr) != 0 &&
        GetLastError() == ERROR_SUCCESS;
    CloseHandle(token);
    return given ? std::uint64_t{GetLargePageMinimum()} : 0;
  }();
  return size;
}

void note_small_pages(std::uint64_t bytes) {
  constexpr std::uint64_t kMissed = std::uint64_t{64} << 20;  // smaller tables gain little
  if (bytes >= kMissed && large_page() == 0) large_are_missed = true;
}

const char* small_pages() {
  return large_are_missed ? "memory: on small pages; large ones, which are faster, take the right "
                            "to lock pages in memory (secpol.msc, Local Policies, User Rights)"
                          : nullptr;
}

}  // namespace manyply::system_memory
