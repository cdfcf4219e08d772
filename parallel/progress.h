// Live progress of a job: its workers write it, displays read it.
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

/// What a job is doing. Most jobs count for nearly all of their time, but setting up tables of many
/// GiB takes half a minute.
enum class Step : std::uint8_t {
  kStarting,
  kSplitting,   ///< into subtrees
  kSettingUp,   ///< touches the pages of tables for the first time
  kFirstPlies,  ///< makes the matrices of the plies before the last two
  kCounting,
  kFinishing,  ///< adds values up by root move
};
/// "starting", "splitting", "setting up", "first plies", "counting" or "finishing".
[[nodiscard]] std::string_view to_string(Step step);

/// How much faster units get while a job counts: the last ones take (1 - x) / (1 + x) of the time
/// of the first ones. A table that fills up makes later units faster; without one, the biggest
/// units come first. Measured: bench/results/zen3-2-cores/progress.md.
inline constexpr double kHashedSpeedUp = 0.4;
inline constexpr double kBiggestFirstSpeedUp = 0.65;

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
  double share_of_next = 0;         ///< units done of the next ones, which are a job of their own
  double speed_up = 0;              ///< of later units: see kHashedSpeedUp

  /// Share of the time of this step that has passed, 0 to 1; nullopt if that is not known.
  [[nodiscard]] std::optional<double> share_done() const;
  /// Share of the time of counting, 0 to 1, that an earlier run has taken.
  [[nodiscard]] double share_resumed() const {
    return share_of(static_cast<double>(units_resumed));
  }

 private:
  [[nodiscard]] double share_of(double units) const {
    if (units_total == 0) return 0;
    const double share = units / static_cast<double>(units_total);
    return share + speed_up * share * (1 - share);
  }
};

/// Seconds left after `elapsed_seconds` of this run; nullopt until this run has counted for five
/// seconds and a twentieth of the work that it found undone, or for a fifth of that work. Less
/// would be a guess, since units differ in size.
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
  /// Called once by the job, before any worker: counting begins. An earlier run has counted
  /// `units_resumed` of the units; `speed_up` is that of later units (kHashedSpeedUp).
  void start(int workers, std::uint64_t units_total, std::uint64_t units_resumed = 0,
             double speed_up = 0);
  /// After start(), if counting is not the end: the workers have counted all units.
  void finish() { step_.store(Step::kFinishing, std::memory_order_release); }
  /// After start(), while no worker works: the next `units` units are a job with this progress of
  /// its own, which snapshots have in them until nested_done(), or until null says that it came to
  /// nothing.
  void nest(const Progress* job, std::uint64_t units = 1);
  void nested_done(double leaves, std::uint64_t visited);
  [[nodiscard]] Worker& worker(int i) { return workers_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] ProgressSnapshot snapshot() const;

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::unique_ptr<Worker[]> workers_;
  int worker_count_ = 0;
  std::uint64_t units_resumed_ = 0;
  std::uint64_t units_total_ = 0;
  double speed_up_ = 0;
  double seconds_before_ = 0;
  std::atomic<std::uint64_t> bytes_to_set_up_{0};
  std::atomic<std::uint64_t> bytes_set_up_{0};
  std::atomic<Step> step_{Step::kStarting};  // publishes all above to snapshot()
  mutable Mutex nested_mutex_;  // held over snapshots of what is nested, a leaf but for those
  const Progress* nested_ MANYPLY_GUARDED_BY(nested_mutex_) = nullptr;
  std::uint64_t nested_units_ MANYPLY_GUARDED_BY(nested_mutex_) = 1;
};

}  // namespace manyply
