// MinGW implements std::atomic::wait with winpthreads' condition variables. These need several
// handles and system calls for each wait. Windows' own condition variables need one call, often
// none.
#include <windows.h>

#include "core/base/sleepers.h"

namespace manyply {
namespace {

// Shared by all numbers: a thread that is woken for another number checks its own and sleeps again.
SRWLOCK lock = SRWLOCK_INIT;  // a leaf
CONDITION_VARIABLE changed = CONDITION_VARIABLE_INIT;

}  // namespace

void sleep_while(const std::atomic<int>& number, int value) {
  AcquireSRWLockExclusive(&lock);
  while (number.load() == value) SleepConditionVariableSRW(&changed, &lock, INFINITE, 0);
  ReleaseSRWLockExclusive(&lock);
}

void wake_sleepers(std::atomic<int>& /*number*/) {
  // Wait for the lock: a thread that read the old number under it sleeps by now and will be woken.
  AcquireSRWLockExclusive(&lock);
  ReleaseSRWLockExclusive(&lock);
  WakeAllConditionVariable(&changed);
}

}  // namespace manyply
