#include "parallel/matrix/matrix_job.h"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "parallel/matrix/last_rows.h"
#include "parallel/matrix/matrix_divide.h"
#include "parallel/matrix/matrix_in_parts.h"
#include "parallel/matrix/matrix_ply.h"
#include "parallel/matrix/matrix_stage.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

/// Gives up early where matrices would take too much: what is known after some plies is that the
/// next ones will grow by the last one's factor at least, which itself grows.
class Outlook {
 public:
  explicit Outlook(std::uint64_t most_bytes) : most_bytes_(static_cast<double>(most_bytes)) {}

  /// `stage` is there, and `plies` more of them are to come.
  void check(const MatrixStage& stage, int plies) {
    const auto bytes = static_cast<double>(stage.matrix.bytes());
    const double growth = last_ > 0 ? bytes / last_ : 1;
    last_ = bytes;
    constexpr double kForms = 1.25;  // as it is played, and turned over slice by slice
    constexpr double kFirstSure = 1 << 20;
    if (bytes >= kFirstSure && kForms * bytes * std::pow(growth, plies) > most_bytes_)
      throw MatrixTakesTooMuch("matrices would take too much memory");
  }

 private:
  const double most_bytes_;
  double last_ = 0;  // bytes of the stage before
};

MatrixReport report_of(const LastRows& below, const MatrixPly& last, const MatrixBudget& budget) {
  return {.rows = last.rows().size(),
          .columns = last.columns().size(),
          .kernel_pairs = below.kernel_pairs(),
          .lane_pairs = below.lane_pairs(),
          .bytes = budget.most()};
}

/// The count without parts. After `by.stop()` it is good for nothing.
MatrixCount count_whole(const MatrixSpec& spec, const Workforce& by) {
  const Workers& workers = by.workers();
  const std::stop_token& stop = by.stop();
  const RowKernel& rows = row_kernel_for(by.kernel());
  const Board& root = spec.root.board();
  MatrixBudget budget(spec.most_bytes);
  by.progress().enter(Step::kFirstPlies);
  MatrixStage stage(root);
  budget.take(stage.bytes());
  Outlook outlook(spec.most_bytes);
  std::vector<std::unique_ptr<MatrixPly>> plies;  // the last one; all, for a divide
  for (int plies_left = spec.depth; plies_left > kMinMatrixDepth; --plies_left) {
    const std::uint64_t before = stage.bytes();
    plies.push_back(std::make_unique<MatrixPly>(std::move(stage), rows, workers, stop));
    if (stop.stop_requested()) return {};
    const std::uint64_t playing = plies.back()->bytes();
    budget.take(playing);
    stage = next_stage(*plies.back(), workers, stop, budget);
    if (!spec.divide) {
      plies.pop_back();
      budget.give_back(before + playing);
    }
    outlook.check(stage, plies_left - kMinMatrixDepth - 1);
  }
  if (stop.stop_requested()) return {};
  const double density = density_of(stage, root, workers, stop);
  plies.push_back(std::make_unique<MatrixPly>(std::move(stage), rows, workers, stop));
  const MatrixPly& last = *plies.back();
  if (stop.stop_requested()) return {};
  budget.take(last.bytes());
  auto below = std::make_unique<LastRows>(last, root, by.kernel(), workers, stop);
  if (stop.stop_requested()) return {};
  std::optional<MatrixDivide> divide;
  if (spec.divide) divide.emplace(plies, spec.depth, workers, budget, stop);
  if (spec.last_plies == MatrixSpec::LastPlies::kInLanes ||
      (spec.last_plies == MatrixSpec::LastPlies::kWhateverPays && LastRows::lanes_pay(density) &&
       below->has_enough_for_lanes(density))) {
    below->use_lanes(workers, stop);
    const std::uint64_t bytes = below->bytes() + below->worker_bytes(spec.divide) *
                                                     static_cast<std::uint64_t>(workers.count());
    // A divide has no parts, so it goes on without lanes where their tables do not fit.
    if (spec.divide && spec.last_plies == MatrixSpec::LastPlies::kWhateverPays &&
        budget.used() + bytes > budget.limit())
      below = std::make_unique<LastRows>(last, root, by.kernel(), workers, stop);
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
    MANYPLY_CHECK(sum == nodes);  // paths carried forwards, values carried backwards
    return {nodes, std::move(entries), report_of(*below, last, budget)};
  }
  const NodeCount nodes = below->count(workers, stop, by.progress(), nullptr, spec.share);
  return {nodes, {}, report_of(*below, last, budget)};
}

}  // namespace

Result<std::optional<MatrixCount>> count_by_configurations(const MatrixSpec& spec,
                                                           const Workforce& by) try {
  std::optional<MatrixCount> counted;
  if (spec.parts == 0 && (spec.store == nullptr || spec.divide)) {
    try {
      counted = count_whole(spec, by);
    } catch (const MatrixTakesTooMuch&) {
      if (spec.divide || spec.share.of > 1) throw;
    }
  }
  if (!counted) {
    Result<MatrixCount> in_parts = count_in_parts(spec, by);
    if (!in_parts) return in_parts.error();
    counted = std::move(in_parts).value();
  }
  if (by.stopped()) return cancelled();
  return counted;
} catch (const MatrixDoesNotFit& why) {
  if (spec.why_not != nullptr) *spec.why_not = {why.what(), why.memory_helps};
  return std::optional<MatrixCount>();
}

}  // namespace manyply
