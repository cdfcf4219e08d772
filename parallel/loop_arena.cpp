// The arena for systems without threads. It runs all workers one after another on the calling
// thread.
#include "core/base/check.h"
#include "parallel/workers.h"

namespace manyply {
namespace {

class LoopArena : public WorkerArena {
 public:
  explicit LoopArena(int workers) : workers_(workers) {}

  void run(const std::function<void(int)>& body, const Topology* pin_to) override {
    WorkerRun all(workers_, body, pin_to);
    for (int worker = 0; worker < workers_; ++worker) all.run(worker);
    all.rethrow();
  }

 private:
  int workers_;
};

}  // namespace

std::unique_ptr<WorkerArena> WorkerArena::of(int workers) {
  MANYPLY_CHECK(workers >= 1);
  return std::make_unique<LoopArena>(workers);
}

}  // namespace manyply
