#include "parallel/worker_arena.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

#include "core/check.h"

namespace manyply {

void run_workers(int workers, const std::function<void(int)>& body) {
  MANYPLY_CHECK(workers >= 1);
  // TBB starts no more threads than cores unless told so. The strictest control of the process
  // wins, so this one must not ask for less than the others have.
  constexpr auto kThreads = tbb::global_control::max_allowed_parallelism;
  const tbb::global_control control(
      kThreads, std::max(static_cast<std::size_t>(workers), tbb::global_control::active_value(kThreads)));
  tbb::task_arena arena(workers);
  arena.execute([&] { tbb::parallel_for(0, workers, body, tbb::simple_partitioner()); });
}

}  // namespace manyply
