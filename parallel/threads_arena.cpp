// Threads of our own, for systems that have no oneTBB. They wait for the next call: a count has
// many short phases, and to start threads for each took half of the time at depth 5.
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "core/check.h"
#include "parallel/processors.h"
#include "parallel/sleepers.h"
#include "parallel/worker_run.h"

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
      ThreadsArena other(workers_);  // another caller's bodies run here: who waits for nobody
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
      // The system gives no more: those that are there do the work of all.
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

  /// Bodies that nobody runs yet.
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
  std::atomic<bool> taken_{false};     ///< by a caller, who writes the rest
  WorkerRun* all_ = nullptr;           ///< written while no body waits, read by who has taken one
  std::atomic<int> next_;              ///< the body that nobody runs yet, or workers_, or kEnds
  std::atomic<int> left_{0};           ///< bodies that have not returned
  std::vector<std::jthread> threads_;  ///< last: they use all of the above until they end
};

}  // namespace

std::unique_ptr<WorkerArena> WorkerArena::of(int workers) {
  MANYPLY_CHECK(workers >= 1);
  return std::make_unique<ThreadsArena>(workers);
}

}  // namespace manyply
