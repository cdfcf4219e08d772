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
#include "core/base/node_count.h"
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

/// A set that has its own numbers for units: positions below some of the job's units.
class UnitSet {
 public:
  virtual ~UnitSet() = default;

 protected:
  UnitSet() = default;
  UnitSet(const UnitSet&) = default;
  UnitSet& operator=(const UnitSet&) = default;
};

/// Ranges of units. Workers get them in order, group by group. The caller may add ranges while
/// workers run, so that no worker waits for the end of a range while another has units. All
/// functions may be called from any thread.
class UnitSource {
 public:
  using OnDone = std::function<void()>;
  using OnPart = std::function<void(std::size_t part)>;

  UnitSource() = default;
  UnitSource(const UnitSource&) = delete;
  UnitSource& operator=(const UnitSource&) = delete;

  /// Adds `order` after the existing ranges. The worker that counts its last unit calls `on_done`,
  /// which sees everything that the workers wrote and may add ranges. An exception from it fails
  /// the run. Precondition: not closed.
  void add(UnitOrder order, OnDone on_done = {});

  /// Adds `order` in parts and calls on_part(i) when part i is counted. Part i ends before index
  /// `part_end[i]` of order.units. A group may span several parts; it is still handed out as a
  /// whole. `set` gives the units their numbers; null: the job does. Precondition: part_end is
  /// ascending, its first element is at least 1 and its last is order.units.size().
  void add(UnitOrder order, std::vector<std::size_t> part_end, OnPart on_part,
           std::shared_ptr<UnitSet> set = nullptr);

  /// Promises that no more ranges will be added. Workers return once all units are handed out.
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
    // Written by all workers. `left` makes their results visible to the worker that finishes a
    // part.
    std::vector<std::atomic<std::size_t>> next;  // by group: the next place in order.units
    std::vector<std::atomic<std::size_t>> left;  // by part: number of units not yet counted
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
      if (place >= part_end_) enter_part_of(place);
      ++taken_;
      return range_->order.units[place];
    }
    /// Returns the set in which the units have their numbers; null if the job itself numbers them.
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

// Counts by unit. Only units in use take memory.

/// Units from `begin` to `end`, excluding `end`.
struct UnitSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
  friend bool operator==(const UnitSpan&, const UnitSpan&) = default;
};

/// An array of counts in pages of 64 KiB. A page exists while at least one of its units is held.
/// This saves memory because a worker counts only a few ranges at a time, out of up to a hundred
/// million units.
class UnitCounts {
 public:
  explicit UnitCounts(std::size_t units);

  /// Holds these units: their counts may be read and written until release() has been called as
  /// often as hold(). Counts start at 0 unless the units are already held. Any thread.
  void hold(UnitSpan units);
  void release(UnitSpan units);

  /// Returns a unit's count. Precondition: the unit is held. Readers and writers of one unit must
  /// synchronise.
  [[nodiscard]] NodeCount& operator[](std::size_t unit) {
    return pages_[unit / kPageUnits][unit % kPageUnits];
  }
  [[nodiscard]] const NodeCount& operator[](std::size_t unit) const {
    return pages_[unit / kPageUnits][unit % kPageUnits];
  }
  [[nodiscard]] std::size_t pages_held() const;

 private:
  static constexpr std::size_t kPageUnits = 4'096;

  struct PageUse {
    std::size_t page;
    std::size_t units;
  };
  /// Removes from `units` those that are on the same page as the first one. Returns that page and
  /// the number of these units.
  static PageUse take_page(UnitSpan& units);

  mutable Mutex mutex_;
  // A page pointer changes only under the mutex, and only while no unit of the page is held. So
  // code that holds a unit reads the pointer without locking.
  std::vector<std::unique_ptr<NodeCount[]>> pages_;
  std::vector<std::uint64_t> held_
      MANYPLY_GUARDED_BY(mutex_);  // by page: sum of holds of its units
};

}  // namespace manyply
