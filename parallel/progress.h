// Live progress of a job: written by its workers, read by whoever shows it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "parallel/mutex.h"

namespace manyply {

/// A statistics counter with one writer and any readers. Relaxed: it publishes nothing.
template <typename T>
class Relaxed {
 public:
  void add(T amount) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  void set(T value) { value_.store(value, std::memory_order_relaxed); }
  [[nodiscard]] T get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<T> value_{};
};

/// What a job is at. Counting is the last step, and the one that most are at for nearly all of the
/// time; but tables of many GiB are set up for half a minute.
enum class Step : std::uint8_t {
  kStarting,
  kSplitting,  ///< into subtrees
  kSettingUp,  ///< the tables' memory, whose pages are touched for the first time
  kCounting,
};
[[nodiscard]] std::string_view to_string(Step step);  ///< "starting", "splitting", "setting up", …

/// What a reader sees; consistent enough for people, not a result.
struct ProgressSnapshot {
  Step step = Step::kStarting;
  std::uint64_t bytes_set_up = 0;  ///< while setting up
  std::uint64_t bytes_to_set_up = 0;
  double seconds_before = 0;  ///< what the steps before counting took; while counting
  double leaves = 0;          ///< leaves of finished subtrees, multiplicity included
  std::uint64_t visited = 0;  ///< positions generated so far
  std::uint64_t units_done = 0;
  std::uint64_t units_total = 0;    ///< 0 until the root is split
  std::uint64_t units_resumed = 0;  ///< of units_done, counted by an earlier run
  double share_of_next = 0;         ///< of one more unit, which is a job of its own: 0 to 1

  /// Of this step, 0 to 1: done. None while that is not known.
  [[nodiscard]] std::optional<double> share_done() const;
  /// Of all units, 0 to 1: found done at the start.
  [[nodiscard]] double share_resumed() const {
    return share_of(static_cast<double>(units_resumed));
  }

 private:
  [[nodiscard]] double share_of(double units) const {
    return units_total == 0 ? 0 : units / static_cast<double>(units_total);
  }
};

/// Seconds left after `elapsed_seconds` of this run, once its past says something about its future:
/// after five seconds of counting and a twentieth of the work that it found undone. Subtrees differ
/// in size, so less would be a guess.
[[nodiscard]] std::optional<double> seconds_left(const ProgressSnapshot& snapshot,
                                                 double elapsed_seconds);

/// Per-worker counters, each on its own cache line. Sized once by run_job before workers start.
/// Thread safety: worker(i) by worker i only; snapshot() by anyone, any time.
class Progress {
 public:
  struct alignas(64) Worker {
    Relaxed<double> leaves;
    Relaxed<std::uint64_t> visited;
    Relaxed<std::uint64_t> units_done;
  };

  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Before start(), by the job: what it does now.
  void enter(Step step, std::uint64_t bytes_to_set_up = 0);
  /// While setting up: added to by whoever touches pages.
  [[nodiscard]] std::atomic<std::uint64_t>& bytes_set_up() { return bytes_set_up_; }
  /// Called once by the job, before any worker: counting begins. `units_resumed` of the units are
  /// done already.
  void start(int workers, std::uint64_t units_total, std::uint64_t units_resumed = 0);
  /// After start(), while no worker works: the next unit is a job with this progress of its own,
  /// which snapshots have in them until nested_done(), or until null says that it came to nothing.
  void nest(const Progress* unit);
  void nested_done(double leaves, std::uint64_t visited);
  [[nodiscard]] Worker& worker(int i) { return workers_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] ProgressSnapshot snapshot() const;

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::unique_ptr<Worker[]> workers_;
  int worker_count_ = 0;
  std::uint64_t units_resumed_ = 0;
  std::uint64_t units_total_ = 0;
  double seconds_before_ = 0;
  std::atomic<std::uint64_t> bytes_to_set_up_{0};
  std::atomic<std::uint64_t> bytes_set_up_{0};
  std::atomic<Step> step_{Step::kStarting};  // publishes all above to snapshot()
  mutable Mutex nested_mutex_;  // held over snapshots of what is nested, a leaf but for those
  const Progress* nested_ MANYPLY_GUARDED_BY(nested_mutex_) = nullptr;
};

}  // namespace manyply
