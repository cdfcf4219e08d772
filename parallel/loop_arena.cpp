// One thread: one worker after another.
#include "core/check.h"
#include "parallel/worker_run.h"

namespace manyply {

void run_workers(int workers, const std::function<void(int)>& body, const Topology* pin_to) {
  MANYPLY_CHECK(workers >= 1);
  WorkerRun all(workers, body, pin_to);
  for (int worker = 0; worker < workers; ++worker) all.run(worker);
  all.rethrow();
}

}  // namespace manyply
