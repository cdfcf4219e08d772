#include "parallel/matrix/matrix_job.h"

#include <atomic>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "parallel/matrix/huge_pages.h"
#include "parallel/matrix/last_rows.h"
#include "parallel/matrix/matrix_divide.h"
#include "parallel/matrix/matrix_ply.h"
#include "parallel/matrix/matrix_stage.h"
#include "parallel/split/chunk_counter.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

/// The share of pairs that there are among those of two ordinary configurations.
double density_of(const MatrixStage& stage, const Board& root, const Workers& workers,
                  const std::stop_token& stop) {
  const Ordinary row_kind(configuration_of(root, stage.mover));
  const Ordinary column_kind(configuration_of(root, ~stage.mover));
  std::vector<std::uint8_t> in_columns(groups_of(stage.columns.size()) * kGroupColumns);
  double columns = 0;
  for (std::size_t column = 0; column < stage.columns.size(); ++column) {
    in_columns[column] = column_kind.includes(stage.columns[column]) ? 1 : 0;
    columns += in_columns[column];
  }
  std::atomic<std::uint64_t> all_rows = 0;  // published by the workers' end
  std::atomic<std::uint64_t> all_pairs = 0;
  for_each_chunk(stage.matrix.chunks.size(), workers, stop, [&](std::size_t number) {
    const RowChunk& chunk = stage.matrix.chunks[number];
    std::uint64_t rows = 0;
    std::uint64_t pairs = 0;
    for (std::size_t i = 0; i < chunk.rows(); ++i) {
      if (!row_kind.includes(stage.rows[number * kChunkRows + i])) continue;
      ++rows;
      const RowView row = chunk.row(i);
      for (std::size_t j = 0; j < row.size * kGroupColumns; ++j) {
        const std::size_t column =
            row.groups[j / kGroupColumns] * kGroupColumns + j % kGroupColumns;
        if (row.paths[j] != 0) pairs += in_columns[column];
      }
    }
    all_rows.fetch_add(rows, std::memory_order_relaxed);
    all_pairs.fetch_add(pairs, std::memory_order_relaxed);
  });
  const double room = static_cast<double>(all_rows) * columns;
  return room == 0 ? 0 : static_cast<double>(all_pairs) / room;
}

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
    constexpr double kForms = 2;  // as it is played, and turned over
    constexpr double kFirstSure = 1 << 20;
    if (bytes >= kFirstSure && kForms * bytes * std::pow(growth, plies) > most_bytes_)
      throw MatrixDoesNotFit("matrices would take too much memory");
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

}  // namespace

Result<std::optional<MatrixCount>> count_by_configurations(const MatrixSpec& spec,
                                                           const Workforce& by) try {
  const Workers& workers = by.workers();
  const std::stop_token& stop = by.stop();
  const RowKernel& rows = row_kernel_for(by.kernel());
  const Board& root = spec.root.board();
  MatrixBudget budget(spec.most_bytes);
  by.progress().enter(Step::kFirstPlies);
  MatrixStage stage(root);
  budget.take(stage.matrix.bytes());
  Outlook outlook(spec.most_bytes);
  std::vector<std::unique_ptr<MatrixPly>> plies;  // the last one; all, for a divide
  for (int plies_left = spec.depth; plies_left > kMinMatrixDepth; --plies_left) {
    const std::uint64_t before = stage.matrix.bytes();
    plies.push_back(std::make_unique<MatrixPly>(std::move(stage), rows, workers, stop));
    if (stop.stop_requested()) return cancelled();
    const std::uint64_t playing = plies.back()->bytes();
    budget.take(playing);
    stage = next_stage(*plies.back(), workers, stop, budget);
    if (!spec.divide) {
      plies.pop_back();
      budget.give_back(before + playing);
    }
    outlook.check(stage, plies_left - kMinMatrixDepth - 1);
  }
  if (stop.stop_requested()) return cancelled();
  const double density = density_of(stage, root, workers, stop);
  plies.push_back(std::make_unique<MatrixPly>(std::move(stage), rows, workers, stop));
  const MatrixPly& last = *plies.back();
  if (stop.stop_requested()) return cancelled();
  budget.take(last.bytes());
  LastRows below(last, root, by.kernel(), workers, stop);
  if (stop.stop_requested()) return cancelled();
  if (spec.divide) {
    MatrixDivide divide(plies, spec.depth, workers, budget, stop);
    const NodeCount nodes = below.count(workers, stop, by.progress(), &divide);
    if (stop.stop_requested()) return cancelled();
    by.progress().finish();
    std::vector<DivideEntry> entries = divide.finish(spec.root, stop);
    if (stop.stop_requested()) return cancelled();
    NodeCount sum = 0;
    for (const DivideEntry& entry : entries) sum += entry.nodes;
    MANYPLY_CHECK(sum == nodes);  // paths carried forwards, values carried backwards
    return std::optional(MatrixCount{nodes, std::move(entries), report_of(below, last, budget)});
  }
  if (spec.last_plies == MatrixSpec::LastPlies::kInLanes ||
      (spec.last_plies == MatrixSpec::LastPlies::kWhateverPays && below.lanes_pay(density))) {
    below.use_lanes(workers, stop);
    budget.take(below.bytes());
  }
  if (stop.stop_requested()) return cancelled();
  const NodeCount nodes = below.count(workers, stop, by.progress());
  if (stop.stop_requested()) return cancelled();
  return std::optional(MatrixCount{nodes, {}, report_of(below, last, budget)});
} catch (const MatrixDoesNotFit& why) {
  if (spec.why_not != nullptr) *spec.why_not = why.what();
  return std::optional<MatrixCount>();
}

}  // namespace manyply
