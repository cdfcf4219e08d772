// The plies above the last one, if a count by configurations is made in parts. The *base* is a ply
// that is made once. From the base to the last ply, each part plays only what leads to its own
// rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/board.h"
#include "parallel/matrix/matrix_parts.h"
#include "parallel/matrix/matrix_ply.h"
#include "parallel/matrix/matrix_stage.h"

namespace manyply {

/// Let X be the side that moves in the last ply of the matrix, and Y the other side. A part is a
/// set of X's configurations after the last ply. Its *cone* consists of the plies between the base
/// and the stage before the last ply. The number of these plies decides what the base is:
///
///   plies   base                                 each part plays
///   0       the stage before the last ply        nothing
///   1       the rows after X's ply before that   Y's ply
///   2       the stage before that                X's ply, Y's ply
///   3       the rows after X's ply before that   Y's, X's, Y's
///
/// Each part keeps only what it needs. After Y's ply it keeps all columns that lead to the part.
/// After X's ply it keeps a whole row if the row leads to the part. Otherwise it keeps the row only
/// in the columns where Y may capture a piece such that the row then leads to the part. An en
/// passant capture is stored with the ply of the push. It is kept if the configuration without the
/// captured pawn leads to the part.
class MatrixCone {
 public:
  static constexpr int kMostPlies = 3;
  /// Returns the number of plies between the stage with which the base begins and the stage before
  /// the last ply.
  static constexpr int plies_above(int plies) { return (plies + 1) / 2 * 2; }

  /// `base` is the stage plies_above(plies) plies before the stage before the last ply. Throws
  /// MatrixDoesNotFit. Unusable after `stop`.
  MatrixCone(MatrixStage base, int plies, const RowKernel& kernel, const Workers& workers,
             StopView stop, MatrixBudget& budget);

  [[nodiscard]] Color mover() const { return mover_; }
  [[nodiscard]] int plies() const { return plies_; }
  /// Return the bytes of the last matrix above the cones, and the factor by which each further
  /// matrix is larger.
  [[nodiscard]] double base_bytes() const { return base_bytes_; }
  [[nodiscard]] double growth() const { return growth_; }
  /// Returns Y's configurations above the cones.
  [[nodiscard]] const ConfigurationSet& columns() const {
    return is_played() ? played_columns_ : stage_->columns;
  }

  /// Returns the number of X's plies in a cone.
  [[nodiscard]] std::size_t levels() const { return static_cast<std::size_t>(plies_ + 1) / 2; }
  /// Returns the approximate number of sources of the last ply.
  [[nodiscard]] std::size_t sources_count() const {
    return levels() == 0 ? stage_->rows.size() : levels_.front().set.size();
  }
  /// Returns a sample of the sources of the last ply.
  [[nodiscard]] std::vector<CellSource> sources(const Cells& cells) const;
  /// Returns Y's ordinary configurations after its last ply. Those to which more rows lead come
  /// first.
  [[nodiscard]] std::vector<Configuration> ordinary_columns(const Board& root) const;
  /// Returns a configuration with pieces on every square where an ordinary configuration of X has
  /// some after the last ply.
  [[nodiscard]] Configuration ordinary_squares(const Board& root) const;

  /// Finds which configurations lead to which of `parts`. `first_columns` become the first columns
  /// of each stage, whether or not they have paths. In cones without plies, the columns are those
  /// of the base. Both arguments must outlive this object.
  void cut(const PartTable& parts, std::span<const Configuration> first_columns);

  /// Returns the stage before the last ply with all that leads to part `part`. The budget already
  /// includes its matrix, unless the stage is the base. Put the ply that is made from this stage
  /// into a Borrowed.
  MatrixStage stage_for(std::size_t part);

  /// Holds a ply that may be made from the base. If it is, the destructor returns the base to the
  /// cone.
  class Borrowed {
   public:
    /// `ply` is a last ply, made from the result of stage_for().
    Borrowed(MatrixCone& cone, MatrixPly ply) : Borrowed(cone, std::move(ply), cone.plies_ == 0) {}
    ~Borrowed() {
      if (of_base_) cone_.stage_ = std::move(ply_).take_before();
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    [[nodiscard]] const MatrixPly& ply() const { return ply_; }
    [[nodiscard]] bool is_of_base() const { return of_base_; }

   private:
    friend class MatrixCone;
    Borrowed(MatrixCone& cone, MatrixPly ply, bool of_base)
        : cone_(cone), ply_(std::move(ply)), of_base_(of_base) {}
    MatrixCone& cone_;
    MatrixPly ply_;
    bool of_base_;
  };

 private:
  /// X's configurations after one of its plies, by number.
  struct Level {
    ConfigurationSet set{huge_pages()};
    std::vector<Bitboard> taken;  // squares of pieces that Y may capture
    std::vector<double> weight;   // approximate number of groups of columns with paths
  };
  [[nodiscard]] bool is_played() const { return plies_ % 2 == 1; }
  void weigh_columns();
  void play_base();
  void look_at_rows(const MatrixPly& ply, Level& level) const;
  void look_at_played(Level& level) const;
  void add_level_below(const Level& level);
  [[nodiscard]] std::vector<Bitboard> sight_of_columns(const ConfigurationSet& columns,
                                                       std::size_t count) const;
  [[nodiscard]] bool takes(const Configuration& taker, std::size_t below, std::size_t part) const;
  [[nodiscard]] StageCut cut_rows(const ConfigurationSet& rows, std::size_t level, std::size_t part,
                                  std::vector<Bitboard> sight) const;
  MatrixStage play_own(MatrixStage stage, std::size_t level, std::size_t part);
  MatrixStage play_others(MatrixStage stage, std::size_t level, std::size_t part);

  const int plies_;
  const RowKernel& kernel_;
  const Workers& workers_;
  const StopView stop_;
  MatrixBudget& budget_;
  const Color mover_;  // X

  std::optional<MatrixStage> stage_;         // the base, unless its ply is stored in played_
  std::vector<EnPassantCapture> captures_;   // of the base's stage
  PlayedRows played_;                        // the rows after the base's ply, if these are the base
  ConfigurationSet played_columns_;          // the columns of played_
  std::vector<std::uint32_t> column_width_;  // rows with paths, by column of the base's stage
  double base_bytes_ = 0;
  double growth_ = 1;

  std::vector<Level> levels_;  // the level with the sources of the last ply comes first
  const PartTable* parts_ = nullptr;
  std::vector<std::unique_ptr<PartLeads>> leads_;  // by level
  std::span<const Configuration> first_columns_;
};

}  // namespace manyply
