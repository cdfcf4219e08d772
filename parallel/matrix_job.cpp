#include "parallel/matrix_job.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "parallel/chunk_counter.h"
#include "parallel/matrix_ply.h"
#include "parallel/matrix_stage.h"
#include "parallel/mutex.h"
#include "parallel/unit_runner.h"

namespace manyply {
namespace {

using Sum = NodeCount::Word;

/// Counts positions two plies above the leaves, a batch at a time. One worker's.
class TwoPlySink {
 public:
  explicit TwoPlySink(const Kernel& kernel) : kernel_(kernel) {}

  void add(const Board& board, std::uint64_t paths) {
    boards_[size_] = board;
    paths_[size_] = paths;
    if (++size_ == kBatch) flush();
  }
  void flush() {
    std::array<std::uint32_t, kBatch> leaves;
    if (size_ == 0) return;
    children_ += kernel_.count_two_plies(boards_.data(), size_, leaves.data());
    for (std::size_t i = 0; i < size_; ++i) sum_ += Sum{paths_[i]} * leaves[i];
    positions_ += size_;
    size_ = 0;
  }

  // Of what was flushed.
  [[nodiscard]] Sum sum() const { return sum_; }
  [[nodiscard]] std::uint64_t positions() const { return positions_; }
  [[nodiscard]] std::uint64_t children() const { return children_; }

 private:
  static constexpr std::size_t kBatch = 64;

  const Kernel& kernel_;
  std::size_t size_ = 0;
  std::array<Board, kBatch> boards_;
  std::array<std::uint64_t, kBatch> paths_;
  Sum sum_ = 0;
  std::uint64_t positions_ = 0;
  std::uint64_t children_ = 0;
};

/// Makes the rows after the last ply of the matrix, and counts what lies below them at once.
class LastRows {
 public:
  LastRows(const MatrixPly& ply, const Kernel& kernel) : ply_(ply), kernel_(kernel) {}

  void count(const Workers& workers, const std::stop_token& stop, Progress& progress) {
    const std::size_t rows = ply_.rows().size();
    progress.start(workers.count(), chunks_of(rows));
    ChunkCounter chunks(chunks_of(rows), stop);
    workers.run([&](int worker) {
      RowSums sums(ply_.columns().size());
      std::vector<EnPassantChance> chances;
      TwoPlySink sink(kernel_);
      Progress::Worker& shown = progress.worker(worker);
      while (const auto chunk = chunks.next()) {
        const Sum sum_before = sink.sum();
        const std::uint64_t visited_before = sink.positions() + sink.children();
        const std::size_t end = std::min(rows, (*chunk + 1) * kChunkRows);
        for (std::size_t row = *chunk * kChunkRows; row < end && !stop.stop_requested(); ++row) {
          ply_.make_row(row, sums, chances);
          give(row, sums, chances, sink);
        }
        sink.flush();
        shown.leaves.add(static_cast<double>(sink.sum() - sum_before));
        shown.visited.add(sink.positions() + sink.children() - visited_before);
        shown.units_done.add(1);
      }
      const MutexLock lock(mutex_);
      sum_ += NodeCount::from_words(static_cast<std::uint64_t>(sink.sum() >> 64),
                                    static_cast<std::uint64_t>(sink.sum()));
      positions_ += sink.positions();
    });
  }

  [[nodiscard]] NodeCount sum() {
    const MutexLock lock(mutex_);
    return sum_;
  }
  [[nodiscard]] std::uint64_t positions() {
    const MutexLock lock(mutex_);
    return positions_;
  }

 private:
  void give(std::size_t row, RowSums& sums, std::vector<EnPassantChance>& chances,
            TwoPlySink& sink) {
    const Configuration& moved = ply_.rows()[row];
    for (const EnPassantChance& chance : chances) {
      // Here the kernel may as well be told of the right.
      const Configuration& other = ply_.columns()[chance.column];
      const Board before =
          board_of(with_pawn_moved(moved, chance.push.to, chance.push.from), other, ply_.mover());
      sink.add(kernel_.make_unchecked(before, {square_at(chance.push.from),
                                               square_at(chance.push.to), MoveKind::kDoublePush}),
               chance.paths);
      sums.group(chance.column / kGroupColumns)[chance.column % kGroupColumns] -= chance.paths;
    }
    chances.clear();
    for (std::size_t i = 0; i < sums.touched(); ++i) {
      const std::uint32_t group = sums.touched(i);
      const std::uint64_t* const paths = sums.group(group);
      for (std::size_t lane = 0; lane < kGroupColumns; ++lane) {
        if (paths[lane] == 0) continue;
        sink.add(board_of(ply_.columns()[group * kGroupColumns + lane], moved, ~ply_.mover()),
                 paths[lane]);
      }
    }
    sums.clear();
  }

  const MatrixPly& ply_;
  const Kernel& kernel_;
  Mutex mutex_;
  NodeCount sum_ MANYPLY_GUARDED_BY(mutex_);
  std::uint64_t positions_ MANYPLY_GUARDED_BY(mutex_) = 0;
};

}  // namespace

Result<std::optional<MatrixCount>> count_by_configurations(
    const Position& root, int depth, const Kernel& kernel, const Workers& workers,
    std::uint64_t most_bytes, const std::stop_token& stop, Progress& progress) try {
  const RowKernel& rows = row_kernel_for(kernel);
  MatrixBudget budget(most_bytes);
  MatrixStage stage(root.board());
  for (int plies_left = depth; plies_left > kMinMatrixDepth && !stop.stop_requested();
       --plies_left) {
    const MatrixPly ply(std::move(stage), rows, workers, stop);
    if (!stop.stop_requested()) stage = next_stage(ply, workers, stop, budget);
  }
  if (stop.stop_requested()) return cancelled();
  const MatrixPly last(std::move(stage), rows, workers, stop);
  if (stop.stop_requested()) return cancelled();
  LastRows below(last, kernel);
  below.count(workers, stop, progress);
  if (stop.stop_requested()) return cancelled();
  return std::optional(MatrixCount{.nodes = below.sum(),
                                   .report = {.rows = last.rows().size(),
                                              .columns = last.columns().size(),
                                              .positions = below.positions(),
                                              .bytes = budget.most()}});
} catch (const MatrixDoesNotFit&) {
  return std::optional<MatrixCount>();
}

}  // namespace manyply
