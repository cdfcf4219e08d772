#include "parallel/jobs/many_counts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/mutex.h"
#include "core/counting.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

/// Default size of the tables for small counts. All sizes from 4 to 64 MiB are about equally fast.
/// Common tables for many counts save time if consecutive counts are of the same position.
constexpr std::uint64_t kTableBytes = std::uint64_t{32} << 20;

class ManyCounts {
 public:
  ManyCounts(std::span<const JobSpec> jobs, const Workforce& by, const OnManyCounted& on_counted,
             double small_leaves)
      : jobs_(jobs),
        by_(by),
        kernels_(by.kernel()),
        on_counted_(on_counted),
        small_leaves_(small_leaves) {}

  std::optional<Error> run() {
    if (auto error = allocate_tables()) return error;
    by_.progress().start(by_.count(), jobs_.size());
    // The jobs are divided into pieces of this size. In each piece, small counts come first. So a
    // large count does not wait for the small counts of later pieces.
    constexpr std::size_t kPiece = 4096;
    for (begin_ = 0; begin_ < jobs_.size() && !unwanted_; begin_ += states_.size()) {
      states_.assign(std::min(kPiece, jobs_.size() - begin_), {});
      told_ = 0;
      if (auto error = count_piece()) return unwanted_ ? std::nullopt : error;
    }
    return std::nullopt;
  }

 private:
  struct State {
    enum class Kind : std::uint8_t { kWaits, kLarge, kCounted };
    Kind kind = Kind::kWaits;
    bool hashed = false;
    NodeCount nodes;
  };

  std::optional<Error> allocate_tables() {
    auto hash = jobs_.front().hash;
    const auto deep = [](const JobSpec& job) { return job.depth.plies() >= kMinHashedDepth; };
    if (!hash || std::ranges::none_of(jobs_, deep)) return std::nullopt;
    if (hash->bytes == 0) hash->bytes = std::min(kTableBytes, available_memory_bytes() / 2);
    const int workers = by_.count();
    const TablePlan plan =
        plan_tables(*hash, {}, kWideDepth + 1, workers, machine_for(*hash, workers));
    by_.progress().enter(Step::kSettingUp, plan.touched_bytes(workers));
    auto tables =
        JobTables::allocate(plan, *hash, by_.workers(), by_.stop(), &by_.progress().bytes_set_up());
    if (!tables) return tables.error();
    tables_ = std::move(tables).value();
    return std::nullopt;
  }

  std::optional<Error> count_piece() {
    auto failed = for_each_unit(
        ascending_order(states_.size()), {.by = by_, .weight = 0},
        [this](std::size_t i, const UnitWorker& worker) { return count_if_small(i, worker); });
    if (failed) return failed;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].kind != State::Kind::kLarge) continue;
      JobSpec job = jobs_[begin_ + i];
      job.keeper = &keeper_;
      Progress watched;
      const NestedProgress nested(by_.progress(), watched, 1);
      const Result<Report> report = run_job(job, by_.stop(), &watched);
      if (!report) return report.error();
      by_.progress().nested_done(report->nodes.approximate(), report->visited);
      if (auto error = counted(i, report->nodes, report->hash.has_value())) return error;
    }
    return std::nullopt;
  }

  std::optional<Error> count_if_small(std::size_t i, const UnitWorker& worker) {
    const JobSpec& job = jobs_[begin_ + i];
    const Board& board = job.root.position.board();
    const int depth = job.depth.plies();
    if (!is_small(board, depth, small_leaves_, kernels_.plain, worker.stop)) {
      const MutexLock lock(mutex_);
      states_[i].kind = State::Kind::kLarge;
      return std::nullopt;
    }
    NodeCount nodes;
    const bool hashed = tables_ && depth >= kMinHashedDepth;
    if (hashed) {
      HashStats stats;  // only `visited` is used
      nodes = tables_->count(board, depth, kernels_, worker.number, worker.stop, stats);
      worker.progress.visited.add(stats.visited);
    } else {
      CountStats stats;
      nodes = count_board(board, depth, kernels_.plain, worker.stop, stats);
      worker.progress.visited.add(stats.visited);
    }
    if (worker.stop.stop_requested()) return cancelled();
    worker.progress.leaves.add(nodes.approximate());
    worker.progress.units_done.add(1);
    return counted(i, nodes, hashed);
  }

  /// Stores the result of job `i` of the piece. Then reports all results that can be reported in
  /// the order of the jobs: a result waits until the results of all earlier jobs were reported.
  std::optional<Error> counted(std::size_t i, const NodeCount& nodes, bool hashed) {
    const MutexLock lock(mutex_);
    states_[i] = {State::Kind::kCounted, hashed, nodes};
    while (!unwanted_ && told_ < states_.size() && states_[told_].kind == State::Kind::kCounted) {
      const State& next = states_[told_];
      unwanted_ = !on_counted_({begin_ + told_, next.nodes, next.hashed});
      ++told_;
    }
    return unwanted_ ? std::optional(cancelled()) : std::nullopt;
  }

  const std::span<const JobSpec> jobs_;
  const Workforce& by_;
  const KernelPair kernels_;
  const OnManyCounted& on_counted_;
  const double small_leaves_;

  std::unique_ptr<JobTables> tables_;  // for small counts; null if they use no table
  TableKeeper keeper_;                 // for large counts
  std::size_t begin_ = 0;              // number of the first job of the piece

  Mutex mutex_;
  std::vector<State> states_;  // one for each job of the piece
  std::size_t told_ = 0;       // number of jobs of the piece that were reported to on_counted_
  bool unwanted_ = false;
};

}  // namespace

std::optional<Error> count_many(std::span<const JobSpec> jobs, const std::stop_token& stop,
                                Progress* progress, const OnManyCounted& on_counted,
                                double small_leaves) try {
  for (const JobSpec& job : jobs) {
    MANYPLY_CHECK(job.store == nullptr && job.keeper == nullptr && job.trace == nullptr);
    MANYPLY_CHECK(job.threads == jobs.front().threads && job.kernel == jobs.front().kernel);
  }
  if (jobs.empty()) return std::nullopt;
  const Result<Workforce> by = Workforce::of(jobs.front(), stop, progress);
  if (!by) return by.error();
  return ManyCounts(jobs, *by, on_counted, small_leaves).run();
} catch (...) {
  return current_exception_as_error();
}

bool is_small(const Board& board, int depth, double most_leaves, const Kernel& kernel,
              const std::stop_token& stop) {
  constexpr int kAlwaysSmall = 4;
  if (depth <= kAlwaysSmall) return true;
  CountStats unused;
  const double two = count_board(board, 2, kernel, stop, unused).approximate();
  const double three = count_board(board, 3, kernel, stop, unused).approximate();
  return two == 0 || three * std::pow(three / two, depth - 3) <= most_leaves;
}

}  // namespace manyply
