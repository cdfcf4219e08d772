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

/// The order in which units are counted. Units form groups. A team of workers takes a whole group.
/// If all groups are taken, the team helps with the group of another team.
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

/// Returns the units at indices `begin` to `end` - 1 of `order`. Groups at both ends may be cut.
[[nodiscard]] UnitOrder range_of(const UnitOrder& order, std::size_t begin, std::size_t end);

/// Ranges of units. Workers get them in order, group by group. The caller may add ranges while
/// workers run, so that no worker waits for the end of a range while another has units. All
/// functions may be called from any thread.
class UnitSource {
 public:
  using OnDone = std::function<void()>;

  UnitSource() = default;
  UnitSource(const UnitSource&) = delete;
  UnitSource& operator=(const UnitSource&) = delete;

  /// Adds `order` after the existing ranges. The worker that counts its last unit calls `on_done`,
  /// which sees everything that the workers wrote and may add ranges. An exception from it fails
  /// the run. Precondition: not closed.
  void add(UnitOrder order, OnDone on_done = {});

  /// Promises that nothing will be added. Workers return once all units are handed out.
  void close();

 private:
  struct Range {
    Range(UnitOrder the_order, OnDone the_on_done);

    /// Returns whether all units of the group have been handed out.
    [[nodiscard]] bool exhausted(std::size_t group) const {
      return next[group].load(std::memory_order_relaxed) >= order.group_end(group);
    }

    const UnitOrder order;
    const OnDone on_done;
    // Written by all workers. `left` publishes their results to the worker that counts the last
    // unit.
    std::vector<std::atomic<std::size_t>> next;  // by group: the next place in order.units
    std::atomic<std::size_t> left;               // number of units not yet counted
    // Guarded by mutex_ of the source.
    std::size_t next_whole = 0;   // the first group that no team has taken
    std::size_t next_shared = 0;  // the first group that may have units left
  };

 public:
  /// The units of a group that are not yet handed out, for one worker. Several workers may hold the
  /// same group.
  class Portion {
   public:
    /// Returns the next unit; nullopt if all are handed out. The worker must count the unit before
    /// it calls next() again; otherwise the run must fail.
    [[nodiscard]] std::optional<std::uint32_t> next() {
      const std::size_t place = range_->next[group_].fetch_add(1, std::memory_order_relaxed);
      if (place >= range_->order.group_end(group_)) return std::nullopt;
      ++taken_;
      return range_->order.units[place];
    }
    /// Reports that all units taken so far are counted. Throws what on_done throws.
    void counted();

   private:
    friend class UnitSource;
    Portion(std::shared_ptr<Range> range, std::size_t group)
        : range_(std::move(range)), group_(group) {}

    [[nodiscard]] bool exhausted() const { return range_->exhausted(group_); }

    std::shared_ptr<Range> range_;
    std::size_t group_;
    std::size_t taken_ = 0;  // units taken and not yet reported by counted()
  };

  /// Returns the remaining units of the group on which team `team` is working, or the next group.
  /// Blocks while the source is open but has no units. Returns nullopt if the source is closed and
  /// empty; kCancelled after halt() if the source was still open or not empty. Precondition: `team`
  /// is small, because it is an array index.
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

/// Returns one group with all units, those with the most legal moves first. The number of moves is
/// a cheap estimate of a unit's size. If large units come first, the wait for the last unit is
/// short.
UnitOrder biggest_first(const RootSplit& split, const Kernel& kernel);

/// Returns groups of units that share window entries (parallel/README.md, "Splitting and order"). A
/// window hits when two parents at remaining depth 3 have the same child. Such parents differ only
/// in pieces of the side to move, so units are grouped by the pieces of the other side.
UnitOrder grouped_for_window(const RootSplit& split, int unit_depth);

/// Returns grouped_for_window() if the job has a table, otherwise biggest_first().
UnitOrder order_for(const RootSplit& split, int unit_depth, bool has_table, const Kernel& kernel);

/// Units from `begin` to `end`, excluding `end`.
struct UnitSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
  friend bool operator==(const UnitSpan&, const UnitSpan&) = default;
};

}  // namespace manyply
