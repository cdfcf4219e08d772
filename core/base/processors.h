// The processors of this process, as each operating system reports them. Used by workers.h.
#pragma once

namespace manyply {

/// Returns the number of cores that the system lets this process use. May be 0 if unknown.
int usable_processors();

/// Lets the calling thread run on its share of the machine's processors. ThreadsArena calls it once
/// on each thread that it starts, with the thread's number from 1. Only Windows needs it, which
/// otherwise keeps a thread on at most 64 processors.
void spread_thread(int thread);

}  // namespace manyply
