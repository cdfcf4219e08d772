// The arena with threads of oneTBB. Only this file includes oneTBB.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

#include "core/base/check.h"
#include "parallel/workers.h"

#ifdef MANYPLY_ANNOTATE_FOR_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace manyply {
namespace {

// If TBB was built without ThreadSanitizer, the sanitizer cannot see the synchronisation inside
// TBB. It would report a race between the caller and the bodies. So CMakeLists.txt compiles only
// this file without the sanitizer, and these two functions tell the sanitizer what TBB guarantees:
// bodies see what the caller wrote before run(), and the caller sees what the bodies wrote. The
// sanitizer still checks the bodies.
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

  // Each call makes its own task_arena. This is cheap because TBB keeps its threads.
  void run(const std::function<void(int)>& body, const Topology* pin_to) override {
    // By default, TBB starts at most one thread per core. A control sets another limit for all
    // arenas of the process. If there are several controls, the lowest limit applies. So the limit
    // of this control must not be lower than the limits of other controls.
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
