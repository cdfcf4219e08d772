// MinGW's std::atomic::wait goes by winpthreads' conditions, which take several handles and as many
// calls of the system for what Windows' own do in one, and often in none.
#include <windows.h>

#include "parallel/sleepers.h"

namespace manyply {
namespace {

// Of all numbers: whose sleepers are woken for another one look at theirs, and sleep on.
SRWLOCK lock = SRWLOCK_INIT;  // a leaf
CONDITION_VARIABLE changed = CONDITION_VARIABLE_INIT;

}  // namespace

void sleep_while(const std::atomic<int>& number, int value) {
  AcquireSRWLockExclusive(&lock);
  while (number.load() == value) SleepConditionVariableSRW(&changed, &lock, INFINITE, 0);
  ReleaseSRWLockExclusive(&lock);
}

void wake_sleepers(std::atomic<int>& /*number*/) {
  // Who has seen the old number under the lock sleeps by now.
  AcquireSRWLockExclusive(&lock);
  ReleaseSRWLockExclusive(&lock);
  WakeAllConditionVariable(&changed);
}

}  // namespace manyply
