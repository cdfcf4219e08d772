// Live progress of a job. Workers write it; the command and the server read it.
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

/// A statistics counter with one writer and any number of readers. Its accesses are relaxed: they
/// order no other memory accesses.
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

/// The current step of a job. Most jobs spend nearly all of their time counting, but setting up
/// tables of many GiB can take half a minute.
enum class Step : std::uint8_t {
  kStarting,
  kSplitting,   ///< splits the root into units
  kSettingUp,   ///< touches the pages of tables for the first time
  kFirstPlies,  ///< makes the matrices of all plies before the last two
  kCounting,
  kFinishing,  ///< adds up the counts by root move
};
/// Returns "starting", "splitting", "setting up", "first plies", "counting" or "finishing".
[[nodiscard]] std::string_view to_string(Step step);

/// How much faster later units are than earlier ones. With a speed-up of x, the last unit takes
/// (1-x)/(1+x) times as long as the first. In hashed counts later units are faster because the
/// table fills; in counts without a table, because the largest units are counted first. For
/// measurements see bench/results/zen5-2-cores/progress.md.
inline constexpr double kHashedSpeedUp = 0.4;
inline constexpr double kBiggestFirstSpeedUp = 0.65;

/// Progress at one moment. Its fields are read one after another while workers continue, so they
/// may disagree slightly; never use them as a result.
struct ProgressSnapshot {
  Step step = Step::kStarting;
  std::uint64_t bytes_set_up = 0;  ///< table memory touched so far; only in Step::kSettingUp
  std::uint64_t bytes_to_set_up = 0;
  double seconds_before = 0;  ///< duration of the steps before counting; known while counting
  double leaves = 0;          ///< leaves of finished units, counted once per path
  std::uint64_t visited = 0;  ///< positions generated so far
  std::uint64_t units_done = 0;
  std::uint64_t units_total = 0;    ///< 0 until the root is split
  std::uint64_t units_resumed = 0;  ///< the units of units_done that an earlier run counted
  double share_of_next = 0;  ///< progress within the current unit if it is a job itself, 0 to 1
  double speed_up = 0;       ///< see kHashedSpeedUp

  /// Returns the share of the current step's time that has passed, 0 to 1; nullopt if unknown.
  [[nodiscard]] std::optional<double> share_done() const;
  /// Returns the share of the counting time that an earlier run has spent, 0 to 1.
  [[nodiscard]] double share_resumed() const {
    return share_of(static_cast<double>(units_resumed));
  }

 private:
  /// Converts a share of the units into a share of the time. The two differ because later units are
  /// faster.
  [[nodiscard]] double share_of(double units) const {
    if (units_total == 0) return 0;
    const double share = units / static_cast<double>(units_total);
    return share + speed_up * share * (1 - share);
  }
};

/// Estimates the remaining seconds after `elapsed_seconds` of this run. Returns nullopt outside of
/// Step::kCounting, and until this run has counted enough: a fifth of the work that it had to do,
/// or a twentieth if it has counted for five seconds. Earlier estimates would be guesses, because
/// units differ in size.
[[nodiscard]] std::optional<double> seconds_left(const ProgressSnapshot& snapshot,
                                                 double elapsed_seconds);

/// The progress of one job. The counters of each worker are on a separate cache line. Thread
/// safety: only the job calls enter(), start(), finish(), nest() and nested_done(); only worker i
/// writes worker(i); any thread may call snapshot() at any time.
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

  /// Enters a step before counting. Call it before start().
  void enter(Step step, std::uint64_t bytes_to_set_up = 0);
  /// Returns the counter of table bytes touched so far. In kSettingUp, every thread that touches
  /// pages adds to it.
  [[nodiscard]] std::atomic<std::uint64_t>& bytes_set_up() { return bytes_set_up_; }
  /// Begins Step::kCounting. The job calls it before any worker starts. If it starts again, it
  /// loses what it has counted. An earlier run has
  /// counted `units_resumed` of the units. `speed_up` is kHashedSpeedUp, kBiggestFirstSpeedUp or 0.
  void start(int workers, std::uint64_t units_total, std::uint64_t units_resumed = 0,
             double speed_up = 0);
  /// Begins Step::kFinishing, for jobs that still have work to do once all units are counted.
  void finish() { step_.store(Step::kFinishing, std::memory_order_release); }
  /// Replaces the next `units` units by a job with its own progress. Call it after start(), while
  /// no worker runs. Snapshots include `job` until nested_done(), or until nest(nullptr) if the job
  /// failed.
  void nest(const Progress* job, std::uint64_t units = 1);
  /// Ends the nested job and adds its totals to worker 0.
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
  std::atomic<Step> step_{Step::kStarting};  // written by the job; publishes all fields above
  mutable Mutex nested_mutex_;               // its holder may only lock the nested job's mutex
  const Progress* nested_ MANYPLY_GUARDED_BY(nested_mutex_) = nullptr;
  std::uint64_t nested_units_ MANYPLY_GUARDED_BY(nested_mutex_) = 1;
};

/// Divides units of progress among steps in proportion to their weights. Rounding loses no unit.
class UnitsByWeight {
 public:
  /// `weight` is the sum of the weights of all steps, added up in their order.
  UnitsByWeight(std::uint64_t units, double weight) : units_(units), weight_(weight) {}

  /// Returns the units of the next step.
  std::uint64_t next(double weight) {
    done_ += weight;
    const double share = weight_ > 0 ? std::min(1.0, done_ / weight_) : 1;
    const auto end = static_cast<std::uint64_t>(share * static_cast<double>(units_));
    return end - std::exchange(units_done_, end);
  }

 private:
  const std::uint64_t units_;
  const double weight_;
  double done_ = 0;  // weight of the steps so far
  std::uint64_t units_done_ = 0;
};

/// During its lifetime, `job` is counted as the next `units` units of `progress`. The destructor
/// ends the nested job. It ignores the job's totals unless nested_done() was called.
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
