#include "parallel/jobs/job.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/base/mutex.h"
#include "core/base/stopwatch.h"
#include "parallel/jobs/range_job.h"
#include "parallel/matrix/last_plies_device.h"
#include "parallel/matrix/matrix_memory.h"
#include "parallel/units/root_splitter.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

/// Returns `spec`, changed for a small count: without a store, and with at most 8 MiB of tables.
JobSpec small_job(JobSpec spec) {
  constexpr std::uint64_t kTableBytes = std::uint64_t{8} << 20;
  spec.store = nullptr;  // counting again is faster than reading from a store
  if (spec.hash && (spec.hash->bytes == 0 || spec.hash->bytes > kTableBytes))
    spec.hash->bytes = kTableBytes;
  return spec;
}

/// Splits the root, counts all units with or without tables, and fills `report`.
std::optional<Error> count_all(const JobSpec& asked, bool small, const Workforce& by,
                               Report& report) {
  const Kernel& kernel = by.kernel();
  const int depth = asked.depth.plies();
  const JobSpec spec = small ? small_job(asked) : asked;
  const bool coarse = spec.hash && spec.store == nullptr && spec.trace == nullptr;
  const SplitLimits limits = small    ? SplitLimits{.min_unit_depth = depth}
                             : coarse ? kCoarseSplit
                                      : SplitLimits{};
  by.progress().enter(Step::kSplitting);
  RootSplit made =
      split_root(spec.root.position, spec.depth, kernel, limits, by.stop(), by.workers());
  const std::size_t count = made.size();
  const JobUnits units(std::move(made), ascending_order(count));
  const RootSplit& split = units.root_split();
  const auto prepared = RangeJob::prepare(spec, by, units);
  if (!prepared) return prepared.error();
  RangeJob& job = **prepared;
  const UnitOrder order = order_for(split, job.unit_depth(), job.table_plan() != nullptr, kernel);
  if (auto error = job.count(order, by.stop(), small)) return error;

  const std::vector<NodeCount> sums = job.sum({0, count});
  for (std::size_t move = 0; move < sums.size(); ++move) {
    report.divide.push_back({split.root_moves[move], sums[move]});
    report.nodes += sums[move];
  }
  report.visited = by.progress().snapshot().visited;
  report.units = count;
  report.resumed_units = job.resumed_units();
  report.resumed_leaves = job.resumed_leaves();
  report.setup_seconds = job.setup_seconds();
  report.hash = job.hash_report();
  if (spec.trace != nullptr) {
    JobTrace& trace = *spec.trace;
    trace.split = split;
    trace.unit_depth = job.unit_depth();
    trace.counts.clear();
    for (std::size_t unit = 0; unit < count; ++unit) trace.counts.push_back(job.count_of(unit));
    if (job.keys() != nullptr) trace.keys = *job.keys();
  }
  return std::nullopt;
}

/// The decision for or against counting by configurations, and the reason for the decision.
struct MethodChoice {
  bool matrix;         ///< count by configurations
  std::string reason;  ///< for Report::method_reason
};

/// Chooses the method for `spec`. With Method::kAuto, chooses counting by configurations, except
/// for shallow counts, small counts and counts without a table. In all measurements of totals and
/// divides, counting by configurations took at most as much processor time as counting with a
/// table, and usually less (core/configurations/README.md). `small` is true for a small count with
/// one_of_many (kSmallJobLeaves). Such a count takes less time than the preparation of a matrix.
MethodChoice choose_method(const JobSpec& spec, bool small) {
  const int depth = spec.depth.plies();
  if (spec.trace != nullptr) return {false, "the job stores the count of each unit"};
  if (spec.method == Method::kHashed) return {false, "requested"};
  if (depth < kMinMatrixDepth)
    return {false, "counting by configurations starts at depth " + std::to_string(kMinMatrixDepth)};
  if (spec.method == Method::kConfigurations) return {true, "requested"};
  if (depth < kMinHashedDepth)
    return {false,
            "tables and matrices save time only from depth " + std::to_string(kMinHashedDepth)};
  if (!spec.hash) return {false, "a count without a table was requested"};
  if (small) return {false, "the count is small"};
  return {true, "the fastest method"};
}

/// Returns the number of bytes that matrices may use. If the user has limited the memory of the
/// process, this limit determines the number. Otherwise it is the size that the user has set for
/// the tables or, if the user has set no size, half of the available memory.
std::uint64_t bytes_for_matrices(const JobSpec& spec) {
  const bool by_table = spec.memory_bytes == 0 && spec.hash && spec.hash->bytes > 0;
  return by_table ? spec.hash->bytes : matrix_bytes(spec.memory_bytes);
}

/// Counts `spec` by configurations. If `device` is not null, the device counts the last two plies.
/// If `spec` cannot be counted by configurations, returns false and puts the reason into `report`.
Result<bool> count_matrix(const JobSpec& spec, LastPliesDevice* device, const Workforce& by,
                          Report& report) {
  // Free the kept tables, because matrices need the memory.
  if (spec.keeper != nullptr) spec.keeper->release();
  const std::uint64_t most_bytes = bytes_for_matrices(spec);
  WhyNotCounted why_not;
  auto counted =
      count_by_configurations({.root = spec.root.position,
                               .depth = spec.depth.plies(),
                               .most_bytes = most_bytes,
                               .divide = spec.divide,
                               .share = spec.share,
                               .parts = spec.parts,
                               .on_plan = spec.on_parts,
                               .store = spec.divide ? nullptr : spec.store,
                               .name = job_text(spec.root, spec.depth, KeySpec::kMaxBits),
                               .device = device,
                               .why_not = &why_not},
                              by);
  if (!counted) return counted.error();
  std::optional<MatrixCount> count = std::move(counted).value();
  if (!count) {
    report.method_reason = why_not.reason;
    if (why_not.memory_helps)
      report.method_reason += " (limit " + std::to_string(most_bytes >> 20) + " MiB)";
    if (why_not.memory_helps && spec.method == Method::kAuto && spec.on_fallback)
      spec.on_fallback(report.method_reason);
    return false;
  }
  report.nodes = count->nodes;
  report.divide = std::move(count->divide);
  report.matrix = count->report;
  report.units = count->report.stored_parts;
  report.resumed_units = count->report.resumed_parts;
  report.resumed_leaves = count->report.resumed_leaves;
  report.visited = by.progress().snapshot().visited;
  return true;
}

/// Calls the function above with the device of `spec`. Counts on the processor if `small` is true,
/// if `spec` has no device, or if spec.one_of_many is set and the device is busy or fails.
Result<bool> count_matrix(const JobSpec& spec, bool small, const Workforce& by, Report& report) {
  const DeviceLease lease(small ? nullptr : spec.device);
  std::string why_not = lease.why_not();
  if (lease.device() != nullptr) {
    Result<bool> counted = count_matrix(spec, lease.device(), by, report);
    if (counted || counted.error().field != "device" || !spec.one_of_many) return counted;
    why_not = counted.error().message;
  } else if (!why_not.empty() && !spec.one_of_many) {
    return Error{ErrorCode::kUnavailable, "device", 0, why_not};
  }
  const Result<bool> counted = count_matrix(spec, nullptr, by, report);
  if (counted && *counted && !why_not.empty())
    report.method_reason += "; on the processor, because " + why_not;
  return counted;
}

/// Default size of the tables for small counts. All sizes from 4 to 64 MiB are about equally fast.
/// Common tables for many counts save time if consecutive counts are of the same position.
constexpr std::uint64_t kCommonTableBytes = std::uint64_t{32} << 20;

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
    if (hash->bytes == 0) hash->bytes = std::min(kCommonTableBytes, available_memory_bytes() / 2);
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

std::vector<DivideEntry> sum_by_root_move(const RootSplit& split,
                                          const std::vector<NodeCount>& counts) {
  std::vector<DivideEntry> divide;
  for (const Move move : split.root_moves) divide.push_back({move, 0});
  for (std::size_t unit = 0; unit < split.size(); ++unit) {
    for (const auto& [root_move, paths] : split.shares_of(unit))
      divide[root_move].nodes += paths * counts[unit];
  }
  return divide;
}

double Report::leaves_per_second() const {
  return seconds > 0 ? (nodes.approximate() - resumed_leaves) / seconds : 0;
}

double Report::visited_per_second() const {
  return seconds > 0 ? static_cast<double>(visited) / seconds : 0;
}

Result<Report> run_job(const JobSpec& spec, const std::stop_token& stop, Progress* progress) try {
  MANYPLY_CHECK(spec.keeper == nullptr || spec.trace == nullptr);
  MANYPLY_CHECK(spec.share.of == 1 ||
                (spec.method == Method::kConfigurations && spec.depth.plies() >= kMinMatrixDepth &&
                 spec.store == nullptr && spec.parts == 0));
  const Result<Workforce> by = Workforce::of(spec, stop, progress);
  if (!by) return by.error();
  Report report;
  report.threads = by->count();
  report.kernel = by->kernel().name;

  const Stopwatch watch;
  if (spec.depth.plies() == 0) {
    report.nodes = 1;
  } else {
    const bool small = spec.one_of_many && is_small(spec.root.position.board(), spec.depth.plies(),
                                                    kSmallJobLeaves, by->kernel(), stop);
    MethodChoice method = choose_method(spec, small);
    report.method_reason = std::move(method.reason);
    bool counted = false;
    if (method.matrix) {
      const Result<bool> matrix = count_matrix(spec, small, *by, report);
      if (!matrix) return matrix.error();
      counted = *matrix;
      // The user chose counting by configurations for its guarantees, so do not use another method.
      if (!counted && spec.method == Method::kConfigurations)
        return Error{ErrorCode::kUnavailable, "method", 0,
                     "cannot count by configurations: " + report.method_reason +
                         "; allow more memory, or use hashing"};
    }
    if (!counted) {
      if (auto error = count_all(spec, small, *by, report)) return *std::move(error);
    }
  }
  report.seconds = watch.seconds() - report.setup_seconds;
  if (by->count() > 1)
    report.serial_seconds =
        std::clamp(report.seconds - by->workers().all_busy_seconds(), 0.0, report.seconds);

  report.known_nodes = known_value(spec.root.position, spec.depth);
  report.known = compare_with_known(report.known_nodes, report.nodes);
  return report;
} catch (...) {
  return current_exception_as_error();
}

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
