// Memory, processors and sleeping threads on Windows. Supports large pages and machines with more
// than 64 processors.
#include <malloc.h>
#include <windows.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "core/base/machine.h"
#include "core/base/memory.h"

namespace manyply::system_memory {
namespace {

std::atomic<bool> large_are_missed{false};

}  // namespace

/// To use large pages, the program needs the privilege to lock pages in memory. An administrator
/// must grant this privilege to the user, and the program must enable it.
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

void* allocate(std::uint64_t bytes) {
  if (const std::uint64_t page = large_page(); page != 0 && bytes >= page) {
    const std::uint64_t whole = (bytes + page - 1) / page * page;
    void* const data =
        VirtualAlloc(nullptr, whole, MEM_RESERVE | MEM_COMMIT | MEM_LARGE_PAGES, PAGE_READWRITE);
    if (data != nullptr) return data;  // null if free memory is fragmented
  }
  note_small_pages(bytes);
  return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void free(void* data, std::uint64_t /*bytes*/) { VirtualFree(data, 0, MEM_RELEASE); }
bool can_free_parts() { return false; }

}  // namespace manyply::system_memory

namespace manyply {
namespace {

// All calls of sleep_while() use these two objects, even if their arguments `number` are different
// variables. A thread that wakes up checks its own `number`. If that variable has not changed, the
// thread sleeps again.
SRWLOCK lock = SRWLOCK_INIT;  // a thread that holds it never takes another lock
CONDITION_VARIABLE changed = CONDITION_VARIABLE_INIT;

}  // namespace

std::uint64_t available_memory_bytes() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (GlobalMemoryStatusEx(&status) == 0) return SIZE_MAX;
  // Windows commits memory when it is allocated, not when it is first accessed. So the commit limit
  // applies, too.
  std::uint64_t most =
      std::min({status.ullAvailPhys, status.ullAvailPageFile, status.ullAvailVirtual});
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  if (QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &limits, sizeof limits,
                                nullptr) != 0) {
    if ((limits.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_PROCESS_MEMORY) != 0)
      most = std::min<std::uint64_t>(most, limits.ProcessMemoryLimit);
    if ((limits.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_JOB_MEMORY) != 0)
      most = std::min<std::uint64_t>(most, limits.JobMemoryLimit);
  }
  return most;
}

void return_freed_memory() { ::_heapmin(); }

const char* advice_on_pages() {
  return system_memory::large_are_missed
             ? "memory: on small pages; large pages are faster, but need the right "
               "to lock pages in memory (secpol.msc, Local Policies, User Rights Assignment)"
             : nullptr;
}

// The affinity mask covers only one group of processors. On a machine with several groups, this
// function ignores the mask and returns the number of all processors. This is too many if the
// process's affinity was limited.
int usable_processors() {
  DWORD_PTR ours = 0;
  DWORD_PTR system = 0;
  const int all = static_cast<int>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
  if (GetActiveProcessorGroupCount() > 1 ||
      GetProcessAffinityMask(GetCurrentProcess(), &ours, &system) == 0 || ours == 0)
    return all;
  return std::popcount(ours);
}

// A thread runs in one group of processors. Before Windows 11, this is the group of its process. So
// threads must be moved to the other groups explicitly.
void spread_thread(int thread) {
  const WORD groups = GetActiveProcessorGroupCount();
  if (groups < 2) return;
  DWORD number = static_cast<DWORD>(thread) % GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
  WORD group = 0;
  for (; number >= GetActiveProcessorCount(group); ++group)
    number -= GetActiveProcessorCount(group);
  constexpr DWORD kMost = 64;
  const DWORD count = std::min(GetActiveProcessorCount(group), kMost);
  GROUP_AFFINITY affinity{};
  affinity.Mask = ~KAFFINITY{0} >> (kMost - count);
  affinity.Group = group;
  SetThreadGroupAffinity(GetCurrentThread(), &affinity, nullptr);
}

// MinGW implements std::atomic::wait with the condition variables of winpthreads, which need
// several handles and system calls for each wait. The condition variables of Windows need at most
// one system call.
void sleep_while(const std::atomic<int>& number, int value) {
  AcquireSRWLockExclusive(&lock);
  while (number.load() == value) SleepConditionVariableSRW(&changed, &lock, INFINITE, 0);
  ReleaseSRWLockExclusive(&lock);
}

void wake_sleepers(std::atomic<int>& /*number*/) {
  // sleep_while() holds the lock from reading `number` until the thread is asleep. So when this
  // function has the lock, every thread that has read the old value is asleep and can be woken.
  AcquireSRWLockExclusive(&lock);
  ReleaseSRWLockExclusive(&lock);
  WakeAllConditionVariable(&changed);
}

}  // namespace manyply
