// The workers of a job: their number, and the cores and memory nodes that they use.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/base/memory.h"
#include "core/base/result.h"
#include "parallel/topology.h"

namespace manyply {

class WorkerArena;

/// The largest number of threads that a user may request. A larger number is probably a typing
/// error.
inline constexpr int kMaxThreads = 1024;

/// Returns the number of cores that this process may use, at least 1. On Linux, the CPU affinity
/// and the quota of the control group limit the number. The quota is rounded up.
int available_threads();

/// Consecutive workers that share a window (hash/count_tables.h) and take groups of units together.
struct Team {
  int number;
  int first;  ///< number of the team's first worker
  int workers;
};

/// Returns the team of `worker`. `workers` workers form `teams` teams. The sizes of teams differ by
/// at most one. Precondition: 1 <= teams <= workers.
constexpr Team team_of(int worker, int workers, int teams) {
  const int number = worker * teams / workers;
  const auto begin = [&](int team) { return (team * workers + teams - 1) / teams; };  // rounded up
  return {number, begin(number), begin(number + 1) - begin(number)};
}

/// The workers of one job. Copies use the same threads. Any thread may use it. The caller must not
/// hold a lock.
class Workers {
 public:
  /// Makes `threads` workers; 0 means one for each core that this process may use. Returns
  /// kInvalidInput if `threads` is out of range, and the error of Topology::load() if `placement`
  /// is not the default and the topology cannot be loaded.
  static Result<Workers> of(int threads, const Placement& placement = {});

  /// Makes `count` workers and lets the system place them. Precondition: count >= 1.
  explicit Workers(int count);

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }

  /// Calls body(0) … body(count() - 1) as in WorkerArena::run. Workers are pinned if `placement`
  /// requests it.
  void run(const std::function<void(int)>& body) const;

  /// Returns the seconds during which all workers had work, added up over all finished calls of
  /// run() of this object and its copies. In the rest of a job's time, only some of the workers
  /// have work, so more workers would not shorten this rest.
  [[nodiscard]] double all_busy_seconds() const {
    return std::chrono::duration<double>(std::chrono::nanoseconds(*all_busy_)).count();
  }

  /// If `placement` requests it, spreads memory that all workers will use over all memory nodes.
  /// Call it before the first access to the memory. Returns the error if the system refuses.
  [[nodiscard]] std::optional<Error> spread(const TableMemory& memory) const;

 private:
  int count_;
  std::shared_ptr<WorkerArena> arena_;
  std::shared_ptr<std::atomic<std::int64_t>> all_busy_;  // nanoseconds
  Placement placement_;
  std::optional<Topology> topology_;  // loaded if placement_ differs from the default
};

}  // namespace manyply
