// The workers of a job: their number, the threads that run them, and the cores and memory nodes
// that they use.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/memory.h"
#include "core/base/result.h"

namespace manyply {

/// The placement of table pages and of worker threads. By default the system decides.
struct Placement {
  bool interleave_tables = false;  ///< spread the pages of shared tables over all memory nodes
  bool pin_workers = false;        ///< keep each worker on one core; spread workers over all cores
  friend constexpr bool operator==(const Placement&, const Placement&) = default;
};

/// The cores and memory nodes (NUMA) that this process may use. Matters only on a machine with
/// several memory nodes. Any thread may use the object.
class Topology {
 public:
  /// Returns kUnavailable if the program was built without hwloc or if hwloc cannot read the
  /// machine.
  static Result<Topology> load();

  ~Topology();
  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) noexcept;

  /// Asks the system to spread the `bytes` bytes at `data` over all memory nodes, page by page.
  /// Call it before the first access to the memory. Returns the error if the system refuses.
  [[nodiscard]] std::optional<Error> interleave(void* data, std::size_t bytes) const;

  /// Pins the calling thread to one core until the Pin is destroyed on the same thread. The cores
  /// of `workers` workers are spread over the machine. The thread gets the core of worker `worker`.
  /// If pinning fails, nothing changes.
  class Pin {
   public:
    Pin(const Topology& topology, int worker, int workers);
    ~Pin();
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;

   private:
    struct State;
    std::unique_ptr<State> state_;
  };

 private:
  struct Handle;
  explicit Topology(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

// Runs workers on threads. There are three versions: tbb_arena.cpp uses threads of oneTBB,
// threads_arena.cpp starts its own threads, and loop_arena.cpp uses no threads. The CMake option
// MANYPLY_ARENA selects one.

/// Runs bodies on `workers` threads, including the calling thread, even if the machine has fewer
/// cores. Uses fewer threads if the build has no threads or if the system does not allow more. An
/// arena that starts its own threads starts them in the first run() and ends them in its
/// destructor. Several threads may call run() at the same time. The callers must not hold a lock.
class WorkerArena {
 public:
  /// Makes an arena of this build's version. Precondition: workers >= 1.
  static std::unique_ptr<WorkerArena> of(int workers);
  WorkerArena() = default;
  virtual ~WorkerArena() = default;
  WorkerArena(const WorkerArena&) = delete;
  WorkerArena& operator=(const WorkerArena&) = delete;

  /// Calls body(0), body(1), … body(workers - 1) once each. Returns when all calls have returned.
  /// One thread may run several bodies one after another, so bodies must not wait for each other.
  /// If bodies throw, rethrows the first exception after all calls have returned. If `pin_to` is
  /// not null, the thread is pinned to the core of worker i while it runs body(i).
  virtual void run(const std::function<void(int)>& body, const Topology* pin_to = nullptr) = 0;
};

/// Helps an arena to run one body for each worker. Keeps the first exception that a body throws.
/// The thread that calls run() executes the body. If requested, run() pins this thread while the
/// body runs.
class WorkerRun {
 public:
  WorkerRun(int workers, const std::function<void(int)>& body, const Topology* pin_to)
      : workers_(workers), body_(body), pin_to_(pin_to) {}

  /// Runs one body. Call it once for each worker, from any thread.
  void run(int worker) noexcept {
    try {
      std::optional<Topology::Pin> pin;
      if (pin_to_ != nullptr) pin.emplace(*pin_to_, worker, workers_);
      body_(worker);
    } catch (...) {
      if (!failed_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// Rethrows the first exception if there is one. Call it after all run() calls have returned.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  int workers_;
  const std::function<void(int)>& body_;
  const Topology* pin_to_;
  std::exception_ptr first_;
  std::atomic<bool> failed_{false};  // the thread that sets it is the only one that writes `first_`
};

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

/// The workers of one job. Copies use the same threads. Any thread that holds no lock may use the
/// object.
class Workers {
 public:
  /// Makes `threads` workers; 0 means one for each core that this process may use. Returns
  /// kInvalidInput if `threads` is out of range. If `placement` is not the default, also returns
  /// the errors of Topology::load().
  static Result<Workers> of(int threads, const Placement& placement = {});

  /// Makes `count` workers and lets the system place them. Precondition: count >= 1.
  explicit Workers(int count);

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }

  /// Calls body(0) … body(count() - 1) as in WorkerArena::run. Workers are pinned if `placement`
  /// requests it.
  void run(const std::function<void(int)>& body) const;

  /// Returns the time, in seconds, during which all workers were busy at once. Adds up the finished
  /// run() calls of this object and its copies. During the rest of a job, some workers have no
  /// work, so more workers would not help.
  [[nodiscard]] double all_busy_seconds() const {
    return std::chrono::duration<double>(std::chrono::nanoseconds(*all_busy_)).count();
  }

  /// If `placement` requests it, spreads `memory` over all memory nodes. Use it for memory that all
  /// workers will use, before the first access. Returns the error if the system refuses.
  [[nodiscard]] std::optional<Error> spread(const TableMemory& memory) const;

 private:
  int count_;
  std::shared_ptr<WorkerArena> arena_;
  std::shared_ptr<std::atomic<std::int64_t>> all_busy_;  // nanoseconds
  Placement placement_;
  std::optional<Topology> topology_;  // loaded if placement_ differs from the default
};

}  // namespace manyply
