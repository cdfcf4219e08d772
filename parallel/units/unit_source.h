// Which units are to be counted, in which order, and who takes which.
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

#include "core/result.h"
#include "parallel/mutex.h"

namespace manyply {

/// In which order units are counted, and which of them together: a team of workers takes a whole
/// group where it can, and shares what is left of others' groups when no whole one is left.
struct UnitOrder {
  std::vector<std::uint32_t> units;      ///< some or all of a job's, each once
  std::vector<std::size_t> group_begin;  ///< by group, places in `units`; ascending from 0

  [[nodiscard]] std::size_t groups() const { return group_begin.size(); }
  [[nodiscard]] std::size_t group_end(std::size_t group) const {
    return group + 1 < groups() ? group_begin[group + 1] : units.size();
  }
};

/// Units 0 … units - 1, as one group.
[[nodiscard]] UnitOrder ascending_order(std::size_t units);

/// The range of `order` from place `begin` to before place `end`; of a group that it cuts, a part.
[[nodiscard]] UnitOrder range_of(const UnitOrder& order, std::size_t begin, std::size_t end);

/// What units may be numbered in beside the job that they are of: positions below some of its own.
class UnitSet {
 public:
  virtual ~UnitSet() = default;

 protected:
  UnitSet() = default;
  UnitSet(const UnitSet&) = default;
  UnitSet& operator=(const UnitSet&) = default;
};

/// Ranges of units, handed to workers in order, group by group. It may be refilled while they work:
/// nobody waits for the end of one range while another one is there. Any thread, all of it.
class UnitSource {
 public:
  using OnDone = std::function<void()>;
  using OnPart = std::function<void(std::size_t part)>;

  UnitSource() = default;
  UnitSource(const UnitSource&) = delete;
  UnitSource& operator=(const UnitSource&) = delete;

  /// Hands out `order`, too, after what is there. Once all of it has been counted, `on_done` is
  /// called, by the worker that was last; what all of them wrote is visible to it; what it throws
  /// fails the run. It may add more. Precondition: not closed.
  void add(UnitOrder order, OnDone on_done = {});

  /// The same in parts, of each of which is told by itself: part i ends before place `part_end[i]`
  /// of `order`. A group may lie in several parts; it is handed out whole all the same.
  /// The units are numbered in `set`, or, without one, in the job. Precondition: part_end ascends,
  /// from 1 at least to all of `order`.
  void add(UnitOrder order, std::vector<std::size_t> part_end, OnPart on_part,
           std::shared_ptr<UnitSet> set = nullptr);

  /// Nothing more will be added: workers return when all has been handed out.
  void close();

 private:
  struct Range {
    Range(UnitOrder the_order, std::vector<std::size_t> the_part_end, OnPart the_on_part,
          std::shared_ptr<UnitSet> the_set);

    /// All of the group has been handed out.
    [[nodiscard]] bool exhausted(std::size_t group) const {
      return next[group].load(std::memory_order_relaxed) >= order.group_end(group);
    }

    const UnitOrder order;
    const std::vector<std::size_t> part_end;
    const OnPart on_part;
    const std::shared_ptr<UnitSet> set;
    // Written by every worker. `left` publishes what workers wrote to the last of them.
    std::vector<std::atomic<std::size_t>> next;  // in each group, the next place in order.units
    std::vector<std::atomic<std::size_t>> left;  // of each part, units not yet counted
    // Guarded by the source's mutex_.
    std::size_t next_whole = 0;   // the first group that nobody has taken
    std::size_t next_shared = 0;  // the first one of which something may be left
  };

 public:
  /// A group, or what is left of one, for one worker; others may hold the same one.
  class Portion {
   public:
    /// The next unit, or nothing when no more is left. A unit taken must be counted before the
    /// next one is taken, or the run has failed.
    [[nodiscard]] std::optional<std::uint32_t> next() {
      const std::size_t place = range_->next[group_].fetch_add(1, std::memory_order_relaxed);
      if (place >= range_->order.group_end(group_)) return std::nullopt;
      if (place >= part_end_) enter_part_of(place);
      ++taken_;
      return range_->order.units[place];
    }
    /// What they are numbered in; null: the job.
    [[nodiscard]] UnitSet* set() const { return range_->set.get(); }
    /// All units that this worker took have been counted. What on_done throws, it throws.
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
    std::size_t taken_ = 0;  // in part_
  };

  /// For a worker of team `team`: what is left of the group that its team is at, or the next one.
  /// Waits while there is nothing to do and the source is open. Nothing if it is closed and all has
  /// been handed out; kCancelled if more might come, but the run is over. Precondition: `team` is
  /// small; it is the index of an array.
  [[nodiscard]] Result<std::optional<Portion>> take(std::size_t team);
  /// The run is over: those that wait return.
  void halt();

 private:
  /// Drops ranges from the front that have been handed out to the last unit.
  void drop_exhausted() MANYPLY_REQUIRES(mutex_);

  Mutex mutex_;
  std::condition_variable_any more_;
  std::deque<std::shared_ptr<Range>> whole_ MANYPLY_GUARDED_BY(mutex_);   // with untaken groups
  std::deque<std::shared_ptr<Range>> shared_ MANYPLY_GUARDED_BY(mutex_);  // without
  std::vector<std::optional<Portion>> at_ MANYPLY_GUARDED_BY(mutex_);     // by team
  bool closed_ MANYPLY_GUARDED_BY(mutex_) = false;
  bool halted_ MANYPLY_GUARDED_BY(mutex_) = false;
};

}  // namespace manyply
