// The number of processors on Windows, and sleeping threads. Windows puts more than 64 processors
// into groups.
#include <windows.h>

#include <algorithm>
#include <bit>

#include "core/base/processors.h"

namespace manyply {
namespace {

// All numbers share these. A thread that is woken for another number checks its own number and
// sleeps again.
SRWLOCK lock = SRWLOCK_INIT;  // a thread that holds it never takes another lock
CONDITION_VARIABLE changed = CONDITION_VARIABLE_INIT;

}  // namespace

// The affinity mask covers one group. On a machine with several groups, a process without an
// affinity may use all of them.
int usable_processors() {
  DWORD_PTR ours = 0;
  DWORD_PTR system = 0;
  const int all = static_cast<int>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
  if (GetActiveProcessorGroupCount() > 1 ||
      GetProcessAffinityMask(GetCurrentProcess(), &ours, &system) == 0 || ours == 0)
    return all;
  return std::popcount(ours);
}

// A thread runs in one group. Before Windows 11 that is the group of its process, so threads must
// be moved to the other groups explicitly.
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

// MinGW implements std::atomic::wait with winpthreads' condition variables, which need several
// handles and system calls for each wait. Windows' own condition variables need one system call or
// none.
void sleep_while(const std::atomic<int>& number, int value) {
  AcquireSRWLockExclusive(&lock);
  while (number.load() == value) SleepConditionVariableSRW(&changed, &lock, INFINITE, 0);
  ReleaseSRWLockExclusive(&lock);
}

void wake_sleepers(std::atomic<int>& /*number*/) {
  // Take and release the lock first: any thread that read the old number under it is now asleep and
  // will be woken.
  AcquireSRWLockExclusive(&lock);
  ReleaseSRWLockExclusive(&lock);
  WakeAllConditionVariable(&changed);
}

}  // namespace manyply
