// Plays the plies before the last ply, for each part of a count in parts. The *base* is the stage,
// ply or rows from which all parts start. It is made only once. From the base to the last ply, each
// part makes only the rows and columns that lead to its own rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/board.h"
#include "parallel/matrix/matrix_ply.h"
#include "parallel/matrix/matrix_stage.h"
#include "parallel/matrix/part_table.h"

namespace manyply {

/// Let X be the side that moves in the last ply of the matrix, and Y the other side. The last plies
/// are X4, Y3, X2, Y1 and X0. The letter is the side that moves, and the number says how many plies
/// of the matrix follow. A part is a set of X's configurations after X0. Its *cone* consists of the
/// plies between the base and the stage before X0. The number of these plies determines the base:
///
///   plies   base                    each part plays
///   0       the stage before X0     nothing
///   1       the rows after X2       Y1
///   2       the ply X2 (its moves)  X2 (only makes its rows), Y1
///   3       the rows after X4       Y3, X2, Y1
///
/// Each part keeps only what it needs:
///   - After Y's ply, it keeps all columns (X's configurations) that lead to the part.
///   - After X's ply, it keeps each row (X's configuration) that leads to the part, in all columns.
///     Some other rows lead to the part only if Y captures one of their pieces. The part keeps such
///     a row only in the columns in which Y may make this capture.
///   - It keeps an en passant capture by Y if X's configuration without the captured pawn leads to
///     the part. It keeps an en passant capture by X if X's configuration after the capture is in
///     the part or is kept. Captures are stored with the ply of the push.
class MatrixCone {
 public:
  static constexpr int kMostPlies = 3;
  /// Returns the number of plies that lead from the constructor's `base` to the stage before X0,
  /// for a cone of `plies` plies.
  static constexpr int plies_above(int plies) { return (plies + 1) / 2 * 2; }

  /// `base` must be the stage before X0 if `plies` is 0, before X2 if it is 1 or 2, and before X4
  /// if it is 3. From this stage, the constructor makes the base in the table above. Throws
  /// MatrixDoesNotFit. After a stop request the object is unusable.
  MatrixCone(MatrixStage base, int plies, const RowKernel& kernel, const Workers& workers,
             StopView stop, MatrixBudget& budget);

  [[nodiscard]] Color mover() const { return mover_; }
  [[nodiscard]] int plies() const { return plies_; }
  /// base_bytes() returns the size of the base's matrix or rows in bytes. growth() returns the
  /// factor by which matrices are expected to grow in each later ply.
  [[nodiscard]] double base_bytes() const { return base_bytes_; }
  [[nodiscard]] double growth() const { return growth_; }
  /// Returns Y's configurations in the base.
  [[nodiscard]] const ConfigurationSet& columns() const {
    return is_played() ? played_columns_ : base_ply_ ? base_ply_->columns() : stage_->columns;
  }

  /// Returns the number of Y's plies in a cone. This is also the number of levels (part_table.h).
  [[nodiscard]] std::size_t levels() const { return static_cast<std::size_t>(plies_ + 1) / 2; }
  /// Returns the approximate number of rows from which moves of the last ply start (sources).
  [[nodiscard]] std::size_t sources_count() const {
    return levels() == 0 ? stage_->rows.size() : set_of(0).size();
  }
  /// Returns a sample of the sources of the last ply.
  [[nodiscard]] std::vector<CellSource> sources(const Cells& cells) const;
  /// Returns the ordinary configurations (last_rows.h) of Y that may occur after Y1 and that lanes
  /// can count. Unless plies() is 0, sorts them by the estimated number of rows that have paths in
  /// the column, the largest number first.
  [[nodiscard]] std::vector<Configuration> ordinary_columns(const Board& root) const;
  /// Returns a configuration of X that combines all ordinary configurations of X after the last
  /// ply. If one of them has a slider or a king on a square, the result has the same piece there.
  /// The result has no pawns or knights.
  [[nodiscard]] Configuration ordinary_squares(const Board& root) const;

  /// Prepares stage_for() for the parts of `parts`: finds which configurations lead to which part.
  /// Each result of stage_for() starts with the columns `first_columns`, even if they have no
  /// paths. If plies() is 0, `first_columns` is ignored, because the columns are those of the base.
  /// The caller must keep both arguments until the next cut() or the last stage_for().
  void cut(const PartTable& parts, std::span<const Configuration> first_columns);

  /// Returns the stage before the last ply, with all rows and columns that lead to part `part`. The
  /// budget includes the matrix of this stage. The caller must put the ply that it makes from this
  /// stage into a Borrowed.
  MatrixStage stage_for(std::size_t part);

  /// Holds a ply. If the ply was made from the base, the destructor returns the base to the cone.
  class Borrowed {
   public:
    /// `ply` must be a last ply that was made from the result of stage_for().
    Borrowed(MatrixCone& cone, MatrixPly ply) : cone_(cone), ply_(std::move(ply)) {}
    ~Borrowed() {
      if (cone_.plies_ == 0) cone_.stage_ = std::move(ply_).take_before();
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    [[nodiscard]] const MatrixPly& ply() const { return ply_; }

   private:
    MatrixCone& cone_;
    MatrixPly ply_;
  };

 private:
  /// X's configurations after one of X's plies. The vectors are indexed by number in set_of().
  struct Level {
    ConfigurationSet set{huge_pages()};  // empty if base_ply_ has the configurations
    std::vector<Bitboard> taken;         // squares of pieces that Y may capture
    std::vector<double> weight;          // approximate number of groups of columns with paths
  };
  [[nodiscard]] bool is_played() const { return plies_ % 2 == 1; }
  [[nodiscard]] const ConfigurationSet& set_of(std::size_t level) const {
    return base_ply_ && level + 1 == levels() ? base_ply_->rows() : levels_[level].set;
  }
  void weigh_columns();
  void play_base();
  std::uint64_t look_at_rows(const MatrixPly& ply, Level& level) const;
  void add_level_below();
  [[nodiscard]] std::vector<Bitboard> sight_of_columns(const ConfigurationSet& columns) const;
  [[nodiscard]] bool takes(const Configuration& taker, std::size_t below, std::size_t part) const;
  [[nodiscard]] StageCut cut_rows(const ConfigurationSet& rows, const ConfigurationSet& columns,
                                  std::size_t level, std::size_t part) const;
  MatrixStage play_own(MatrixStage stage, std::size_t level, std::size_t part);
  MatrixStage play_others(MatrixStage stage, std::size_t level, std::size_t part);
  MatrixStage play(MatrixPly& ply, const StageCut& cut);

  const int plies_;
  const RowKernel& kernel_;
  const Workers& workers_;
  const StopView stop_;
  MatrixBudget& budget_;
  const Color mover_;  // X

  // The base is stage_ if plies_ is 0, otherwise base_ply_ or played_.
  std::optional<MatrixStage> stage_;
  std::vector<EnPassantCapture> captures_;   // captures of stage_, for plies_ = 0
  std::optional<MatrixPly> base_ply_;        // X's ply that starts from the base
  PlayedRows played_;                        // the rows after X's ply, if they are the base
  ConfigurationSet played_columns_;          // the columns of played_
  std::vector<std::uint32_t> column_width_;  // number of rows with paths, by column of the base
  double base_bytes_ = 0;
  double growth_ = 1;

  std::vector<Level> levels_;  // the first level has the sources of the last ply
  const PartTable* parts_ = nullptr;
  std::vector<std::unique_ptr<PartLeads>> leads_;  // indexed by level
  std::span<const Configuration> first_columns_;
};

}  // namespace manyply
