#include "parallel/jobs/job.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/base/stopwatch.h"
#include "parallel/jobs/many_counts.h"
#include "parallel/jobs/range_job.h"
#include "parallel/matrix/last_plies_device.h"
#include "parallel/split/root_splitter.h"
#include "parallel/units/unit_queue.h"
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

/// Chooses the method for `spec`. With Method::kAuto, chooses counting by configurations if a table
/// is permitted, unless the count is shallow or small. In all measurements of totals and divides,
/// counting by configurations took at most as much processor time as counting with a table, and
/// usually less (core/configurations/README.md). `small` is true for a small count with one_of_many
/// (kSmallJobLeaves), which takes less time than the preparation of a matrix.
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

/// Returns the number of bytes that matrices may use: those in the user's limit for the process. If
/// there is no limit, returns the size that the user has set for the tables, or half of the
/// available memory if the user has set no size.
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

}  // namespace manyply
