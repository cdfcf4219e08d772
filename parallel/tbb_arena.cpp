#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

#include "core/check.h"
#include "parallel/worker_run.h"

#ifdef MANYPLY_ANNOTATE_FOR_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace manyply {
namespace {

// ThreadSanitizer cannot look into a TBB that was built without it, and so misses that TBB
// publishes what the caller wrote to the bodies, and what they wrote to the caller. This file alone
// is compiled without the sanitizer (CMakeLists.txt) and states these two promises of TBB's;
// everything that the bodies do is checked.
#ifdef MANYPLY_ANNOTATE_FOR_TSAN
void publish(char& edge) { __tsan_release(&edge); }
void observe(char& edge) { __tsan_acquire(&edge); }
#else
void publish(char& /*edge*/) {}
void observe(char& /*edge*/) {}
#endif

}  // namespace

void run_workers(int workers, const std::function<void(int)>& body, const Topology* pin_to) {
  MANYPLY_CHECK(workers >= 1);
  // TBB starts no more threads than cores unless told so. The strictest control of the process
  // wins, so this one must not ask for less than the others have.
  constexpr auto kThreads = tbb::global_control::max_allowed_parallelism;
  const tbb::global_control control(
      kThreads,
      std::max(static_cast<std::size_t>(workers), tbb::global_control::active_value(kThreads)));
  tbb::task_arena arena(workers);
  char started = 0;
  char ended = 0;
  WorkerRun all(workers, body, pin_to);
  publish(started);
  arena.execute([&] {
    tbb::parallel_for(
        0, workers,
        [&](int worker) {
          observe(started);
          all.run(worker);
          publish(ended);
        },
        tbb::simple_partitioner());
  });
  observe(ended);
  all.rethrow();
}

}  // namespace manyply
