// The processors that this process may use, and how its threads sleep and wake. Each operating
// system has its own implementation. Used by workers.h and ThreadsArena.
#pragma once

#include <atomic>

namespace manyply {

/// Returns the number of cores that the system lets this process use. May be 0 if unknown.
int usable_processors();

/// Lets the calling thread run on its share of the machine's processors. ThreadsArena calls it once
/// on each thread that it starts, with the thread's number from 1. Only Windows needs it: without
/// it, a thread stays on at most 64 processors.
void spread_thread(int thread);

/// Blocks until `number` differs from `value`; may wake up in between. A thread that changes
/// `number` must call wake_sleepers() afterwards. Any thread; hold no lock.
void sleep_while(const std::atomic<int>& number, int value);
/// Wakes every thread that sleeps on `number`.
void wake_sleepers(std::atomic<int>& number);

}  // namespace manyply
