// One ply of distinct positions by pairs of configurations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/columns.h"
#include "core/configurations/configuration_set.h"
#include "core/configurations/lone_moves.h"
#include "core/configurations/pair_kernel.h"
#include "core/stop_view.h"
#include "parallel/pair_matrix.h"
#include "parallel/workers.h"

namespace manyply {

/// The moves of a side's configurations by themselves, whatever the other side has: by where they
/// lead. Immutable once made; any thread.
class MoveGraph {
 public:
  struct Edge {
    std::uint32_t source;
    std::uint16_t move;  ///< its number
  };

  /// `sources` are `mover`'s and must outlive it. After `stop` it is good for nothing.
  MoveGraph(const ConfigurationSet& sources, Color mover, StopView stop);

  [[nodiscard]] Color mover() const { return mover_; }
  [[nodiscard]] const ConfigurationSet& sources() const { return sources_; }
  [[nodiscard]] const ConfigurationSet& targets() const { return targets_; }
  [[nodiscard]] std::size_t first(std::size_t target) const { return first_[target]; }
  [[nodiscard]] const Edge& edge(std::size_t i) const { return edges_[i]; }
  [[nodiscard]] const LoneMove& move(const Edge& edge) const { return moves_[edge.move]; }
  /// Squares where the mover may capture.
  [[nodiscard]] Bitboard taken() const { return taken_; }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  const ConfigurationSet& sources_;
  const Color mover_;
  ConfigurationSet targets_;
  std::vector<LoneMove> moves_;
  std::vector<std::uint64_t> first_;  // edge by target, and their number
  std::vector<Edge> edges_;
  Bitboard taken_ = 0;
};

/// A ply that is being played: rows are the mover's configurations afterwards, graph.targets(),
/// columns the other side's, those that have lost a man among them. Made by all workers; then any
/// thread makes any row.
class PairPly {
 public:
  /// The rows of `before` are graph's sources. `graph` and `kernel` must outlive it. After `stop`
  /// it is good for nothing.
  PairPly(const MoveGraph& graph, PairStage before, const Kernel& kernel, const Workers& workers,
          const std::stop_token& stop);

  /// What one thread needs for one row after the other.
  struct Scratch {
    explicit Scratch(const PairPly& ply) : row(ply.columns().size()) {}
    PairRow row;
    std::vector<PushedPairs> pushed;
    /// Columns with which the row's side has just given a right to capture a pawn en passant, and
    /// that pawn. They are not in `row`, unless the same men stand there without a right, too.
    std::vector<PairRight> rights;
  };

  [[nodiscard]] const MoveGraph& graph() const { return graph_; }
  [[nodiscard]] std::size_t rows() const { return graph_.targets().size(); }
  [[nodiscard]] const ConfigurationSet& columns() const { return before_.columns; }

  /// Makes row `row` in `scratch`, which is empty: legal positions only. Each pair in scratch.row
  /// and each right is a distinct position.
  void make_row(std::size_t row, Scratch& scratch) const;

  /// Pairs of `row` among `counted`, a bit for each column; all of them if that is null.
  [[nodiscard]] std::uint64_t count(const PairRow& row, const std::uint64_t* counted) const {
    return pairs_.count(row, counted);
  }

  /// Of all but the graph.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct ExtraPair {
    std::uint32_t row;
    std::uint32_t column;
  };

  void add_losses(StopView stop);
  void place_en_passant_captures();
  void settle_pushes(std::size_t row, Scratch& scratch) const;

  const MoveGraph& graph_;
  const Kernel& kernel_;
  const PairKernel& pairs_;
  PairStage before_;  // its columns grow by those with losses
  Losses losses_;
  std::vector<ExtraPair> extra_;  // by row
  PairPlanes planes_;
};

}  // namespace manyply
