// One thread: one worker after another.
#include <exception>
#include <optional>

#include "core/check.h"
#include "parallel/worker_arena.h"

namespace manyply {

void run_workers(int workers, const std::function<void(int)>& body, const Topology* pin_to) {
  MANYPLY_CHECK(workers >= 1);
  std::exception_ptr first;
  for (int worker = 0; worker < workers; ++worker) {
    try {
      std::optional<Topology::Pin> pin;
      if (pin_to != nullptr) pin.emplace(*pin_to, worker, workers);
      body(worker);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace manyply
