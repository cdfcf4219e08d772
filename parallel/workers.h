// The workers of a job: how many there are, and on which cores and memory nodes they work.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/result.h"
#include "hash/memory.h"
#include "parallel/topology.h"

namespace manyply {

class WorkerArena;

/// More than any machine has; a larger number of workers is a typing error.
inline constexpr int kMaxThreads = 1024;

/// Cores this process may use (affinity and cgroup respected), at least 1.
int available_threads();

/// Neighbouring workers that do something together.
struct Team {
  int number;
  int first;  ///< of its workers
  int workers;
};

/// Which of `teams` worker `worker` of `workers` is in; as equal in size as can be. Precondition:
/// 1 <= teams <= workers.
constexpr Team team_of(int worker, int workers, int teams) {
  const int number = worker * teams / workers;
  const auto begin = [&](int team) { return (team * workers + teams - 1) / teams; };  // rounded up
  return {number, begin(number), begin(number + 1) - begin(number)};
}

/// One job's; copies share their threads. Any thread; hold no lock.
class Workers {
 public:
  /// `threads` of them, 0 = every core this process may use. kInvalidInput for a number that cannot
  /// be, kUnavailable where `placement` cannot be had.
  static Result<Workers> of(int threads, const Placement& placement = {});

  /// So many, wherever the system puts them. Precondition: count >= 1.
  explicit Workers(int count);

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }

  /// As WorkerArena::run; pinned if that was asked for.
  void run(const std::function<void(int)>& body) const;

  /// Memory that all of them will use, not yet touched: over every memory node, if that was asked
  /// for.
  [[nodiscard]] std::optional<Error> spread(const TableMemory& memory) const;

 private:
  int count_;
  std::shared_ptr<WorkerArena> arena_;
  Placement placement_;
  std::optional<Topology> topology_;  // if placement_ wants anything
};

}  // namespace manyply
