#include "parallel/matrix/matrix_job.h"

#include <algorithm>
#include <memory>

#include "core/base/check.h"
#include "core/base/memory.h"
#include "parallel/matrix/count_in_parts.h"
#include "parallel/matrix/last_plies_device.h"
#include "parallel/matrix/last_rows.h"
#include "parallel/matrix/matrix_divide.h"
#include "parallel/matrix/matrix_memory.h"
#include "parallel/matrix/matrix_ply.h"
#include "parallel/matrix/matrix_stage.h"
#include "parallel/matrix/memory_estimate.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

/// Does the same as next_stage(). Uses `device` if it is not null and accepts this ply, otherwise
/// the processor.
MatrixStage next_stage_by(LastPliesDevice* device, const MatrixPly& ply, const Workers& workers,
                          StopView stop, MatrixBudget& budget) {
  if (device != nullptr) {
    if (auto stage = device->next_stage(ply, workers, stop, budget)) return *std::move(stage);
  }
  return next_stage(ply, workers, stop, budget);
}

/// Counts without parts. After a stop request the result is meaningless. Throws MatrixDoesNotFit.
MatrixCount count_whole(const MatrixSpec& spec, const Workforce& by) {
  const Workers& workers = by.workers();
  const std::stop_token& stop = by.stop();
  const RowKernel& rows = row_kernel_for(by.kernel());
  const Board& root = spec.root.board();
  LastPliesDevice* const device = spec.divide || spec.share.of > 1 ? nullptr : spec.device;
  MatrixBudget budget(spec.most_bytes);
  by.progress().enter(Step::kFirstPlies);
  MatrixStage stage(root);
  budget.take(stage.bytes());
  StageForecast forecast(spec.most_bytes);
  std::vector<std::unique_ptr<MatrixPly>> plies;  // the ply in progress; for a divide, all plies
  for (int plies_left = spec.depth; plies_left > kMinMatrixDepth; --plies_left) {
    const std::uint64_t before = stage.bytes();
    plies.push_back(std::make_unique<MatrixPly>(std::move(stage), rows, workers, stop));
    if (stop.stop_requested()) return {};
    const std::uint64_t playing = plies.back()->bytes();
    budget.take(playing);
    stage = next_stage_by(device, *plies.back(), workers, stop, budget);
    if (!spec.divide) {
      plies.pop_back();
      budget.give_back(before + playing);
    }
    forecast.check(stage.matrix.bytes(), plies_left - kMinMatrixDepth - 1);
  }
  if (stop.stop_requested()) return {};
  const double density = density_of(stage, root, workers, stop);
  const bool only_counts = device == nullptr && !spec.divide;
  plies.push_back(
      std::make_unique<MatrixPly>(std::move(stage), rows, workers, stop, PlyNeeds{},
                                  only_counts ? MatrixPly::Sets::kLast : MatrixPly::Sets::kAll));
  const MatrixPly& last = *plies.back();
  if (stop.stop_requested()) return {};
  budget.take(last.bytes());
  const auto report = [&](std::uint64_t kernel_pairs, std::uint64_t lane_pairs) {
    return MatrixReport{.rows = last.rows().size(),
                        .columns = last.column_count(),
                        .kernel_pairs = kernel_pairs,
                        .lane_pairs = lane_pairs,
                        .bytes = budget.most()};
  };
  if (device != nullptr) {
    const auto counted = device->count(last, root, workers, stop, by.progress());
    MatrixCount count{counted.nodes, {}, report(counted.pairs, counted.dense_pairs)};
    count.report.device = device->use();
    return count;
  }
  auto below = std::make_unique<LastRows>(last, root, by.kernel(), workers, stop);
  if (stop.stop_requested()) return {};
  std::optional<MatrixDivide> divide;
  if (spec.divide) divide.emplace(plies, spec.depth, workers, budget, stop);
  if (spec.last_plies == MatrixSpec::LastPlies::kInLanes ||
      (spec.last_plies == MatrixSpec::LastPlies::kWhateverPays && LastRows::lanes_pay(density) &&
       below->has_enough_for_lanes(density))) {
    const bool fits = budget.used() + below->expected_table_bytes() <= budget.limit();
    // If the tables do not fit, a divide is made without lanes. This is still faster than separate
    // counts below the root moves. A share cannot be made without lanes: a share counts some of the
    // chunks, and lanes determine how the rows are divided into chunks.
    const bool may_do_without = spec.divide && spec.share.of == 1 &&
                                spec.last_plies == MatrixSpec::LastPlies::kWhateverPays;
    if (!fits && !may_do_without) throw MatrixTakesTooMuch("tables would take too much memory");
    if (fits) below->use_lanes(workers, stop);
    budget.take(below->bytes());
  }
  budget.take(below->worker_bytes(spec.divide) * static_cast<std::uint64_t>(workers.count()));
  if (stop.stop_requested()) return {};
  if (divide) {
    const NodeCount nodes = below->count(workers, stop, by.progress(), &*divide, spec.share);
    if (stop.stop_requested()) return {};
    by.progress().finish();
    std::vector<DivideEntry> entries = divide->finish(spec.root, stop);
    if (stop.stop_requested()) return {};
    NodeCount sum = 0;
    for (const DivideEntry& entry : entries) sum += entry.nodes;
    MANYPLY_CHECK(sum == nodes);  // compares paths carried forwards with values carried backwards
    return {nodes, std::move(entries), report(below->kernel_pairs(), below->lane_pairs())};
  }
  const NodeCount nodes = below->count(workers, stop, by.progress(), nullptr, spec.share);
  return {nodes, {}, report(below->kernel_pairs(), below->lane_pairs())};
}

/// Makes a divide by counting below each root move separately. If memory requires it, each of these
/// counts is made in parts. Most positions are reached after several root moves and are counted
/// below each of these moves. So the divide takes several times as long as one count from the root.
Result<std::optional<MatrixCount>> count_root_moves(const MatrixSpec& spec, const Workforce& by) {
  constexpr std::uint64_t kUnits = 1'000'000;  // units of progress in total
  constexpr int kWeighedPlies = 2;  // leaves at this depth predict the time of a root move
  const Result<std::vector<DivideEntry>> weights = divide(spec.root, Depth(1 + kWeighedPlies));
  if (!weights) return weights.error();
  double all = 0;
  for (const DivideEntry& each : *weights) all += each.nodes.approximate();
  by.progress().start(1, kUnits);
  UnitsByWeight units(kUnits, all);
  MatrixCount sum;
  sum.report.parts = 0;
  for (const DivideEntry& each : *weights) {
    const Position root = spec.root.after_unchecked(each.move);
    Progress progress;
    const NestedProgress nested(by.progress(), progress, units.next(each.nodes.approximate()));
    const MatrixSpec below{.root = root,
                           .depth = spec.depth - 1,
                           .most_bytes = spec.most_bytes,
                           .last_plies = spec.last_plies,
                           .parts = spec.parts,
                           .cone_plies = spec.cone_plies,
                           .device = spec.device,
                           .why_not = spec.why_not};
    Result<std::optional<MatrixCount>> counted =
        count_by_configurations(below, by.watched_in(&progress));
    if (!counted || !*counted) return counted;
    const MatrixReport& report = (*counted)->report;
    sum.nodes += (*counted)->nodes;
    sum.divide.push_back({each.move, (*counted)->nodes});
    sum.report.rows += report.rows;
    sum.report.columns = std::max(sum.report.columns, report.columns);
    sum.report.kernel_pairs += report.kernel_pairs;
    sum.report.lane_pairs += report.lane_pairs;
    sum.report.bytes = std::max(sum.report.bytes, report.bytes);
    sum.report.parts += report.parts;
    sum.report.device = report.device;
    const ProgressSnapshot shown = progress.snapshot();
    by.progress().nested_done(shown.leaves, shown.visited);
    return_freed_memory();
  }
  return std::optional(std::move(sum));
}

Result<std::optional<MatrixCount>> count_or_throw(const MatrixSpec& spec, const Workforce& by) {
  const bool by_root_moves = spec.divide && spec.depth > kMinMatrixDepth && spec.share.of == 1;
  std::optional<MatrixCount> counted;
  // A device cannot make a divide, so it counts below each root move separately.
  const bool is_cut = spec.divide ? (spec.parts > 0 || spec.device != nullptr) && by_root_moves
                                  : spec.parts > 0 || spec.store != nullptr;
  if (!is_cut) {
    try {
      counted = count_whole(spec, by);
    } catch (const MatrixTakesTooMuch&) {
      if (spec.share.of > 1 || (spec.divide && !by_root_moves)) throw;
      return_freed_memory();
    }
  }
  if (!counted && by_root_moves) return count_root_moves(spec, by);
  if (!counted) {
    Result<MatrixCount> in_parts = count_in_parts(spec, by);
    if (!in_parts) return in_parts.error();
    counted = std::move(in_parts).value();
  }
  if (by.stopped()) return cancelled();
  return counted;
}

}  // namespace

Result<std::optional<MatrixCount>> count_by_configurations(const MatrixSpec& spec,
                                                           const Workforce& by) try {
  return with_device_errors([&] { return count_or_throw(spec, by); });
} catch (const MatrixDoesNotFit& why) {
  if (spec.why_not != nullptr) *spec.why_not = {why.what(), why.memory_helps};
  return std::optional<MatrixCount>();
}

}  // namespace manyply
