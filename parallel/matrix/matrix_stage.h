// Turns the rows that a ply has made into the matrix from which the next ply starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "parallel/matrix/matrix_ply.h"

namespace manyply {

/// If the stage from which a ply starts has at least this number of bytes, the next stage is
/// transposed in slices.
inline constexpr double kSlicedStage = 1 << 24;

/// Functions that decide which rows, columns and captures of a ply are kept. An empty function
/// keeps everything.
struct StageCut {
  /// Returns whether a row of the ply becomes a column. Exception: next_stage() also leaves out a
  /// row if `columns` leaves out every column in which the row has paths.
  std::function<bool(std::size_t row)> row = {};
  /// Returns the columns of `group` that are kept in row `row`. Bit k is column k of the group.
  std::function<unsigned(std::size_t row, std::uint32_t group)> columns = {};
  /// Returns whether a row is needed in all columns. When the rows become columns, such rows come
  /// before the other rows. So few groups of the new columns mix such rows with other rows.
  std::function<bool(std::size_t row)> is_whole = {};
  /// Returns whether an en passant capture after the ply is kept.
  std::function<bool(const EnPassantCapture& capture)> capture = {};
  /// These configurations become the first columns, in this order. If one of them is not a row, its
  /// column is empty.
  std::span<const Configuration> first_columns = {};
  std::size_t slices = 0;  ///< number of slices for transposing; 0 = chosen by size
};

/// All rows of a ply that was played, including empty rows. Columns are divided into slices. Each
/// slice has its own memory, so that it can be freed as soon as it is transposed.
struct PlayedRows {
  struct Slice {
    std::size_t end_group = 0;      ///< one past the slice's last group
    std::vector<RowMemory> memory;  ///< indexed by worker
    std::vector<RowChunk> chunks;

    [[nodiscard]] RowView row(std::size_t row) const {
      return chunks[row / kChunkRows].row(row % kChunkRows);
    }
  };
  std::vector<Slice> slices;
  std::vector<std::vector<EnPassantCapture>> captures;  ///< indexed by chunk

  /// Returns the number of groups of columns in which row `row` has paths.
  [[nodiscard]] std::size_t size_of(std::size_t row) const;
  [[nodiscard]] std::uint64_t bytes() const;
};

/// Plays a ply. `cut` determines which columns and captures are kept. After a stop request the
/// result is meaningless. Throws MatrixDoesNotFit.
PlayedRows play_rows(const MatrixPly& ply, const Workers& workers, StopView stop,
                     MatrixBudget& budget, const StageCut& cut = {});

/// Transposes `played`, but without the rows and columns that `cut` leaves out. `played` is a ply
/// of side `mover`; its configurations are `rows` and `columns`. cut.capture must be set. Does not
/// free `played`. Exceptions and the effect of a stop request are as in next_stage().
MatrixStage turn_over(const ConfigurationSet& rows, const ConfigurationSet& columns, Color mover,
                      PlayedRows& played, const Workers& workers, StopView stop,
                      MatrixBudget& budget, const StageCut& cut);

/// Plays a ply and transposes it: its rows become columns, because the other side moves next.
/// Leaves out rows and columns without paths, except cut.first_columns. After a stop request the
/// result is meaningless. Throws MatrixDoesNotFit.
MatrixStage next_stage(const MatrixPly& ply, const Workers& workers, StopView stop,
                       MatrixBudget& budget, const StageCut& cut = {});
/// Does the same as next_stage(), but also calls ply.free_paths() and gives the freed bytes back to
/// `budget`. If the matrix has at least kSlicedStage bytes, frees the paths before transposing, to
/// need less memory.
MatrixStage next_stage_without_paths(MatrixPly& ply, const Workers& workers, StopView stop,
                                     MatrixBudget& budget, const StageCut& cut);

}  // namespace manyply
