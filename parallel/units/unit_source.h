// Hands out units to workers, in a given order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "parallel/split/root_splitter.h"

namespace manyply {

/// The order in which units are counted, in groups. A team of workers takes a whole group if one is
/// left; otherwise it helps with another team's group.
struct UnitOrder {
  std::vector<std::uint32_t> units;      ///< numbers of some or all units of a job, without repeats
  std::vector<std::size_t> group_begin;  ///< index in `units` of each group's first; starts with 0

  [[nodiscard]] std::size_t groups() const { return group_begin.size(); }
  [[nodiscard]] std::size_t group_end(std::size_t group) const {
    return group + 1 < groups() ? group_begin[group + 1] : units.size();
  }
};

/// Returns units 0 … units - 1 as one group.
[[nodiscard]] UnitOrder ascending_order(std::size_t units);

/// Returns places `begin` to `end` - 1 of `order`. Groups that this cuts are shortened.
[[nodiscard]] UnitOrder range_of(const UnitOrder& order, std::size_t begin, std::size_t end);

/// A set that numbers units separately from the job: positions below some of the job's units.
class UnitSet {
 public:
  virtual ~UnitSet() = default;

 protected:
  UnitSet() = default;
  UnitSet(const UnitSet&) = default;
  UnitSet& operator=(const UnitSet&) = default;
};

/// Ranges of units, handed out to workers in order, group by group. More ranges may be added while
/// workers run, so that no worker waits for the end of one range while there is another. All
/// functions may be called from any thread.
class UnitSource {
 public:
  using OnDone = std::function<void()>;
  using OnPart = std::function<void(std::size_t part)>;

  UnitSource() = default;
  UnitSource(const UnitSource&) = delete;
  UnitSource& operator=(const UnitSource&) = delete;

  /// Adds `order` after the existing ranges. When all its units are counted, the worker that
  /// counted the last one calls `on_done`. It sees everything that the workers wrote, and it may
  /// add ranges. An exception from it fails the run. Precondition: not closed.
  void add(UnitOrder order, OnDone on_done = {});

  /// Adds `order` in parts and calls on_part(i) when part i is counted. Part i ends before place
  /// `part_end[i]`. A group may span several parts and is still handed out as a whole. Units are
  /// numbered in `set`, or in the job if it is null. Precondition: part_end ascends from at least 1
  /// to order.units.size().
  void add(UnitOrder order, std::vector<std::size_t> part_end, OnPart on_part,
           std::shared_ptr<UnitSet> set = nullptr);

  /// Promises that nothing will be added. Workers return once all units are handed out.
  void close();

 private:
  struct Range {
    Range(UnitOrder the_order, std::vector<std::size_t> the_part_end, OnPart the_on_part,
          std::shared_ptr<UnitSet> the_set);

    /// Returns whether all units of the group have been handed out.
    [[nodiscard]] bool exhausted(std::size_t group) const {
      return next[group].load(std::memory_order_relaxed) >= order.group_end(group);
    }

    const UnitOrder order;
    const std::vector<std::size_t> part_end;
    const OnPart on_part;
    const std::shared_ptr<UnitSet> set;
    // Written by all workers. `left` publishes their results to the worker that finishes a part.
    std::vector<std::atomic<std::size_t>> next;  // by group: the next place in order.units
    std::vector<std::atomic<std::size_t>> left;  // by part: number of units not yet counted
    // Guarded by mutex_ of the source.
    std::size_t next_whole = 0;   // the first group that no team has taken
    std::size_t next_shared = 0;  // the first group that may have units left
  };

 public:
  /// A group or the rest of one, for one worker. Several workers may hold the same group.
  class Portion {
   public:
    /// Returns the next unit; nullopt if none is left. The worker must count it before it asks for
    /// the next one; otherwise the run must fail.
    [[nodiscard]] std::optional<std::uint32_t> next() {
      const std::size_t place = range_->next[group_].fetch_add(1, std::memory_order_relaxed);
      if (place >= range_->order.group_end(group_)) return std::nullopt;
      if (place >= part_end_) enter_part_of(place);
      ++taken_;
      return range_->order.units[place];
    }
    /// Returns the set that numbers the units; null: the job.
    [[nodiscard]] UnitSet* set() const { return range_->set.get(); }
    /// Reports that all units taken so far are counted. Throws what on_part throws.
    void counted();

   private:
    friend class UnitSource;
    Portion(std::shared_ptr<Range> range, std::size_t group)
        : range_(std::move(range)), group_(group) {}

    [[nodiscard]] bool exhausted() const { return range_->exhausted(group_); }
    void enter_part_of(std::size_t place);

    std::shared_ptr<Range> range_;
    std::size_t group_;
    std::size_t part_ = 0;
    std::size_t part_end_ = 0;
    std::size_t taken_ = 0;  // units taken in part_ and not yet reported by counted()
  };

  /// Returns the rest of the group that team `team` is working on, or the next group. Blocks while
  /// the source is open but has no units. Returns nullopt if the source is closed and empty;
  /// kCancelled after halt() if more might have come. Precondition: `team` is small, since it is an
  /// array index.
  [[nodiscard]] Result<std::optional<Portion>> take(std::size_t team);
  /// Ends the run: workers that wait in take() return.
  void halt();

 private:
  /// Removes ranges from the front of shared_ that have no units left.
  void drop_exhausted() MANYPLY_REQUIRES(mutex_);

  Mutex mutex_;
  std::condition_variable_any more_;
  std::deque<std::shared_ptr<Range>> whole_ MANYPLY_GUARDED_BY(mutex_);   // have groups not taken
  std::deque<std::shared_ptr<Range>> shared_ MANYPLY_GUARDED_BY(mutex_);  // all groups are taken
  std::vector<std::optional<Portion>> at_ MANYPLY_GUARDED_BY(mutex_);     // current group by team
  bool closed_ MANYPLY_GUARDED_BY(mutex_) = false;
  bool halted_ MANYPLY_GUARDED_BY(mutex_) = false;
};

// The order in which units are counted. It affects times, never answers.

/// One group, units with the most legal moves first. The number of moves is a cheap estimate of a
/// unit's size; large units first means a short wait for the last one.
UnitOrder biggest_first(const RootSplit& split, const Kernel& kernel);

/// Groups of units that share window entries (parallel/README.md, "Splitting and order"). A window
/// hits when two parents at remaining depth 3 have the same child. Such parents differ only in
/// pieces of the side to move, so units are grouped by the pieces of the other side.
UnitOrder grouped_for_window(const RootSplit& split, int unit_depth);

/// Returns grouped_for_window() if the job has a table, otherwise biggest_first().
UnitOrder order_for(const RootSplit& split, int unit_depth, bool has_table, const Kernel& kernel);

}  // namespace manyply
