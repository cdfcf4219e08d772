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

class TbbArena : public WorkerArena {
 public:
  explicit TbbArena(int workers) : workers_(workers) {}

  // TBB keeps its threads itself, so that an arena of its own is made for each call.
  void run(const std::function<void(int)>& body, const Topology* pin_to) override {
    // TBB starts no more threads than cores unless told so. The strictest control of the process
    // wins, so this one must not ask for less than the others have.
    constexpr auto kThreads = tbb::global_control::max_allowed_parallelism;
    const tbb::global_control control(
        kThreads,
        std::max(static_cast<std::size_t>(workers_), tbb::global_control::active_value(kThreads)));
    tbb::task_arena arena(workers_);
    char started = 0;
    char ended = 0;
    WorkerRun all(workers_, body, pin_to);
    publish(started);
    arena.execute([&] {
      tbb::parallel_for(
          0, workers_,
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

 private:
  int workers_;
};

}  // namespace

std::unique_ptr<WorkerArena> WorkerArena::of(int workers) {
  MANYPLY_CHECK(workers >= 1);
  return std::make_unique<TbbArena>(workers);
}

}  // namespace manyply
