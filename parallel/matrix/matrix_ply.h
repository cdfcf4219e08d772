// One ply of a count by configurations: from the matrix before a move to the rows after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/stop_view.h"
#include "core/configurations/columns.h"
#include "core/configurations/configuration_set.h"
#include "core/configurations/large_array.h"
#include "core/configurations/row_kernel.h"
#include "parallel/matrix/huge_pages.h"
#include "parallel/matrix/matrix.h"
#include "parallel/workers.h"

namespace manyply {

/// An en passant capture that is possible in the next move. Configurations do not include a right
/// to capture en passant, so the matrix counts positions as if they had no such right. Positions
/// after en passant captures are counted in addition, as paths that join the matrix one ply later.
struct EnPassantCapture {
  Configuration taker;   ///< the capturing side's, after the capture
  Configuration robbed;  ///< configuration of the other side, without the pawn
  std::uint32_t paths;
  std::uint32_t edge;    ///< the push, in the ply before (MatrixPly::edge()); none at the root
  std::uint32_t column;  ///< of the pair before the push
};

/// Appends the captures for which `chance` gave `taker` the right. `pushed` is the configuration of
/// `pusher` after the push.
void append_en_passant_captures(const Configuration& taker, const Configuration& pushed,
                                Color pusher, const EnPassantChance& chance,
                                std::vector<EnPassantCapture>& captures);

/// All positions after some number of plies, and the number of paths to each.
struct MatrixStage {
  Color mover;
  ConfigurationSet rows{huge_pages()};     ///< the mover's
  ConfigurationSet columns{huge_pages()};  ///< the other side's
  Matrix matrix;
  std::vector<std::vector<EnPassantCapture>> captures;  ///< by chunk of the rows they come from
  // Their numbers in the ply that led here: a row was a column, and a column was a row.
  std::vector<std::uint32_t> row_was;
  std::vector<std::uint32_t> column_was;

  /// Creates the stage of one position, with the en passant right of `root`.
  explicit MatrixStage(const Board& root);
  explicit MatrixStage(Color to_move) : mover(to_move) {}

  /// Bytes of paths and captures, which are not needed after the next ply.
  [[nodiscard]] std::uint64_t bytes() const { return matrix.bytes() + bytes_of(captures); }
  [[nodiscard]] static std::uint64_t bytes_of(
      const std::vector<std::vector<EnPassantCapture>>& captures);
};

/// A ply in progress. The constructor uses all workers; then any thread may make any row.
class MatrixPly {
 public:
  /// Returns whether a row is made at all.
  using Wanted = std::function<bool(const Configuration& after)>;
  /// Makes the rows for which `wanted` returns true; all if it is empty. Always makes the rows of
  /// the en passant captures in `before`. Unusable after `stop`.
  MatrixPly(MatrixStage before, const RowKernel& kernel, const Workers& workers, StopView stop,
            const Wanted& wanted = {});

  [[nodiscard]] Color mover() const { return before_.mover; }
  /// Return the mover's configurations after the ply, by row, and the other side's, by column.
  [[nodiscard]] const ConfigurationSet& rows() const { return rows_; }
  [[nodiscard]] const ConfigurationSet& columns() const { return before_.columns; }

  /// Adds up row `row` in `sums`, which must be zero, lists the touched groups, and appends the en
  /// passant chances of the row's double pushes. Removes illegal positions from both. Throws
  /// MatrixDoesNotFit if too many paths lead to one position.
  void make_row(std::size_t row, RowSums& sums, std::vector<EnPassantChance>& chances) const;

  /// Adds pairs of row `row` to `waiting`, as RowKernel::add_pairs() does.
  std::size_t add_pairs(std::size_t row, const RowSums& sums, std::size_t first,
                        WaitingPairs& waiting) const;

  /// Bytes of everything except the matrix before the ply.
  [[nodiscard]] std::uint64_t bytes() const;

  /// A move that leads to a row.
  struct Edge {
    std::uint32_t source;  ///< row before the ply
    std::uint16_t move;    ///< LoneMove::number()
  };
  /// Paths that reach a pair by an en passant capture.
  struct ExtraPaths {
    std::uint32_t row;
    std::uint32_t column;
    std::uint32_t paths;
    std::uint32_t edge;  ///< the push, as in EnPassantCapture
    std::uint32_t pushed_column;
  };

  /// Returns the stage before the ply, without its en passant captures. It has additional, empty
  /// columns.
  [[nodiscard]] MatrixStage take_before() && { return std::move(before_); }
  [[nodiscard]] ConfigurationSet take_rows() { return std::move(rows_); }

  // For carrying values of pairs after the ply back to the pairs before it.
  [[nodiscard]] const MatrixStage& before() const { return before_; }
  [[nodiscard]] const Edge& edge(std::size_t number) const { return edges_[number]; }
  [[nodiscard]] const LoneMove& move_of(const Edge& edge) const { return moves_[edge.move]; }
  [[nodiscard]] const Losses& losses() const { return losses_; }
  [[nodiscard]] std::uint32_t row_of_edge(std::size_t number) const;
  [[nodiscard]] std::span<const ExtraPaths> extra_of(std::size_t row) const;
  /// Adds to `values` the values to which `edge` leads. `values` has the layout of the paths of the
  /// edge's source. `below` is as in RowKernel::carry_back().
  void carry_back(const Edge& edge, const std::uint64_t* below, std::uint64_t* values) const;
  void carry_back(const Edge& edge, const std::uint32_t* below, std::uint32_t* values) const;
  /// Returns the numbers of the edges that lead to `row`: the first, and one past the last.
  [[nodiscard]] std::pair<std::size_t, std::size_t> edges_of(std::size_t row) const {
    return {first_edge_[row], first_edge_[row + 1]};
  }

 private:
  /// Returns the argument `own` of RowKernel::pull(): the mover's pieces, or 0 if the edge does not
  /// need them.
  [[nodiscard]] Bitboard own_before(const Edge& edge) const;
  struct ListedEdges;
  void list_moves(const Wanted& wanted, const Workers& workers, StopView stop);
  void sort_by_row(const ListedEdges& all, const Workers& workers, StopView stop);
  /// Returns, by column, the squares of pieces that the mover might capture.
  [[nodiscard]] std::vector<Bitboard> list_taken(const Workers& workers, StopView stop) const;
  void place_captures(const Workers& workers, StopView stop);
  void fill_planes(const Workers& workers, StopView stop);

  MatrixStage before_;  // the constructor adds columns with losses
  const RowKernel& kernel_;
  ConfigurationSet rows_{huge_pages()};
  std::vector<LoneMove> moves_;          // by number; the last entry of first_edge_ is their number
  std::vector<std::size_t> first_edge_;  // by row, then their number
  LargeArray<Edge> edges_;
  std::vector<ExtraPaths> extra_;  // sorted by row
  Losses losses_;
  Columns planes_;
};

}  // namespace manyply
