// Threads of our own, for systems that have no oneTBB. Each call starts them anew: that costs
// nothing that counts from perft(7) on, and half of the time at depth 5.
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "core/check.h"
#include "parallel/processors.h"
#include "parallel/worker_run.h"

namespace manyply {

void run_workers(int workers, const std::function<void(int)>& body, const Topology* pin_to) {
  MANYPLY_CHECK(workers >= 1);
  WorkerRun all(workers, body, pin_to);
  std::atomic<int> next{0};  // the worker that nobody runs yet
  const auto run_next = [&] {
    for (int worker = next.fetch_add(1); worker < workers; worker = next.fetch_add(1))
      all.run(worker);
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(workers - 1));
    try {
      for (int i = 1; i < workers; ++i) {
        threads.emplace_back([&run_next, i] {
          spread_thread(i);
          run_next();
        });
      }
    } catch (const std::system_error&) {
      // The system gives no more: those that are there do the work of all.
    }
    run_next();
  }
  all.rethrow();
}

}  // namespace manyply
