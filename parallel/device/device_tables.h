// Makes the tables that a device needs for a ply, in the layout of last_plies.cl. Plays plies with
// these tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/stop_view.h"
#include "core/configurations/configuration_set.h"
#include "parallel/device/opencl.h"
#include "parallel/matrix/matrix_ply.h"
#include "parallel/matrix/matrix_stage.h"
#include "parallel/workers.h"

namespace manyply::device {

inline constexpr std::uint32_t kLanes = 64;     // LANES of moves.cl
inline constexpr std::uint32_t kRows = 32;      // ROWS of last_plies.cl
inline constexpr std::size_t kPlanes = 9;       // number of planes (moves.cl)
inline constexpr std::size_t kPlanBytes = 512;  // of a Plan
inline constexpr std::size_t kPairBytes = 16;   // of a Pair or a Chance
inline constexpr std::uint32_t kNone = UINT32_MAX;
inline constexpr int kNoSquare = 64;

constexpr std::uint32_t whole_tiles(std::size_t count) {
  return static_cast<std::uint32_t>((count + kLanes - 1) / kLanes * kLanes);
}

/// Turns boards over if the rows' side is Black, because kernels assume that the rows' pawns move
/// to higher squares.
struct Turn {
  bool over;
  [[nodiscard]] std::uint64_t operator()(Bitboard set) const {
    return over ? __builtin_bswap64(set) : set;
  }
  [[nodiscard]] std::uint32_t square(int square) const {
    return static_cast<std::uint32_t>(over ? square ^ 56 : square);
  }
};

// Structures of last_plies.cl.
struct Edge {
  std::uint64_t path;
  std::uint32_t source, castling, to, is_capture;
};
struct Castling {
  std::uint64_t safe, own;
};
struct Way {
  std::uint64_t path;
  std::uint32_t source, castles;
};
struct Push {  // `moved` is `to` in last_plies.cl
  std::uint64_t path;
  std::uint32_t source, moved, passed, unused;
};
struct Loss {
  std::uint64_t squares;
  std::uint32_t first, is_dense;
};

/// Returns the squares that decide whether castling is legal. Precondition: `edge` is a castling
/// move of `ply`.
Castling castling_of(const MatrixPly& ply, const MatrixPly::Edge& edge, Turn turn);

/// Returns the planes (moves.cl) of `items`. Each plane has whole_tiles(items.size()) words. The
/// device fills the last three planes.
std::vector<std::uint64_t> planes_of(std::span<const Configuration> items, Turn turn);

/// The dense configurations of a set. If both configurations of a pair are dense, the device counts
/// the pair in a table, which has an element for each such pair.
struct Dense {
  std::vector<std::uint32_t> number;  ///< by configuration: index in `items`; kNone = not dense
  std::vector<Configuration> items;   ///< the dense configurations

  /// Makes the ordinary configurations (last_rows.h) dense. If `root` is null, makes none dense.
  Dense(const ConfigurationSet& set, const Configuration* root);
};

/// The columns of a ply, and the columns that they become when they lose a piece.
struct ColumnTables {
  std::vector<std::uint64_t> planes;
  std::vector<Loss> losses;            ///< by column
  std::vector<std::uint32_t> loss_to;  ///< columns after losses; see Loss in last_plies.cl

  ColumnTables(const MatrixPly& ply, const Dense& dense, Turn turn);
};

/// The configurations that result from one move of a dense column, in tiles of kLanes. Each square
/// has a group with the configurations after captures on this square. The last group has the
/// configurations after quiet moves.
struct MovedColumns {
  struct Group {
    std::uint32_t first_tile = 0;
    std::uint32_t tiles = 0;
  };
  std::vector<std::uint64_t> planes;
  std::vector<std::uint32_t> first_way{0};  ///< by moved column; last: number of ways
  std::vector<Way> ways;
  std::vector<Push> pushes;
  std::array<Group, kNoSquare + 1> groups{};  ///< by turned square; last: after quiet moves
  std::uint32_t size = 0;                     ///< number of moved columns, with padding

  /// `side` is the side of `columns`. After a stop request the object is unusable.
  MovedColumns(std::span<const Configuration> columns, Color side, Turn turn,
               const Workers& workers, StopView stop);
};

/// Some rows of a ply, the moves that lead to them, and the rows of the matrix from which these
/// moves start.
struct RowBatch {
  std::vector<Configuration> rows;  ///< dense ones first
  std::uint32_t dense = 0;          ///< number of dense rows
  std::uint64_t weight = 0;         ///< estimated cost: number of column groups to add up
  /// first_edge has the index of each row's first edge. Its last element is the number of edges. In
  /// the same way, first_extra has the index of each row's first extra pair. Extra pairs result
  /// from en passant captures. `extra` has two numbers for each extra pair: column and paths.
  std::vector<std::uint32_t> first_edge{0}, first_extra{0}, extra;
  std::vector<Edge> edges;
  std::vector<Castling> castlings;
  std::vector<Push> pushes;
  std::vector<std::uint32_t> row_begin{0}, groups, paths;  ///< rows of the matrix, by source
  std::vector<std::uint32_t> dense_source;  ///< by source: its dense number; kNone = not dense
  std::uint32_t dense_sources = 0;
};

/// Cuts the rows of a ply into batches. Each row is in one batch, so a position is counted once.
class RowBatches {
 public:
  /// `width` is the number of dense columns, rounded up to whole tiles. The arguments must outlive
  /// this object.
  RowBatches(const MatrixPly& ply, const Dense& rows, const Dense& sources, std::uint32_t width,
             Turn turn);

  /// Returns the sum of the weights of all rows.
  [[nodiscard]] std::uint64_t weight() const { return weight_; }
  [[nodiscard]] bool at_end() const { return next_ == ply_.rows().size(); }
  /// Returns the next rows, at least one and at most `most_rows`. On the device, the rows need at
  /// most `most_bytes`, and each of their buffers needs at most `most_buffer_bytes`. Exception: a
  /// single row may need more.
  RowBatch next(std::uint32_t most_rows, std::uint64_t most_bytes, std::uint64_t most_buffer_bytes);

 private:
  [[nodiscard]] std::uint64_t weight_of(std::size_t row) const;
  void append_row(std::size_t row, RowBatch& batch);
  std::uint32_t source_in(std::uint32_t source, RowBatch& batch);

  const MatrixPly& ply_;
  const Dense& rows_;
  const Dense& sources_;
  const std::uint32_t width_;
  const Turn turn_;
  std::uint64_t weight_ = 0;
  std::size_t next_ = 0;                  // row of the ply
  std::vector<std::uint32_t> source_at_;  // by source: its index in the batch, or kNone
  std::vector<std::uint32_t> sources_used_;
};

/// Plays a *stored* ply on a device: a ply whose result is stored as the matrix for the next ply.
/// Does the same as next_stage(), but the order of columns and captures may differ. Throws
/// DeviceFailed and the exceptions of next_stage(). If the tables of the ply do not fit on the
/// device, throws DeviceTooSmall.
MatrixStage next_stage_on(opencl::Device& device, const DeviceSpec& spec, const MatrixPly& ply,
                          const Workers& workers, StopView stop, MatrixBudget& budget);

}  // namespace manyply::device
