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

/// An en passant capture that the next move may be. A right to capture en passant belongs to no
/// configuration, so positions are counted as if nobody had it, and those after such captures are
/// counted in addition: they are paths that reach the matrix one ply later.
struct EnPassantCapture {
  Configuration taker;   ///< of the side that captures, afterwards
  Configuration robbed;  ///< of the other side, without the pawn
  std::uint32_t paths;
  std::uint32_t edge;    ///< of the ply before, the push: MatrixPly::edge(); none of the root's own
  std::uint32_t column;  ///< whence it was pushed
};

/// The captures that `chance` gave `taker` the right to; `pushed` is the pusher's configuration
/// after it, `pusher` its side.
void append_en_passant_captures(const Configuration& taker, const Configuration& pushed,
                                Color pusher, const EnPassantChance& chance,
                                std::vector<EnPassantCapture>& captures);

/// All positions after so many plies, each with the paths that lead to it.
struct MatrixStage {
  Color mover;
  ConfigurationSet rows{huge_pages()};     ///< the mover's
  ConfigurationSet columns{huge_pages()};  ///< the other side's
  Matrix matrix;
  std::vector<std::vector<EnPassantCapture>> captures;  ///< by chunk of the rows whence they come
  // What they were in the ply that led here, by number: a row was a column, a column was a row.
  std::vector<std::uint32_t> row_was;
  std::vector<std::uint32_t> column_was;

  /// Of one position, which has the en passant right that `root` has.
  explicit MatrixStage(const Board& root);
  explicit MatrixStage(Color to_move) : mover(to_move) {}

  /// Of paths and captures: what its ply no longer needs.
  [[nodiscard]] std::uint64_t bytes() const { return matrix.bytes() + bytes_of(captures); }
  [[nodiscard]] static std::uint64_t bytes_of(
      const std::vector<std::vector<EnPassantCapture>>& captures);
};

/// A ply that is being played. Made by all workers; then any thread makes any row.
class MatrixPly {
 public:
  /// Whether a row is made at all.
  using Wanted = std::function<bool(const Configuration& after)>;
  /// Makes the rows that are `wanted`; all if that is empty. Captures en passant in `before` are
  /// wanted all. After `stop` the ply is good for nothing.
  MatrixPly(MatrixStage before, const RowKernel& kernel, const Workers& workers, StopView stop,
            const Wanted& wanted = {});

  [[nodiscard]] Color mover() const { return before_.mover; }
  /// The mover's configurations after the ply, by row, and the other side's, by column.
  [[nodiscard]] const ConfigurationSet& rows() const { return rows_; }
  [[nodiscard]] const ConfigurationSet& columns() const { return before_.columns; }

  /// Adds row `row` up in `sums`, which are all zero, lists what it touched, and appends what
  /// double pushes of it may be answered by. Only legal positions are left in both. Throws
  /// MatrixDoesNotFit when there are too many paths to one of them.
  void make_row(std::size_t row, RowSums& sums, std::vector<EnPassantChance>& chances) const;

  /// Adds pairs of row `row` to `waiting`: as RowKernel::add_pairs().
  std::size_t add_pairs(std::size_t row, const RowSums& sums, std::size_t first,
                        WaitingPairs& waiting) const;

  /// Of all but the matrix before it.
  [[nodiscard]] std::uint64_t bytes() const;

  /// A way in which a row is reached.
  struct Edge {
    std::uint32_t source;  ///< row before the ply
    std::uint16_t move;    ///< LoneMove::number()
  };
  /// Paths that reach a pair by capturing en passant.
  struct ExtraPaths {
    std::uint32_t row;
    std::uint32_t column;
    std::uint32_t paths;
    std::uint32_t edge;  ///< the push: as EnPassantCapture has it
    std::uint32_t pushed_column;
  };

  /// The stage it was made of, but for captures en passant: with more columns, which are empty.
  [[nodiscard]] MatrixStage take_before() && { return std::move(before_); }
  [[nodiscard]] ConfigurationSet take_rows() { return std::move(rows_); }

  // For the way back, from values of pairs after the ply to those before it.
  [[nodiscard]] const MatrixStage& before() const { return before_; }
  [[nodiscard]] const Edge& edge(std::size_t number) const { return edges_[number]; }
  [[nodiscard]] std::uint32_t row_of_edge(std::size_t number) const;
  [[nodiscard]] std::span<const ExtraPaths> extra_of(std::size_t row) const;
  /// Adds to `values`, laid out as the paths of the edge's source, what lies below them by way of
  /// `edge`; `below` as RowKernel::carry_back has it.
  void carry_back(const Edge& edge, const std::uint64_t* below, std::uint64_t* values) const;
  /// Numbers of the edges that lead to `row`: from the first one to before the second.
  [[nodiscard]] std::pair<std::size_t, std::size_t> edges_of(std::size_t row) const {
    return {first_edge_[row], first_edge_[row + 1]};
  }

 private:
  /// As RowKernel::pull() wants it.
  [[nodiscard]] Bitboard own_before(const Edge& edge) const;
  struct ListedEdges;
  void list_moves(const Wanted& wanted, const Workers& workers, StopView stop);
  void sort_by_row(const ListedEdges& all, const Workers& workers, StopView stop);
  /// By column, the pieces that the mover might capture.
  [[nodiscard]] std::vector<Bitboard> list_taken(const Workers& workers, StopView stop) const;
  void place_captures(const Workers& workers, StopView stop);
  void fill_planes(const Workers& workers, StopView stop);

  MatrixStage before_;  // its columns grow by those with losses
  const RowKernel& kernel_;
  ConfigurationSet rows_{huge_pages()};
  std::vector<LoneMove> moves_;          // by number
  std::vector<std::size_t> first_edge_;  // by row, and their number
  LargeArray<Edge> edges_;
  std::vector<ExtraPaths> extra_;  // by row
  Losses losses_;
  Columns planes_;
};

}  // namespace manyply
