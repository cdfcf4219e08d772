#include "parallel/progress.h"

namespace manyply {

std::string_view to_string(Step step) {
  switch (step) {
    case Step::kStarting:
      return "starting";
    case Step::kSplitting:
      return "splitting";
    case Step::kSettingUp:
      return "setting up";
    case Step::kFirstPlies:
      return "first plies";
    case Step::kFinishing:
      return "finishing";
    case Step::kCounting:
      break;
  }
  return "counting";
}

std::optional<double> ProgressSnapshot::share_done() const {
  if (step == Step::kSettingUp && bytes_to_set_up > 0)
    return static_cast<double>(bytes_set_up) / static_cast<double>(bytes_to_set_up);
  if (step == Step::kCounting && units_total > 0)
    return share_of(static_cast<double>(units_done) + share_of_next);
  return std::nullopt;
}

void Progress::enter(Step step, std::uint64_t bytes_to_set_up) {
  bytes_to_set_up_.store(bytes_to_set_up, std::memory_order_relaxed);
  step_.store(step, std::memory_order_release);
}

void Progress::start(int workers, std::uint64_t units_total, std::uint64_t units_resumed,
                     double speed_up) {
  const MutexLock lock(nested_mutex_);  // a reader may still use the old counters
  workers_ = std::make_unique<Worker[]>(static_cast<std::size_t>(workers));
  worker_count_ = workers;
  units_resumed_ = units_resumed;
  units_total_ = units_total;
  speed_up_ = speed_up;
  const std::chrono::duration<double> before = std::chrono::steady_clock::now() - begin_;
  seconds_before_ = before.count();
  step_.store(Step::kCounting, std::memory_order_release);
}

void Progress::nest(const Progress* job, std::uint64_t units) {
  const MutexLock lock(nested_mutex_);
  nested_ = job;
  nested_units_ = units;
}

void Progress::nested_done(double leaves, std::uint64_t visited) {
  const MutexLock lock(nested_mutex_);
  nested_ = nullptr;
  worker(0).leaves.add(leaves);
  worker(0).visited.add(visited);
  worker(0).units_done.add(nested_units_);
}

ProgressSnapshot Progress::snapshot() const {
  const MutexLock lock(nested_mutex_);
  ProgressSnapshot sum;
  sum.step = step_.load(std::memory_order_acquire);
  if (sum.step == Step::kSettingUp) {
    sum.bytes_to_set_up = bytes_to_set_up_.load(std::memory_order_relaxed);
    sum.bytes_set_up = std::min(bytes_set_up_.load(std::memory_order_relaxed), sum.bytes_to_set_up);
  }
  if (sum.step != Step::kCounting && sum.step != Step::kFinishing) return sum;
  sum.units_total = units_total_;
  sum.speed_up = speed_up_;
  sum.seconds_before = seconds_before_;
  sum.units_done = sum.units_resumed = units_resumed_;
  for (int i = 0; i < worker_count_; ++i) {
    const Worker& worker = workers_[static_cast<std::size_t>(i)];
    sum.leaves += worker.leaves.get();
    sum.visited += worker.visited.get();
    sum.units_done += worker.units_done.get();
  }
  if (nested_ == nullptr) return sum;
  const ProgressSnapshot unit = nested_->snapshot();
  sum.leaves += unit.leaves;
  sum.visited += unit.visited;
  if (unit.step == Step::kCounting) {
    sum.share_of_next = unit.share_done().value_or(0) * static_cast<double>(nested_units_);
  } else if (unit.step != Step::kStarting && unit.step != Step::kFirstPlies) {
    sum.step = unit.step;
    sum.bytes_set_up = unit.bytes_set_up;
    sum.bytes_to_set_up = unit.bytes_to_set_up;
  }
  return sum;
}

std::optional<double> seconds_left(const ProgressSnapshot& snapshot, double elapsed_seconds) {
  const std::optional<double> done = snapshot.share_done();
  if (snapshot.step != Step::kCounting || !done) return std::nullopt;
  const double counting_seconds = elapsed_seconds - snapshot.seconds_before;
  const double counted = *done - snapshot.share_resumed();
  const double undone = 1 - snapshot.share_resumed();
  const double least = counting_seconds < 5 ? 0.2 : 0.05;
  if (counting_seconds <= 0 || counted <= 0 || counted < least * undone) return std::nullopt;
  return counting_seconds * (1 - *done) / counted;
}

}  // namespace manyply
