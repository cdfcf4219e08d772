// Threads of our own, for systems that have no oneTBB. They wait for the next call: a count has
// many short phases, and to start threads for each took half of the time at depth 5.
#include <condition_variable>
#include <system_error>
#include <thread>
#include <vector>

#include "core/check.h"
#include "parallel/mutex.h"
#include "parallel/processors.h"
#include "parallel/worker_run.h"

namespace manyply {
namespace {

class ThreadsArena : public WorkerArena {
 public:
  explicit ThreadsArena(int workers) : workers_(workers) {}
  ~ThreadsArena() override {
    {
      const MutexLock lock(mutex_);
      ends_ = true;
    }
    called_.notify_all();
  }
  ThreadsArena(const ThreadsArena&) = delete;
  ThreadsArena& operator=(const ThreadsArena&) = delete;

  void run(const std::function<void(int)>& body, const Topology* pin_to) override {
    WorkerRun all(workers_, body, pin_to);
    if (workers_ == 1) {
      all.run(0);
    } else if (!begin(all)) {
      ThreadsArena other(workers_);  // whose caller waits for nobody
      other.run(body, pin_to);
      return;
    } else {
      called_.notify_all();
      end();
    }
    all.rethrow();
  }

 private:
  /// False while another caller's bodies run.
  bool begin(WorkerRun& all) {
    const MutexLock lock(mutex_);
    if (all_ != nullptr) return false;
    all_ = &all;
    next_ = 0;
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
    return true;
  }

  void end() {
    MutexLock lock(mutex_);
    run_next();
    while (running_ > 0) returned_.wait(mutex_);
    all_ = nullptr;
  }

  void serve() {
    MutexLock lock(mutex_);
    while (!ends_) {
      run_next();
      if (!ends_) called_.wait(mutex_);
    }
  }

  /// Bodies that nobody runs yet.
  void run_next() MANYPLY_REQUIRES(mutex_) {
    while (all_ != nullptr && next_ < workers_) {
      const int worker = next_++;
      WorkerRun& all = *all_;
      ++running_;
      mutex_.unlock();
      all.run(worker);
      mutex_.lock();
      if (--running_ == 0) returned_.notify_one();
    }
  }

  const int workers_;
  Mutex mutex_;
  std::condition_variable_any called_;    ///< for threads: there are bodies, or it ends
  std::condition_variable_any returned_;  ///< for the caller
  WorkerRun* all_ MANYPLY_GUARDED_BY(mutex_) = nullptr;
  int next_ MANYPLY_GUARDED_BY(mutex_) = 0;  ///< the worker that nobody runs yet
  int running_ MANYPLY_GUARDED_BY(mutex_) = 0;
  bool ends_ MANYPLY_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  ///< last: they use all of the above until they end
};

}  // namespace

std::unique_ptr<WorkerArena> WorkerArena::of(int workers) {
  MANYPLY_CHECK(workers >= 1);
  return std::make_unique<ThreadsArena>(workers);
}

}  // namespace manyply
