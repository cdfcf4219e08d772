// The threads that count: tbb_arena.cpp has them from oneTBB, and is the only door to it;
// threads_arena.cpp and loop_arena.cpp are for where there is none. MANYPLY_ARENA says which.
#pragma once

#include <functional>

#include "parallel/topology.h"

namespace manyply {

/// Calls body(0), body(1), … body(workers - 1), each once, on `workers` threads (this one among
/// them) even where the machine has fewer cores, and returns when all have returned. A thread that
/// comes late may find the others' bodies done and its own run by one of them: bodies must not wait
/// for each other. What the first body to throw has thrown is thrown here once all have returned.
/// With `pin_to`, each body runs pinned to its worker's core. Any thread; hold no lock.
/// Precondition: workers >= 1.
void run_workers(int workers, const std::function<void(int)>& body,
                 const Topology* pin_to = nullptr);

}  // namespace manyply
