// The progress of a running job. Workers write it. The command and the server read it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/mutex.h"

namespace manyply {

/// A statistics counter with one writer and any number of readers. Its accesses are relaxed, so
/// they do not order other memory accesses.
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

/// The current step of a job. Most jobs need nearly all of their time for counting. But setting up
/// tables of many GiB can take half a minute.
enum class Step : std::uint8_t {
  kStarting,
  kSplitting,   ///< splits the root into units
  kSettingUp,   ///< touches the pages of tables for the first time
  kFirstPlies,  ///< makes the matrices of all plies except the last two
  kCounting,
  kFinishing,  ///< adds up the counts of each root move
};
/// Returns "starting", "splitting", "setting up", "first plies", "counting" or "finishing".
[[nodiscard]] std::string_view to_string(Step step);

/// The assumed speed-up of later units compared with earlier units. With a speed-up of x, the last
/// unit takes (1-x)/(1+x) times as long as the first. In hashed counts, later units are faster
/// because the table fills. In counts without a table, they are faster because the largest units
/// are counted first. Measurements are in bench/results/zen5-2-cores/progress.md.
inline constexpr double kHashedSpeedUp = 0.4;
inline constexpr double kBiggestFirstSpeedUp = 0.65;

/// Progress at one moment. The fields are read one after another while workers continue, so the
/// fields may belong to slightly different moments. Never use them as a result.
struct ProgressSnapshot {
  Step step = Step::kStarting;
  std::uint64_t bytes_set_up = 0;  ///< table memory touched up to now; only in Step::kSettingUp
  std::uint64_t bytes_to_set_up = 0;
  double seconds_before = 0;  ///< duration of the steps before counting; valid while counting
  double leaves = 0;          ///< leaves of finished units
  std::uint64_t visited = 0;  ///< positions generated up to now
  std::uint64_t units_done = 0;
  std::uint64_t units_total = 0;    ///< 0 before Step::kCounting
  std::uint64_t units_resumed = 0;  ///< the part of units_done that an earlier run counted
  double share_of_next = 0;         ///< work done by a nested job (Progress::nest), in units
  double speed_up = 0;              ///< see kHashedSpeedUp

  /// Estimates the fraction of the current step's time that has passed, 0 to 1. Returns nullopt if
  /// the fraction is unknown.
  [[nodiscard]] std::optional<double> share_done() const;
  /// Returns a fraction from 0 to 1: the estimated counting time of the resumed units, divided by
  /// the estimated counting time of all units.
  [[nodiscard]] double share_resumed() const {
    return share_of(static_cast<double>(units_resumed));
  }

 private:
  /// Converts a number of units to the fraction of the counting time that they take. The time is
  /// not proportional to the number, because later units are faster.
  [[nodiscard]] double share_of(double units) const {
    if (units_total == 0) return 0;
    const double share = units / static_cast<double>(units_total);
    return share + speed_up * share * (1 - share);
  }
};

/// Estimates the remaining seconds after `elapsed_seconds` of this run. Returns nullopt outside of
/// Step::kCounting. Also returns nullopt if this run has done too little of its work: less than a
/// fifth in the first five seconds of counting, or less than a twentieth later. An estimate would
/// then be a guess, because units differ in size.
[[nodiscard]] std::optional<double> seconds_left(const ProgressSnapshot& snapshot,
                                                 double elapsed_seconds);

/// The progress of one job. The counters of each worker are on a separate cache line.
///
/// Thread safety: only the job may call enter(), start(), finish(), nest() and nested_done(). Only
/// worker i may write to worker(i). Any thread may call snapshot() at any time.
class Progress {
 public:
  struct alignas(64) Worker {
    Relaxed<double> leaves;
    Relaxed<std::uint64_t> visited;
    Relaxed<std::uint64_t> units_done;
  };

  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins a step that comes before counting. Call it before start(). `bytes_to_set_up` is the
  /// number of bytes that kSettingUp will touch; 0 for other steps.
  void enter(Step step, std::uint64_t bytes_to_set_up = 0);
  /// Returns the counter of table bytes touched up to now. In kSettingUp, every thread that touches
  /// pages adds to it.
  [[nodiscard]] std::atomic<std::uint64_t>& bytes_set_up() { return bytes_set_up_; }
  /// Begins Step::kCounting. The job must call start() while no worker runs. A second call sets the
  /// counters of all workers to zero. `units_resumed` is the number of units that an earlier run
  /// has counted. `speed_up` is kHashedSpeedUp, kBiggestFirstSpeedUp or 0.
  void start(int workers, std::uint64_t units_total, std::uint64_t units_resumed = 0,
             double speed_up = 0);
  /// Begins Step::kFinishing, for jobs that still have work after all units are counted.
  void finish() { step_.store(Step::kFinishing, std::memory_order_release); }
  /// Nests another job, so that later snapshots include it. `job` is the progress of the other job.
  /// The other job does the work of the next `units` units. Call nest() after start(), while no
  /// worker runs. After the other job has ended, call nested_done() if it succeeded, otherwise
  /// nest(nullptr).
  void nest(const Progress* job, std::uint64_t units = 1);
  /// Removes the nested job. Adds its units, `leaves` and `visited` to the counters of worker 0.
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
  std::atomic<Step> step_{Step::kStarting};  // writing it publishes all fields above
  mutable Mutex nested_mutex_;  // while held, only the mutex of the nested job may be locked
  const Progress* nested_ MANYPLY_GUARDED_BY(nested_mutex_) = nullptr;
  std::uint64_t nested_units_ MANYPLY_GUARDED_BY(nested_mutex_) = 1;
};

/// Divides units of progress among steps in proportion to their weights. Rounding does not lose any
/// unit.
class UnitsByWeight {
 public:
  /// `weight` is the sum of the weights of all steps, added up in their order.
  UnitsByWeight(std::uint64_t units, double weight) : units_(units), weight_(weight) {}

  /// Returns the number of units of the next step, which has this weight.
  std::uint64_t next(double weight) {
    done_ += weight;
    const double share = weight_ > 0 ? std::min(1.0, done_ / weight_) : 1;
    const auto end = static_cast<std::uint64_t>(share * static_cast<double>(units_));
    return end - std::exchange(units_done_, end);
  }

 private:
  const std::uint64_t units_;
  const double weight_;
  double done_ = 0;  // weight of the steps up to now
  std::uint64_t units_done_ = 0;
};

/// As long as this object exists, `job` is nested in `progress` (Progress::nest). The job does the
/// work of the next `units` units of `progress`. The destructor removes `job` from `progress`. If
/// the job succeeds, call progress.nested_done() before the destructor runs. Without this call,
/// `progress` loses the totals of `job`.
class NestedProgress {
 public:
  NestedProgress(Progress& progress, const Progress& job, std::uint64_t units)
      : progress_(progress) {
    progress_.nest(&job, units);
  }
  ~NestedProgress() { progress_.nest(nullptr); }
  NestedProgress(const NestedProgress&) = delete;
  NestedProgress& operator=(const NestedProgress&) = delete;

 private:
  Progress& progress_;
};

}  // namespace manyply
