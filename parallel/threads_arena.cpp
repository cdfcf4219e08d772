// The arena with threads of the C++ standard library, for systems without oneTBB. Its threads sleep
// between calls of run(). Starting new threads in each call of run() would take half of the time of
// a count at depth 5, because a count has many short phases.
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/check.h"
#include "core/base/machine.h"
#include "parallel/workers.h"

namespace manyply {
namespace {

class ThreadsArena : public WorkerArena {
 public:
  explicit ThreadsArena(int workers) : workers_(workers), next_(workers) {}
  ~ThreadsArena() override { publish(kEnds); }
  ThreadsArena(const ThreadsArena&) = delete;
  ThreadsArena& operator=(const ThreadsArena&) = delete;

  void run(const std::function<void(int)>& body, const Topology* pin_to) override {
    WorkerRun all(workers_, body, pin_to);
    if (workers_ == 1) {
      all.run(0);
    } else if (taken_.exchange(true)) {
      // Another run() uses the threads. Do not wait for it: if a body of that run has called this
      // function, waiting would be a deadlock.
      ThreadsArena other(workers_);
      other.run(body, pin_to);
      return;
    } else {
      start_threads();
      all_ = &all;
      left_ = workers_;
      publish(0);
      run_next();
      for (int left = left_; left != 0; left = left_) sleep_while(left_, left);
      taken_ = false;
    }
    all.rethrow();
  }

 private:
  static constexpr int kEnds = -1;

  void start_threads() {
    try {
      while (static_cast<int>(threads_.size()) < workers_ - 1) {
        threads_.emplace_back([this, number = static_cast<int>(threads_.size()) + 1] {
          spread_thread(number);
          serve();
        });
      }
    } catch (const std::system_error&) {
      // The system does not allow more threads. The existing threads run all bodies.
    }
  }

  void serve() {
    for (int next = next_; next != kEnds; next = next_) {
      if (next == workers_) {
        sleep_while(next_, next);
      } else {
        run_next();
      }
    }
  }

  /// Runs bodies, one after the other, until all bodies are taken.
  void run_next() {
    for (int worker = next_; worker != workers_ && worker != kEnds;) {
      if (!next_.compare_exchange_weak(worker, worker + 1)) continue;
      all_->run(worker);
      if (--left_ == 0) wake_sleepers(left_);
      worker = next_;
    }
  }

  void publish(int next) {
    next_ = next;
    wake_sleepers(next_);
  }

  const int workers_;
  std::atomic<bool> taken_{false};     ///< the run() that has set it owns the fields below
  WorkerRun* all_ = nullptr;           ///< written before next_ = 0, read after taking a body
  std::atomic<int> next_;              ///< next body to take; workers_ if none is left; or kEnds
  std::atomic<int> left_{0};           ///< number of bodies that have not returned yet
  std::vector<std::jthread> threads_;  ///< last, because they use the fields above
};

}  // namespace

std::unique_ptr<WorkerArena> WorkerArena::of(int workers) {
  MANYPLY_CHECK(workers >= 1);
  return std::make_unique<ThreadsArena>(workers);
}

}  // namespace manyply
