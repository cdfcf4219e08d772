// Plays one ply of a count by configurations: makes the rows after the ply from a stage's matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "core/base/stop_view.h"
#include "core/configurations/columns.h"
#include "core/configurations/configuration_set.h"
#include "core/configurations/large_array.h"
#include "core/configurations/row_kernel.h"
#include "parallel/matrix/matrix.h"
#include "parallel/workers.h"

namespace manyply {

/// An en passant capture that is possible in the next move. Configurations have no en passant
/// rights, so moves of the matrix do not include these captures. The paths through a capture are
/// added to the matrix that results from the ply of the capture.
struct EnPassantCapture {
  Configuration taker;   ///< configuration of the capturing side, after the capture
  Configuration robbed;  ///< configuration of the other side, without the captured pawn
  std::uint32_t paths;
  std::uint32_t edge;  ///< the push's edge in the previous ply (MatrixPly::edge()); unused at root
  std::uint32_t column;  ///< column of the pair from which the push starts
};

/// Appends the captures by `taker` that `chance` makes possible. `pushed` is the configuration of
/// side `pusher` after the push.
void append_en_passant_captures(const Configuration& taker, const Configuration& pushed,
                                Color pusher, const EnPassantChance& chance,
                                std::vector<EnPassantCapture>& captures);

/// All positions after a number of plies, and the number of paths to each.
struct MatrixStage {
  Color mover;
  ConfigurationSet rows{huge_pages()};     ///< configurations of the mover
  ConfigurationSet columns{huge_pages()};  ///< configurations of the other side
  Matrix matrix;
  std::vector<std::vector<EnPassantCapture>> captures;  ///< in any number of lists
  // The ply that led to this stage was transposed. Row i of the stage was column row_was[i] of the
  // ply. Column i of the stage was row column_was[i] of the ply.
  std::vector<std::uint32_t> row_was;
  std::vector<std::uint32_t> column_was;

  /// Creates the stage of one position. It includes the en passant right of `root`.
  explicit MatrixStage(const Board& root);
  explicit MatrixStage(Color to_move) : mover(to_move) {}

  /// Returns the bytes of the paths and captures, which are not needed after the next ply.
  [[nodiscard]] std::uint64_t bytes() const { return matrix.bytes() + bytes_of(captures); }
  [[nodiscard]] static std::uint64_t bytes_of(
      const std::vector<std::vector<EnPassantCapture>>& captures);
};

/// Functions that return whether the caller needs a row or a column after a ply. An empty function
/// means that the caller needs all rows or all columns.
struct PlyNeeds {
  using IsNeeded = std::function<bool(const Configuration& after)>;
  IsNeeded row = {};
  IsNeeded column = {};
};

/// A ply in progress. The constructor uses all workers. After that, any thread may make any row.
class MatrixPly {
 public:
  /// The sets of configurations that the ply keeps. With kLast, the ply needs about half as much
  /// memory for each column, but the caller must not call columns(), take_before() or
  /// rows().find().
  enum class Sets { kAll, kLast };
  /// Prepares the rows that are needed, and the rows after the en passant captures in `before`.
  /// Needed columns should come first in `before`, because then rows are made faster. After a stop
  /// request the object is unusable.
  MatrixPly(MatrixStage before, const RowKernel& kernel, const Workers& workers, StopView stop,
            const PlyNeeds& needs = {}, Sets sets = Sets::kAll);

  [[nodiscard]] Color mover() const { return before_.mover; }
  /// rows() returns the mover's configurations after the ply. columns() returns the other side's
  /// configurations.
  [[nodiscard]] const ConfigurationSet& rows() const { return rows_; }
  [[nodiscard]] const ConfigurationSet& columns() const { return before_.columns; }
  // column_count() and column() may be called with any value of Sets.
  [[nodiscard]] std::size_t column_count() const { return column_count_; }
  [[nodiscard]] Configuration column(std::size_t number) const {
    return planes_.configuration(number);
  }

  /// Returns the columns of `group` that are needed. Bit k is column k of the group.
  [[nodiscard]] unsigned needed_columns(std::size_t group) const {
    return needed_.empty() ? ~0U : needed_[group];
  }

  /// Adds up the paths of row `row` in `sums`, and lists the touched groups. `sums` must be zero
  /// before. Appends to `chances` the double pushes that lead to the row and may allow an en
  /// passant capture. Removes illegal positions from `sums` and `chances`. Sums and chances in
  /// columns that are not needed are incomplete. Throws MatrixDoesNotFit if too many paths lead to
  /// one position.
  void make_row(std::size_t row, RowSums& sums, std::vector<EnPassantChance>& chances) const;

  /// Does the same as RowKernel::add_pairs() for row `row`.
  std::size_t add_pairs(std::size_t row, const RowSums& sums, std::size_t first,
                        WaitingPairs& waiting) const;

  /// Returns the bytes of the ply's large tables, without the paths and rows of the stage from
  /// which the ply starts.
  [[nodiscard]] std::uint64_t bytes() const;

  /// A move that leads to a row.
  struct Edge {
    std::uint32_t source;  ///< row from which the move starts
    std::uint16_t move;    ///< LoneMove::number()
  };
  /// Paths that reach a pair through an en passant capture.
  struct ExtraPaths {
    std::uint32_t row;
    std::uint32_t column;
    std::uint32_t paths;
    std::uint32_t edge;           ///< edge of the push, as in EnPassantCapture
    std::uint32_t pushed_column;  ///< EnPassantCapture::column
  };

  /// Returns the stage from which the ply starts, without its en passant captures and with
  /// additional empty columns.
  [[nodiscard]] MatrixStage take_before() && { return std::move(before_); }
  [[nodiscard]] ConfigurationSet take_rows() { return std::move(rows_); }
  /// Frees the paths of the stage from which the ply starts. Returns the number of freed bytes.
  /// After this call, no row can be made.
  std::uint64_t free_paths();

  // Functions for carrying values from pairs after the ply back to the pairs from which the ply
  // starts.
  [[nodiscard]] const MatrixStage& before() const { return before_; }
  [[nodiscard]] const Edge& edge(std::size_t number) const { return edges_[number]; }
  [[nodiscard]] const LoneMove& move_of(const Edge& edge) const { return moves_[edge.move]; }
  [[nodiscard]] const Losses& losses() const { return losses_; }
  [[nodiscard]] std::uint32_t row_of_edge(std::size_t number) const;
  [[nodiscard]] std::span<const ExtraPaths> extra_of(std::size_t row) const;
  /// Returns the extra paths of all rows, sorted by row.
  [[nodiscard]] std::span<const ExtraPaths> extra() const { return extra_; }
  /// Carries values back over `edge`: adds the value of each pair after the move (`below`) to the
  /// value of the pair before the move (`values`, of the source row). Both arrays are as in
  /// RowKernel::carry_back().
  void carry_back(const Edge& edge, const std::uint64_t* below, std::uint64_t* values) const;
  void carry_back(const Edge& edge, const std::uint32_t* below, std::uint32_t* values) const;
  /// Returns the numbers of the edges that lead to `row`: the first one, and one past the last.
  [[nodiscard]] std::pair<std::size_t, std::size_t> edges_of(std::size_t row) const {
    return {first_edge_[row], first_edge_[row + 1]};
  }

 private:
  /// Returns the argument `own` of RowKernel::pull(): the mover's pieces, or 0 if the move of
  /// `edge` does not need them.
  [[nodiscard]] Bitboard own_before(const Edge& edge) const;
  void prefetch_sources(std::size_t number) const;
  struct ListedMoves;
  Bitboard look_at_columns(std::size_t begin, const PlyNeeds::IsNeeded& is_needed,
                           const Workers& workers, StopView stop);
  void find_quiet_ends(const Workers& workers, StopView stop);
  [[nodiscard]] std::pmr::vector<Bitboard> list_moves(const PlyNeeds::IsNeeded& is_needed,
                                                      Bitboard takable, const Workers& workers,
                                                      StopView stop);
  void sort_by_row(const ListedMoves& all, const Workers& workers, StopView stop);
  /// Returns, for each column, the squares of pieces that the mover might capture. `targets` has,
  /// for each source row, the squares where the row might capture.
  [[nodiscard]] std::pmr::vector<Bitboard> list_taken(std::span<const Bitboard> targets,
                                                      const Workers& workers, StopView stop) const;
  void place_captures(const Workers& workers, StopView stop);
  void fill_planes(Sets sets, const Workers& workers, StopView stop);
  void drop_needless_captures(std::size_t known_columns, const PlyNeeds::IsNeeded& is_needed,
                              const Workers& workers, StopView stop);
  void pull_edge(const RowStep& step, const Edge& edge, RowSums& sums,
                 std::vector<EnPassantChance>& chances) const;

  MatrixStage before_;  // the constructor adds the columns after captures
  const RowKernel& kernel_;
  ConfigurationSet rows_{huge_pages()};
  std::vector<LoneMove> moves_;          // indexed by Edge::move
  std::vector<std::size_t> first_edge_;  // by row; the last entry is the number of edges
  LargeArray<Edge> edges_;
  std::vector<ExtraPaths> extra_;  // sorted by row
  Losses losses_{huge_pages()};
  Columns planes_;
  std::size_t column_count_ = 0;
  // If all columns are needed, the next two members are empty.
  std::pmr::vector<std::uint8_t> needed_{huge_pages()};  // by group: see needed_columns()
  // By source row: the place of the row's first group after all needed columns. No column of this
  // group or of a later group is needed. A quiet move does not change the column, so only captures
  // lead from these groups to needed columns.
  std::pmr::vector<RowPlace> quiet_end_{huge_pages()};
};

}  // namespace manyply
