#include "parallel/progress.h"

namespace manyply {

Progress::Progress() = default;
Progress::~Progress() = default;

void Progress::start(int workers, std::uint64_t units_total, std::uint64_t units_resumed) {
  workers_ = std::make_unique<Worker[]>(static_cast<std::size_t>(workers));
  worker_count_ = workers;
  units_resumed_ = units_resumed;
  units_total_.store(units_total, std::memory_order_release);
}

ProgressSnapshot Progress::snapshot() const {
  ProgressSnapshot sum;
  sum.units_total = units_total_.load(std::memory_order_acquire);
  if (sum.units_total == 0) return sum;
  sum.units_done = sum.units_resumed = units_resumed_;
  for (int i = 0; i < worker_count_; ++i) {
    const Worker& worker = workers_[static_cast<std::size_t>(i)];
    sum.leaves += worker.leaves.get();
    sum.visited += worker.visited.get();
    sum.units_done += worker.units_done.get();
  }
  return sum;
}

std::optional<double> seconds_left(const ProgressSnapshot& snapshot, double elapsed_seconds) {
  const auto counted = static_cast<double>(snapshot.units_done - snapshot.units_resumed);
  const auto left = static_cast<double>(snapshot.units_total - snapshot.units_done);
  if (elapsed_seconds < 5 || counted <= 0 || counted < 0.05 * (counted + left)) return std::nullopt;
  return elapsed_seconds * left / counted;
}

}  // namespace manyply
