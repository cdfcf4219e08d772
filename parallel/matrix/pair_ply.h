// One ply of distinct positions by pairs of configurations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/columns.h"
#include "core/configurations/configuration_kind.h"
#include "core/configurations/configuration_set.h"
#include "core/configurations/lone_moves.h"
#include "core/configurations/pair_kernel.h"
#include "parallel/matrix/pair_matrix.h"
#include "parallel/workers.h"

namespace manyply {

/// The mover's configurations of one kind after a ply, and what leads to them.
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
  std::vector<std::size_t> first;  ///< edge by row, and their number
  std::vector<Edge> edges;
  std::vector<Extra> extra;  ///< pairs after en passant captures, by row
  BudgetShare share;         ///< for all of that

  [[nodiscard]] std::uint64_t bytes() const {
    return set.bytes() + first.capacity() * sizeof(first[0]) + edges.capacity() * sizeof(Edge) +
           extra.capacity() * sizeof(Extra);
  }
};

/// A ply that is being played: rows are the mover's configurations afterwards, columns the other
/// side's, those that have lost a piece among them. Rows are made kind by kind, so that what is
/// needed of them at one time is little, and what they meet is near. Made by all workers; then any
/// thread makes any rows.
class PairPly {
 public:
  /// `kernel` and `budget` must outlive it. Pairs with columns that have just lost a piece and are
  /// not `wanted` are left out, if that is not empty. After `stop` it is good for nothing. Throws
  /// MatrixDoesNotFit.
  PairPly(PairStage before, const Kernel& kernel, const Workers& workers,
          const std::stop_token& stop, MatrixBudget& budget, const Losses::Wanted& wanted = {});

  /// What one thread needs for one row after the other.
  struct Scratch {
    explicit Scratch(const PairPly& ply) : row(ply.columns().size()) {}
    PairRow row;
    std::vector<PushedPairs> pushed;
    /// Columns with which the row's side has just given a right to capture a pawn en passant, and
    /// that pawn. They are not in `row`, unless the same pieces stand there without a right, too.
    std::vector<PairRight> rights;
    std::vector<LoneStep> steps;
  };

  [[nodiscard]] Color mover() const { return before_.mover; }
  /// The other side's.
  [[nodiscard]] const ConfigurationSet& columns() const { return before_.columns; }

  /// Kinds of rows.
  [[nodiscard]] std::size_t kinds() const { return kinds_.size(); }
  [[nodiscard]] ConfigurationKind kind(std::size_t number) const { return kinds_[number].kind; }
  /// None after `stop`. Throws MatrixDoesNotFit.
  [[nodiscard]] PairRows rows_of(std::size_t kind, const std::stop_token& stop,
                                 Scratch& scratch) const;

  /// Makes row `row` of `rows` in `scratch`, which is empty: legal positions only. Each pair in
  /// scratch.row and each right is a distinct position.
  void make_row(const PairRows& rows, std::size_t row, Scratch& scratch) const;

  /// Pairs of `row` among `counted`, a bit for each column; all of them if that is null.
  [[nodiscard]] std::uint64_t count(const PairRow& row, const std::uint64_t* counted) const {
    return pairs_.count(row, counted);
  }

  [[nodiscard]] std::uint64_t bytes() const;

 private:
  /// Neighbours of one kind among the rows before.
  struct Sources {
    ConfigurationKind kind;
    std::size_t begin;
    std::size_t end;
  };
  struct Kind {
    ConfigurationKind kind;
    std::vector<std::size_t> sources;  // that have moves to it, by number
  };
  struct EnPassantCapture {
    std::uint32_t source;
    std::uint8_t from;
    std::uint8_t to;
    std::uint32_t column;
  };

  void list_kinds(const Workers& workers, const std::stop_token& stop);
  void add_losses(const std::stop_token& stop, const Losses::Wanted& wanted);
  void place_en_passant_captures(const std::stop_token& stop);
  void add_extra(std::uint32_t source, const LoneMove& move, std::uint32_t row,
                 PairRows& rows) const;
  void settle_pushes(const PairRows& rows, std::size_t row, Scratch& scratch) const;

  const Kernel& kernel_;
  const PairKernel& pairs_;
  MatrixBudget& budget_;
  PairStage before_;   // its columns grow by those with losses
  BudgetShare share_;  // for what is not in before_.share
  std::vector<Sources> sources_;
  std::vector<Kind> kinds_;
  Bitboard taken_ = 0;  // where the mover may capture
  Losses losses_;
  std::vector<EnPassantCapture> captures_;  // by source
  PairPlanes planes_;
};

}  // namespace manyply
