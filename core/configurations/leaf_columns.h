// The columns of a matrix after one more move of their side, in blocks of 64 for lanes of bytes.
//
// The matrix has reached its last ply, two plies above the leaves. The columns' side moves first.
// Then the moves of the rows' side are counted. README.md explains the method.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/base/stop_view.h"
#include "core/configurations/configuration_set.h"
#include "core/configurations/large_array.h"
#include "core/configurations/leaf_rows.h"
#include "core/configurations/lone_moves.h"
#include "core/configurations/sort_all.h"

namespace manyply {

inline constexpr std::size_t kBlockColumns = 64;

/// Stored instead of a distance if no slider attacks.
inline constexpr std::uint8_t kNoSlider = 255;

/// The condition under which a move of the columns' side is possible for a row. Many moves share
/// one condition.
struct LeafPath {
  Bitboard empty;  ///< squares where the row must have no piece
  int captured;    ///< square where the row must have a piece other than a king; or kQuiet
  int castling;    ///< index into LeafColumns::castlings(), or kNoCastling
  static constexpr int kQuiet = 64;
  static constexpr int kNoCastling = -1;
};

/// The origin of a moved column: a column of the matrix, and the condition of the move.
struct LeafSource {
  std::uint32_t column;
  std::uint32_t path;
};

/// Up to 64 configurations of the columns' side after its move. Either all of them come from
/// captures on one square, or all from quiet moves. Each set belongs to a square; its bit i stands
/// for column i of the block.
struct LeafBlock {
  std::array<std::uint64_t, 64> occupied{};
  std::array<std::uint64_t, 64> pawns{};
  std::array<std::uint64_t, 64> knights{};
  std::array<std::uint64_t, 64> kings{};
  std::array<std::uint64_t, 64> stepping{};  ///< attacked by pawn, knight or king
  Bitboard any_piece = 0;                    ///< squares where at least one column has a piece
  Bitboard any_king = 0;
  int captured = LeafPath::kQuiet;  ///< square of the captures
  std::uint32_t first = 0;          ///< number of its first moved column
  std::uint32_t count = 0;
};

/// A distance for each column of a block. One byte has two distances: the lower half that of column
/// i, the upper half that of column i + 32.
struct alignas(kBlockColumns / 2) LeafDistances {
  std::array<std::uint8_t, kBlockColumns / 2> bytes;
};

/// A double push that a pawn of a row may be able to capture en passant.
struct LeafDoublePush {
  LeafSource source;
  std::uint32_t column;  ///< after the push
  LoneMove move;
};

/// A castling move of a column.
struct LeafCastling {
  std::uint32_t column;  ///< number of the column in the matrix
  LoneMove move;
};

/// The moved columns of a matrix, and their tables. Immutable after all blocks are filled; then any
/// thread may read.
class LeafColumns {
 public:
  /// `columns` are the columns of the matrix, and `mover` is their side. `rows` are all rows that
  /// will be counted with them. `memory` must outlive this object. After `stop` the object must not
  /// be used.
  LeafColumns(Color mover, std::vector<Configuration> columns,
              const std::vector<Configuration>& rows, const ForEach& for_each,
              std::pmr::memory_resource* memory, StopView stop = {});

  /// Computes the sets and distances of block `block`. Call it once for each block, before that
  /// block is counted. Different threads may fill different blocks.
  void fill(std::size_t block);

  [[nodiscard]] Color mover() const { return mover_; }
  [[nodiscard]] const std::vector<Configuration>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<Configuration>& moved() const { return moved_; }
  [[nodiscard]] const std::vector<LeafBlock>& blocks() const { return blocks_; }
  [[nodiscard]] const std::vector<LeafPath>& paths() const { return paths_; }
  [[nodiscard]] const std::vector<LeafDoublePush>& double_pushes() const { return double_pushes_; }
  [[nodiscard]] const std::vector<LeafCastling>& castlings() const { return castlings_; }
  [[nodiscard]] const DistanceSlots& slots() const { return slots_; }

  /// Returns the origins of moved column `column`, up to sources_end().
  [[nodiscard]] const LeafSource* sources_begin(std::size_t column) const {
    return &sources_[first_source_[column]];
  }
  [[nodiscard]] const LeafSource* sources_end(std::size_t column) const {
    return sources_.data() + first_source_[column + 1];
  }

  // The following tables of one block are indexed by slot. This one has the distance from the
  // slot's square to each column's first piece along the ray, or the length of the ray if the
  // column has no piece there.
  [[nodiscard]] const LeafDistances* distances(std::size_t block) const {
    return &distances_[block * slots_.count];
  }
  // Has an entry for each of the first slots().sliders slots: the set of columns in which the first
  // piece on the ray is a slider that attacks along it.
  [[nodiscard]] const std::uint64_t* sliders(std::size_t block) const {
    return &sliders_[block * slots_.sliders];
  }
  // For the same slots: the smallest distance of such a slider, or kNoSlider.
  [[nodiscard]] const std::uint8_t* nearest_slider(std::size_t block) const {
    return &nearest_slider_[block * slots_.sliders];
  }

  /// Returns the approximate memory in use, in bytes.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  class Builder;
  struct SliderSets {
    std::array<std::uint64_t, 64> bishops_queens{};
    std::array<std::uint64_t, 64> rooks_queens{};
  };

  void fill_sets(LeafBlock& block, SliderSets& sliders) const;

  Color mover_;
  std::vector<Configuration> columns_;
  std::vector<Configuration> moved_;
  std::vector<LeafBlock> blocks_;
  std::vector<LeafPath> paths_;
  std::vector<LeafSource> sources_;          // by moved column
  std::vector<std::uint32_t> first_source_;  // by moved column; the last entry is their number
  std::vector<LeafDoublePush> double_pushes_;
  std::vector<LeafCastling> castlings_;
  DistanceSlots slots_;
  LargeArray<LeafDistances> distances_;
  LargeArray<std::uint64_t> sliders_;
  LargeArray<std::uint8_t> nearest_slider_;
};

}  // namespace manyply
