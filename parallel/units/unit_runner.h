// Orders units and distributes them to workers, which call a function for each unit. All kinds of
// jobs use this code: counts, statistics, verification, estimates, searches for distinct positions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/mutex.h"
#include "parallel/jobs/workforce.h"
#include "parallel/units/root_splitter.h"
#include "parallel/units/unit_store.h"

namespace manyply {

/// The order in which units are counted. It does not affect the result. Units form groups. A team
/// of workers takes a whole group. When all groups are taken, a team that has finished its own
/// group helps another team.
struct UnitOrder {
  std::vector<std::uint32_t> units;      ///< numbers of some or all units, each at most once
  std::vector<std::size_t> group_begin;  ///< index in `units` of the first unit of each group

  [[nodiscard]] std::size_t groups() const { return group_begin.size(); }
  [[nodiscard]] std::size_t group_end(std::size_t group) const {
    return group + 1 < groups() ? group_begin[group + 1] : units.size();
  }
};

/// Returns units 0 … units - 1 as one group.
[[nodiscard]] UnitOrder ascending_order(std::size_t units);

/// Returns the units at indices `begin` to `end` - 1 of `order`. The first and the last group may
/// be incomplete.
[[nodiscard]] UnitOrder range_of(const UnitOrder& order, std::size_t begin, std::size_t end);

/// Hands out the units of an order to workers, group by group. Any thread may take units.
class UnitQueue {
 public:
  explicit UnitQueue(UnitOrder order);
  UnitQueue(const UnitQueue&) = delete;
  UnitQueue& operator=(const UnitQueue&) = delete;

  /// Gives one worker the remaining units of a group, one at a time. Several workers may have
  /// portions of the same group; each unit then goes to one of these workers.
  class Portion {
   public:
    /// Returns the next unit; nullopt if all units of the group were taken. The worker must count
    /// the unit before it calls next() again. If the worker cannot count the unit, the run must
    /// fail.
    [[nodiscard]] std::optional<std::uint32_t> next() {
      const std::size_t place = queue_->next_[group_].fetch_add(1, std::memory_order_relaxed);
      if (place >= queue_->order_.group_end(group_)) return std::nullopt;
      return queue_->order_.units[place];
    }

   private:
    friend class UnitQueue;
    Portion(UnitQueue& queue, std::size_t group) : queue_(&queue), group_(group) {}

    UnitQueue* queue_;
    std::size_t group_;
  };

  /// Returns the remaining units of the group on which team `team` is working. If no unit
  /// remains, returns the next group that no team has taken. If all groups are taken, returns the
  /// remaining units of another team's group; nullopt if all units were taken. Precondition: `team`
  /// is small, because it is an array index.
  [[nodiscard]] std::optional<Portion> take(std::size_t team);

 private:
  /// Returns whether all units of the group were taken.
  [[nodiscard]] bool exhausted(std::size_t group) const {
    return next_[group].load(std::memory_order_relaxed) >= order_.group_end(group);
  }

  const UnitOrder order_;
  // For each group, the index in order_.units of the next unit to hand out. All workers write and
  // read these indices. The accesses order no other memory accesses.
  std::vector<std::atomic<std::size_t>> next_;

  Mutex mutex_;
  std::size_t next_whole_ MANYPLY_GUARDED_BY(mutex_) = 0;   // first group that no team has taken
  std::size_t next_shared_ MANYPLY_GUARDED_BY(mutex_) = 0;  // earlier groups have no units left
  std::vector<std::optional<std::size_t>> at_ MANYPLY_GUARDED_BY(mutex_);  // by team: its group
};

/// Returns one group with all units. The units with the most legal moves come first. The number of
/// moves is a cheap estimate of a unit's size. If large units come first, the wait for the last
/// unit is short.
UnitOrder biggest_first(const RootSplit& split, const Kernel& kernel);

/// Returns groups of units that use the same window entries (parallel/README.md, "Splitting and
/// order"). A window saves time if two positions at remaining depth 3 have the same child. Let A be
/// the side that moves to the child, and B the other side. The move changes the pieces of B only if
/// it is a capture. So the two positions usually have the same pieces of B. Therefore units with
/// the same pieces of B form a group.
UnitOrder grouped_for_window(const RootSplit& split, int unit_depth);

/// Returns grouped_for_window() if the job has a table, otherwise biggest_first().
UnitOrder order_for(const RootSplit& split, int unit_depth, bool has_table, const Kernel& kernel);

/// The units from `begin` to `end` - 1.
struct UnitSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
  friend bool operator==(const UnitSpan&, const UnitSpan&) = default;
};

/// The worker that runs a unit.
struct UnitWorker {
  int number;
  const std::stop_token& stop;  ///< requested by the caller or after an error in a unit
  Progress::Worker& progress;   ///< progress of this worker; the runner updates its units_done
};

/// A function that counts one unit. If the function has no exact result, it must return an error
/// (such as kCancelled) or throw. Each worker makes only one call at a time.
using UnitBody = std::function<std::optional<Error>(std::size_t unit, const UnitWorker& worker)>;

/// The arguments of a run, except units and body.
struct UnitRun {
  const Workforce& by;        ///< its progress must have been started
  std::uint64_t weight = 1;   ///< added to units_done for each unit
  int teams = 0;              ///< number of teams that take groups; 0 = one team per worker
  KeptUnits* kept = nullptr;  ///< if not null: skips units that it contains, and records new ones
  /// Runs all units on the calling thread, as worker 0. Use it for runs that are shorter than the
  /// time to wake threads.
  bool alone = false;
};

/// Calls `body` for each unit of `order`. Returns the first error: an error or exception of `body`,
/// an error of the store in `run.kept`, or kCancelled if `run.by.stop()` was requested before all
/// units were done. The first error also stops the other workers. Any thread except a worker of
/// `run.by` may call it.
std::optional<Error> for_each_unit(const UnitOrder& order, const UnitRun& run,
                                   const UnitBody& body);

/// Converts the exception that is being handled to an Error. Call it in catch blocks of functions
/// that must not let exceptions leave a job.
Error current_exception_as_error();

}  // namespace manyply
