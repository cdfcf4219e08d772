#include "parallel/workers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <utility>

#ifdef __linux__
#include <sched.h>
#endif

#include "parallel/cpu_quota.h"
#include "parallel/worker_arena.h"

namespace manyply {
namespace {

int cores_in_affinity_mask() {
#ifdef __linux__
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return CPU_COUNT(&mask);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int available_threads() {
  int threads = std::max(1, cores_in_affinity_mask());
  // Rounded up: with a quota of 1.5 cores one thread would leave half a core unused.
  if (const auto quota = cgroup_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup")) {
    threads = std::min(threads, static_cast<int>(std::ceil(std::min(*quota, 1e6))));
  }
  return std::max(1, threads);
}

Result<Workers> Workers::of(int threads, const Placement& placement) {
  if (threads < 0 || threads > kMaxThreads) {
    return Error{ErrorCode::kInvalidInput, "threads", 0,
                 std::to_string(threads) + " is not between 0 and " + std::to_string(kMaxThreads)};
  }
  Workers workers(threads > 0 ? threads : available_threads());
  workers.placement_ = placement;
  if (placement != Placement{}) {
    auto topology = Topology::load();
    if (!topology) return topology.error();
    workers.topology_ = std::move(topology).value();
  }
  return workers;
}

void Workers::run(const std::function<void(int)>& body) const {
  run_workers(count_, body, placement_.pin_workers ? &*topology_ : nullptr);
}

std::optional<Error> Workers::spread(const TableMemory& memory) const {
  if (!placement_.interleave_tables) return std::nullopt;
  return topology_->interleave(memory.data(), memory.bytes());
}

}  // namespace manyply
