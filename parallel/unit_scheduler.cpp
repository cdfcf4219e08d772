#include "parallel/unit_scheduler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <new>
#include <optional>

#include "parallel/worker_arena.h"

namespace manyply {
namespace {

using Clock = std::chrono::steady_clock;

class UnitRun {
 public:
  UnitRun(std::span<const std::uint32_t> order, int workers, const UnitCounter& count)
      : order_(order),
        count_(count),
        counts_(order.size()),
        ended_(static_cast<std::size_t>(workers)),
        running_(workers) {}

  Result<UnitCounts> run(int workers, const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] { halt_.request_stop(); });
    next_.store(0, std::memory_order_release);
    run_workers(workers, [this](int worker) { work(worker); });
    running_.wait();
    if (error_) return *std::move(error_);
    return UnitCounts{std::move(counts_), idle_seconds()};
  }

 private:
  void work(int worker) noexcept {
    try {
      const std::stop_token halt = halt_.get_token();
      for (;;) {
        const std::size_t next = next_.fetch_add(1, std::memory_order_acq_rel);
        if (next >= order_.size()) break;
        // A unit taken is a unit counted or an error: leaving it out can go unseen nowhere.
        if (halt.stop_requested()) {
          fail({ErrorCode::kCancelled, "", 0, "cancelled"});
          break;
        }
        const Result<NodeCount> count = count_(worker, order_[next], halt);
        if (!count.ok()) {
          fail(count.error());
          break;
        }
        counts_[order_[next]] = *count;
      }
    } catch (...) {
      fail(current_exception_as_error());
    }
    ended_[static_cast<std::size_t>(worker)] = Clock::now();
    running_.count_down();
  }

  void fail(Error error) {
    if (!failed_.exchange(true, std::memory_order_relaxed)) error_ = std::move(error);
    halt_.request_stop();
  }

  double idle_seconds() const {
    const Clock::time_point end = std::ranges::max(ended_);
    double seconds = 0;
    for (const Clock::time_point t : ended_) seconds += std::chrono::duration<double>(end - t).count();
    return seconds;
  }

  const std::span<const std::uint32_t> order_;
  const UnitCounter& count_;
  std::stop_source halt_;  // by the caller's stop token or by the first error

  // Index into order_ of the next unit to take. Written by all workers; the release before they
  // start publishes what they read.
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};  // set by the one worker that then owns error_; publishes nothing

  // Each element has one writer; read when running_ has reached zero, which publishes them.
  std::vector<NodeCount> counts_;
  std::vector<Clock::time_point> ended_;
  std::optional<Error> error_;
  std::latch running_;
};

}  // namespace

Result<UnitCounts> count_units(std::span<const std::uint32_t> order, int workers,
                               const std::stop_token& stop, const UnitCounter& count) {
  return UnitRun(order, workers, count).run(workers, stop);
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
