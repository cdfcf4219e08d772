// What workers.h takes from the operating system.
#pragma once

namespace manyply {

/// Cores that the system lets this process use.
int usable_processors();

/// For each thread that an arena of ours starts, by number: a system that keeps a thread to some of
/// the processors gives each its part of them. On that thread.
void spread_thread(int thread);

}  // namespace manyply
