// From the rows after a ply to the matrix before the next one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/check.h"
#include "parallel/matrix/matrix_ply.h"

namespace manyply {

/// The bytes of a stage from which on its ply is turned over in slices.
inline constexpr double kSlicedStage = 1 << 24;

/// Bytes that matrices may take. Any thread.
class MatrixBudget {
 public:
  explicit MatrixBudget(std::uint64_t limit) : limit_(limit) {}

  /// Throws MatrixTakesTooMuch if the budget has fewer bytes left.
  void take(std::uint64_t bytes);
  /// Precondition: they were taken.
  void give_back(std::uint64_t bytes) {
    [[maybe_unused]] const std::uint64_t before = used_.fetch_sub(bytes, std::memory_order_relaxed);
    MANYPLY_DCHECK(before >= bytes);
  }
  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  [[nodiscard]] std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  /// Gives back what was taken since used() was `used`. Not while workers take anything.
  void give_back_to(std::uint64_t used) { used_.store(used, std::memory_order_relaxed); }
  /// The most that was taken at any time.
  [[nodiscard]] std::uint64_t most() const { return most_.load(std::memory_order_relaxed); }

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};  // by all workers; publishes nothing
  std::atomic<std::uint64_t> most_{0};
};

/// What of a ply is wanted. Empty members want everything.
struct StageCut {
  /// Whether a row that has been played becomes a column.
  std::function<bool(std::size_t row)> row = {};
  /// The columns of `group` that are kept in row `row`: bit k is column k of the group.
  std::function<unsigned(std::size_t row, std::uint32_t group)> columns = {};
  std::function<bool(const EnPassantCapture& capture)> capture = {};
  /// Rows that become the first columns, in this order; one that is not there, an empty column.
  std::span<const Configuration> first_columns = {};
  std::size_t slices = 0;  ///< in how many the ply is turned over; 0 = as many as its size asks for
};

/// What a ply leaves: all of its rows, empty ones among them. Columns are cut into slices, each
/// with memory of its own, so that what has been turned over can be freed.
struct PlayedRows {
  struct Slice {
    std::size_t end_group = 0;      ///< behind its last one
    std::vector<RowMemory> memory;  ///< by worker
    std::vector<RowChunk> chunks;

    [[nodiscard]] RowView row(std::size_t row) const {
      return chunks[row / kChunkRows].row(row % kChunkRows);
    }
  };
  std::vector<Slice> slices;
  std::vector<std::vector<EnPassantCapture>> captures;  ///< by chunk

  /// Groups of columns in which row `row` has paths.
  [[nodiscard]] std::size_t size_of(std::size_t row) const;
  [[nodiscard]] std::uint64_t bytes() const;
};

/// Plays a ply; `cut` says which columns and captures are kept. After `stop` the answer is good for
/// nothing. Throws MatrixDoesNotFit.
PlayedRows play_rows(const MatrixPly& ply, const Workers& workers, StopView stop,
                     MatrixBudget& budget, const StageCut& cut = {});

/// Turns over what `cut`, whose `capture` is there, wants of `played`, which `mover` has played and
/// which stays. The rest as next_stage().
MatrixStage turn_over(const ConfigurationSet& rows, const ConfigurationSet& columns, Color mover,
                      PlayedRows& played, const Workers& workers, StopView stop,
                      MatrixBudget& budget, const StageCut& cut);

/// Plays a ply and turns it over: its rows become columns, since now the other side moves. Rows and
/// columns that no path reaches are left out. After `stop` the answer is good for nothing. Throws
/// MatrixDoesNotFit.
MatrixStage next_stage(const MatrixPly& ply, const Workers& workers, StopView stop,
                       MatrixBudget& budget, const StageCut& cut = {});

}  // namespace manyply
