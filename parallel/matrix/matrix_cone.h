// What the parts of a count by configurations have above them: a base that is made once, and the
// plies from there to the last one, of which each part plays again what leads to its rows.
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

/// Say X moves in the last ply of the matrix and in every second one before it, Y in the others.
/// A part is a set of X's configurations after the last ply. A *cone* of so many plies lies above
/// it:
///
///   plies   base                                 each part plays
///   0       the stage before the last ply        nothing
///   1       the rows after X's ply before that   Y's ply
///   2       the stage before that                X's ply, Y's ply
///   3       the rows after X's ply before that   Y's, X's, Y's
///
/// After Y's ply all columns are kept that lead to the part. After X's ply a row is kept whole if
/// it leads to the part, and otherwise only where Y may capture a piece so that it does. Captures
/// en passant hang on the ply of the push: they are kept if what they leave leads to the part.
class MatrixCone {
 public:
  static constexpr int kMostPlies = 3;
  /// Plies between the base's stage and the stage before the last ply.
  static constexpr int plies_above(int plies) { return (plies + 1) / 2 * 2; }

  /// `base` is plies_above(plies) plies before the stage before the last ply. Throws
  /// MatrixDoesNotFit. After `stop` it is good for nothing.
  MatrixCone(MatrixStage base, int plies, const RowKernel& kernel, const Workers& workers,
             StopView stop, MatrixBudget& budget);

  [[nodiscard]] Color mover() const { return mover_; }
  [[nodiscard]] int plies() const { return plies_; }
  /// Bytes of the last matrix above the cones, and how much larger each of the next ones is.
  [[nodiscard]] double base_bytes() const { return base_bytes_; }
  [[nodiscard]] double growth() const { return growth_; }
  /// Y's configurations above the cones.
  [[nodiscard]] const ConfigurationSet& columns() const {
    return is_played() ? played_columns_ : stage_->columns;
  }

  /// X's plies in a cone.
  [[nodiscard]] std::size_t levels() const { return static_cast<std::size_t>(plies_ + 1) / 2; }
  /// Of the last ply, about.
  [[nodiscard]] std::size_t sources_count() const {
    return levels() == 0 ? stage_->rows.size() : levels_.front().set.size();
  }
  /// A sample of the last ply's sources.
  [[nodiscard]] std::vector<CellSource> sources(const Cells& cells) const;
  /// Y's ordinary configurations after its last ply, those that more rows lead to first.
  [[nodiscard]] std::vector<Configuration> ordinary_columns(const Board& root) const;
  /// Has pieces wherever X's have some in an ordinary configuration after the last ply.
  [[nodiscard]] Configuration ordinary_squares(const Board& root) const;

  /// Finds what leads to which of `parts`. `first_columns` become the first ones of each stage,
  /// whether or not they have paths; in cones of no plies columns are as they are in the base. Both
  /// outlive it.
  void cut(const PartTable& parts, std::span<const Configuration> first_columns);

  /// The stage before the last ply with all that leads to part `part`; the budget has taken its
  /// matrix, unless it is the base. What is made of it belongs in a Borrowed.
  MatrixStage stage_for(std::size_t part);

  /// A ply that is made of the base returns it in the end.
  class Borrowed {
   public:
    /// A last ply, made of stage_for().
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
  /// X's configurations after a ply of its own, by number.
  struct Level {
    ConfigurationSet set{huge_pages()};
    std::vector<Bitboard> taken;  // squares of pieces that Y may capture
    std::vector<double> weight;   // groups of columns with paths, about
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

  std::optional<MatrixStage> stage_;         // the base, unless it is played
  std::vector<EnPassantCapture> captures_;   // of this stage
  PlayedRows played_;                        // the base, if it is played
  ConfigurationSet played_columns_;          // of these
  std::vector<std::uint32_t> column_width_;  // rows with paths, by column of the base's stage
  double base_bytes_ = 0;
  double growth_ = 1;

  std::vector<Level> levels_;  // sources of the last ply first
  const PartTable* parts_ = nullptr;
  std::vector<std::unique_ptr<PartLeads>> leads_;  // by level
  std::span<const Configuration> first_columns_;
};

}  // namespace manyply
