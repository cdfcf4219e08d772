#include "parallel/unit_scheduler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <optional>

#include "parallel/worker_arena.h"

namespace manyply {
namespace {

using Clock = std::chrono::steady_clock;

class UnitRun {
 public:
  UnitRun(const UnitOrder& order, int workers, const UnitCounter& count)
      : order_(order),
        count_(count),
        next_in_group_(order.groups()),
        counts_(order.units.size()),
        ended_(static_cast<std::size_t>(workers)) {}

  Result<UnitCounts> run(int workers, const std::stop_token& stop, const Topology* pin_to) {
    for (std::size_t group = 0; group < order_.groups(); ++group) {
      next_in_group_[group].store(order_.group_begin[group], std::memory_order_relaxed);
    }
    const std::stop_callback on_stop(stop, [this] { halt_.request_stop(); });
    run_workers(workers, [this](int worker) { work(worker); }, pin_to);
    if (error_) return *std::move(error_);
    return UnitCounts{std::move(counts_), idle_seconds()};
  }

 private:
  void work(int worker) noexcept {
    try {
      const std::stop_token halt = halt_.get_token();
      bool going = true;
      for (;;) {
        const std::size_t group = next_group_.fetch_add(1, std::memory_order_relaxed);
        if (group >= order_.groups() || !going) break;
        going = count_group(worker, group, halt);
      }
      for (std::size_t group = 0; group < order_.groups() && going; ++group) {
        going = count_group(worker, group, halt);
      }
    } catch (...) {
      fail(current_exception_as_error());
    }
    ended_[static_cast<std::size_t>(worker)] = Clock::now();
  }

  /// Counts what is left of a group; false when the run is over.
  bool count_group(int worker, std::size_t group, const std::stop_token& halt) {
    for (;;) {
      const std::size_t next = next_in_group_[group].fetch_add(1, std::memory_order_relaxed);
      if (next >= order_.group_end(group)) return true;
      // A unit taken is a unit counted or an error: leaving it out can go unseen nowhere.
      if (halt.stop_requested()) {
        fail(cancelled());
        return false;
      }
      const std::uint32_t unit = order_.units[next];
      const Result<NodeCount> count = count_(worker, unit, halt);
      if (!count.ok()) {
        fail(count.error());
        return false;
      }
      counts_[unit] = *count;
    }
  }

  void fail(Error error) {
    if (!failed_.exchange(true, std::memory_order_relaxed)) error_ = std::move(error);
    halt_.request_stop();
  }

  double idle_seconds() const {
    const Clock::time_point end = std::ranges::max(ended_);
    double seconds = 0;
    for (const Clock::time_point t : ended_)
      seconds += std::chrono::duration<double>(end - t).count();
    return seconds;
  }

  const UnitOrder& order_;
  const UnitCounter& count_;
  std::stop_source halt_;  // by the caller's stop token or by the first error

  // Written by every worker, publish nothing: run_workers publishes at its start and end.
  std::atomic<std::size_t> next_group_{0};               // the next whole group to take
  std::vector<std::atomic<std::size_t>> next_in_group_;  // in each, the next place in order_.units
  std::atomic<bool> failed_{false};                      // set by the one worker that owns error_

  // Each element has one writer, error_ at most one; read after run_workers.
  std::vector<NodeCount> counts_;
  std::vector<Clock::time_point> ended_;
  std::optional<Error> error_;
};

}  // namespace

Result<UnitCounts> count_units(const UnitOrder& order, int workers, const std::stop_token& stop,
                               const UnitCounter& count, const Topology* pin_to) {
  return UnitRun(order, workers, count).run(workers, stop, pin_to);
}

Error current_exception_as_error() {
  try {
    throw;
  } catch (const CountOverflow& overflow) {
    return {ErrorCode::kOverflow, "", 0, overflow.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kUnavailable, "", 0, "out of memory"};
  } catch (const std::exception& bug) {
    return {ErrorCode::kInternal, "", 0, bug.what()};
  } catch (...) {
    return {ErrorCode::kInternal, "", 0, "unknown exception"};
  }
}

}  // namespace manyply
