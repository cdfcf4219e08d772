// Plays one ply of a count of distinct positions by pairs of configurations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/configurations/columns.h"
#include "core/configurations/configuration_set.h"
#include "core/configurations/lone_moves.h"
#include "core/configurations/pair_kernel.h"
#include "parallel/matrix/huge_pages.h"
#include "parallel/matrix/pair_matrix.h"
#include "parallel/workers.h"

namespace manyply {

/// The mover's configurations of one kind (configuration.h) after a ply, and the moves that lead to
/// them.
struct PairRows {
  struct Edge {
    std::uint32_t source;
    std::uint16_t move;  ///< LoneMove::number()
  };
  struct Extra {
    std::uint32_t row;
    std::uint32_t column;
  };
  ConfigurationSet set;
  std::vector<std::size_t> first;  ///< index of each row's first edge; last entry: number of edges
  std::vector<Edge> edges;
  std::vector<Extra> extra;  ///< pairs after en passant captures, sorted by row
  BudgetShare share;         ///< the bytes of all members above

  [[nodiscard]] std::uint64_t bytes() const {
    return set.bytes() + first.capacity() * sizeof(first[0]) + edges.capacity() * sizeof(Edge) +
           extra.capacity() * sizeof(Extra);
  }
};

/// A ply in progress. Rows are the mover's configurations after the ply. Columns are the other
/// side's configurations after the ply, including those that have lost a piece. Rows are made kind
/// by kind, so that only few rows are in memory at a time, and successive rows use neighbouring
/// data. The constructor uses all workers. After that, any thread may make rows with its own
/// Scratch.
class PairPly {
 public:
  /// Returns whether the ply needs the column `without`, which has just lost a piece.
  using Wanted = std::function<bool(const Configuration& without)>;

  /// `kernel` and `budget` must outlive this object. If `wanted` is not empty, it is called for
  /// each column that has just lost a piece. If it returns false, the ply leaves out the pairs that
  /// the capture of this piece creates. Columns after en passant captures are always kept. After a
  /// stop request the object is unusable. Throws MatrixDoesNotFit.
  PairPly(PairStage before, const Kernel& kernel, const Workers& workers,
          const std::stop_token& stop, MatrixBudget& budget, const Wanted& wanted = {});

  /// Working memory of one thread for one row at a time.
  struct Scratch {
    explicit Scratch(const PairPly& ply) : row(ply.columns().size()) {}
    PairRow row;
    std::vector<PushedPairs> pushed;
    /// The pairs with an en passant right, which results from a double push of the row's side.
    /// `row` includes such a pair only if the same pieces also occur without an en passant right.
    std::vector<PairRight> rights;
    std::vector<LoneStep> steps;
  };

  [[nodiscard]] Color mover() const { return before_.mover; }
  /// Returns the other side's configurations.
  [[nodiscard]] const ConfigurationSet& columns() const { return before_.columns; }

  /// Returns the number of kinds of rows.
  [[nodiscard]] std::size_t kinds() const { return kinds_.size(); }
  [[nodiscard]] ConfigurationKind kind(std::size_t number) const { return kinds_[number].kind; }
  /// Returns the approximate cost of the rows of kind number `number`, compared with other kinds.
  [[nodiscard]] double weight(std::size_t number) const;
  /// Returns the rows of kind number `kind`; no rows after a stop request. Throws MatrixDoesNotFit.
  [[nodiscard]] PairRows rows_of(std::size_t kind, const std::stop_token& stop,
                                 Scratch& scratch) const;

  /// Makes row `row` of `rows` in `scratch`, which must be empty, with legal positions only. Each
  /// pair in scratch.row and each right is a distinct position.
  void make_row(const PairRows& rows, std::size_t row, Scratch& scratch) const;

  /// Returns the number of pairs in `row`. If `counted` is not null, it has one bit per column. The
  /// function then ignores pairs in columns whose bit is 0.
  [[nodiscard]] std::uint64_t count(const PairRow& row, const std::uint64_t* counted) const {
    return pairs_.count(row, counted);
  }

  [[nodiscard]] std::uint64_t bytes() const;

 private:
  /// Neighbouring rows of one kind, from which the ply starts.
  struct Sources {
    ConfigurationKind kind;
    std::size_t begin;
    std::size_t end;
    std::size_t blocks;  ///< number of blocks of the matrix in these rows
  };
  struct Kind {
    ConfigurationKind kind;
    std::vector<std::size_t> sources;  // indices of the sources_ with moves to this kind
  };
  struct EnPassantCapture {
    std::uint32_t source;
    std::uint8_t from;
    std::uint8_t to;
    std::uint32_t column;
  };

  void list_kinds(const Workers& workers, const std::stop_token& stop);
  void add_losses(const Workers& workers, const std::stop_token& stop, const Wanted& wanted);
  void place_en_passant_captures(const std::stop_token& stop);
  void add_extra(std::uint32_t source, const LoneMove& move, std::uint32_t row,
                 PairRows& rows) const;
  void settle_pushes(const PairRows& rows, std::size_t row, Scratch& scratch) const;

  const Kernel& kernel_;
  const PairKernel& pairs_;
  MatrixBudget& budget_;
  PairStage before_;   // the constructor adds columns that have lost a piece
  BudgetShare share_;  // bytes that before_.share does not include
  std::vector<Sources> sources_;
  std::vector<Kind> kinds_;
  Bitboard taken_ = 0;  // squares where the mover may capture
  Losses losses_{huge_pages()};
  std::vector<EnPassantCapture> captures_;  // sorted by source
  PairPlanes planes_;
};

}  // namespace manyply
