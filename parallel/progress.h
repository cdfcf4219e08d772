// Live progress of a job: written by its workers, read by whoever shows it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

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

/// What a reader sees; consistent enough for people, not a result.
struct ProgressSnapshot {
  double leaves = 0;          ///< leaves of finished subtrees, multiplicity included
  std::uint64_t visited = 0;  ///< positions generated so far
  std::uint64_t units_done = 0;
  std::uint64_t units_total = 0;    ///< 0 until the root is split
  std::uint64_t units_resumed = 0;  ///< of units_done, counted by an earlier run

  /// Of all units, 0 to 1: done, and of these found done at the start.
  [[nodiscard]] double share_done() const { return share_of(units_done); }
  [[nodiscard]] double share_resumed() const { return share_of(units_resumed); }

 private:
  [[nodiscard]] double share_of(std::uint64_t units) const {
    if (units_total == 0) return 0;
    return static_cast<double>(units) / static_cast<double>(units_total);
  }
};

/// Seconds left after `elapsed_seconds` of this run, once its past says something about its future:
/// after five seconds and a twentieth of the work that it found undone. Subtrees differ in size, so
/// less would be a guess.
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

  /// Called once by the job, before any worker. `units_resumed` of the units are done already.
  void start(int workers, std::uint64_t units_total, std::uint64_t units_resumed = 0);
  [[nodiscard]] Worker& worker(int i) { return workers_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] ProgressSnapshot snapshot() const;

 private:
  std::unique_ptr<Worker[]> workers_;
  int worker_count_ = 0;
  std::uint64_t units_resumed_ = 0;
  std::atomic<std::uint64_t> units_total_{0};  // release by start(), acquire by snapshot()
};

}  // namespace manyply
