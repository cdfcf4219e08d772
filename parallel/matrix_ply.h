// One ply of a count by configurations: from the matrix before a move to the rows after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/configurations/columns.h"
#include "core/configurations/configuration_set.h"
#include "core/configurations/row_kernel.h"
#include "parallel/matrix.h"
#include "parallel/workers.h"

namespace manyply {

/// An en passant capture that the next move may be. A right to capture en passant belongs to no
/// configuration, so positions are counted as if nobody had it, and those after such captures are
/// counted in addition: they are paths that reach the matrix one ply later.
struct EnPassantCapture {
  Configuration taker;   ///< of the side that captures, afterwards
  Configuration robbed;  ///< of the other side, without the pawn
  std::uint32_t paths;
};

/// The captures that `push` gave `taker` the right to; `pushed` is the pusher's configuration after
/// it, `pusher` its side.
void append_en_passant_captures(const Configuration& taker, const Configuration& pushed,
                                Color pusher, const LoneMove& push, std::uint32_t paths,
                                std::vector<EnPassantCapture>& captures);

/// All positions after so many plies, each with the paths that lead to it.
struct MatrixStage {
  Color mover;
  ConfigurationSet rows;     ///< the mover's
  ConfigurationSet columns;  ///< the other side's
  Matrix matrix;
  std::vector<EnPassantCapture> captures;

  /// Of one position, which has the en passant right that `root` has.
  explicit MatrixStage(const Board& root);
  explicit MatrixStage(Color to_move) : mover(to_move) {}
};

/// A ply that is being played. Made by all workers; then any thread makes any row.
class MatrixPly {
 public:
  /// After `stop` the ply is good for nothing.
  MatrixPly(MatrixStage before, const RowKernel& kernel, const Workers& workers,
            const std::stop_token& stop);

  [[nodiscard]] Color mover() const { return before_.mover; }
  /// The mover's configurations after the ply, by row, and the other side's, by column.
  [[nodiscard]] const ConfigurationSet& rows() const { return rows_; }
  [[nodiscard]] const ConfigurationSet& columns() const { return before_.columns; }

  /// Adds row `row` up in `sums`, which are all zero, lists what it touched, and appends what
  /// double pushes of it may be answered by. Only legal positions are left in both. Throws
  /// MatrixDoesNotFit when there are too many paths to one of them.
  void make_row(std::size_t row, RowSums& sums, std::vector<EnPassantChance>& chances) const;

  /// Of all but the matrix before it.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Incoming {
    std::uint32_t source;  ///< row before the ply
    std::uint16_t move;    ///< LoneMove::number()
  };
  struct ExtraPaths {
    std::uint32_t row;
    std::uint32_t column;
    std::uint32_t paths;
  };

  void list_moves(const Workers& workers, const std::stop_token& stop);
  /// By column, the pieces that the mover might capture.
  [[nodiscard]] std::vector<Bitboard> list_taken(const Workers& workers,
                                                 const std::stop_token& stop) const;
  void place_captures();

  MatrixStage before_;  // its columns grow by those with losses
  const RowKernel& kernel_;
  ConfigurationSet rows_;
  std::vector<LoneMove> moves_;              // by number
  std::vector<std::size_t> first_incoming_;  // by row, and their number
  std::vector<Incoming> incoming_;
  std::vector<ExtraPaths> extra_;  // by row
  Losses losses_;
  Columns planes_;
};

}  // namespace manyply
