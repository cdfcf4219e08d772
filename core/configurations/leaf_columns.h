// The moved columns: the columns of a matrix after one more move of their side. They are stored in
// blocks of 64: one byte lane for each column.
//
// The pairs of the matrix are two plies above the leaves, and the columns' side is to move. After
// its move, the moves of the rows' side are counted. README.md explains the method.
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

/// Approximate memory of LeafColumns for each column of the matrix, in bytes. Measured in counts
/// from the start position.
inline constexpr double kLeafColumnBytes = 15'000;

/// Stored in nearest_slider() instead of a distance if no column of the block has a slider that
/// attacks along the ray.
inline constexpr std::uint8_t kNoSlider = 255;

/// The condition that a row must meet so that a move of the columns' side is possible. Many moves
/// have the same condition.
struct LeafPath {
  Bitboard empty;  ///< squares where the row must have no piece
  int captured;    ///< square of the captured piece, which must not be a king; kQuiet: no capture
  int castling;    ///< index into LeafColumns::castlings(); kNoCastling: no castling
  static constexpr int kQuiet = 64;
  static constexpr int kNoCastling = -1;
};

/// One origin of a moved column: a move leads from column `column` of the matrix to the moved
/// column. The condition of this move is LeafColumns::paths()[path].
struct LeafSource {
  std::uint32_t column;
  std::uint32_t path;
};

/// Up to 64 configurations of the columns' side after its move. All of them come from captures on
/// one square, or all come from quiet moves. Each array has one set of columns for each square. Bit
/// i of a set represents column i of the block.
struct LeafBlock {
  std::array<std::uint64_t, 64> occupied{};
  std::array<std::uint64_t, 64> pawns{};
  std::array<std::uint64_t, 64> knights{};
  std::array<std::uint64_t, 64> kings{};
  std::array<std::uint64_t, 64> stepping{};  ///< columns whose pawns, knights or king attack it
  Bitboard any_piece = 0;                    ///< squares where at least one column has a piece
  Bitboard any_king = 0;                     ///< squares where at least one column has its king
  int captured = LeafPath::kQuiet;           ///< the square of all captures, or kQuiet
  std::uint32_t first = 0;                   ///< number of the block's first moved column
  std::uint32_t count = 0;
};

/// One distance for each column of a block (see LeafColumns::distances()). The lower four bits of
/// byte i are the distance for column i, and the upper four bits are the distance for column i +
/// 32.
struct alignas(kBlockColumns / 2) LeafDistances {
  std::array<std::uint8_t, kBlockColumns / 2> bytes;
};

/// A double push that a pawn of a row may be able to capture en passant.
struct LeafDoublePush {
  LeafSource source;
  std::uint32_t column;  ///< number of the moved column after the push
  LoneMove move;
};

/// A castling move of a column.
struct LeafCastling {
  std::uint32_t column;  ///< number of the column in the matrix
  LoneMove move;
};

/// The moved columns of a matrix, and their tables. Immutable after fill() has filled all blocks.
/// From then on, any thread may read.
class LeafColumns {
 public:
  /// `columns` are the columns of the matrix, and `mover` is their side. `rows` are all rows that
  /// will be counted with these columns. The work runs on the threads of `for_each`. `memory` must
  /// outlive this object. If a stop was requested, the object must not be used.
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

  /// Returns the first origin of moved column `column`. Its origins end at sources_end(column).
  [[nodiscard]] const LeafSource* sources_begin(std::size_t column) const {
    return &sources_[first_source_[column]];
  }
  [[nodiscard]] const LeafSource* sources_end(std::size_t column) const {
    return sources_.data() + first_source_[column + 1];
  }

  // The following functions return tables of one block, indexed by slot.
  //
  // distances() has, for each column, the distance from the slot's square to the column's first
  // piece on the ray. If the column has no piece on the ray, the distance is the ray's length.
  [[nodiscard]] const LeafDistances* distances(std::size_t block) const {
    return &distances_[block * slots_.count];
  }
  // sliders() has, for each of the first slots().sliders slots, the set of columns whose first
  // piece on the ray is a slider that attacks along the ray.
  [[nodiscard]] const std::uint64_t* sliders(std::size_t block) const {
    return &sliders_[block * slots_.sliders];
  }
  // nearest_slider() has, for each slot of sliders(), the smallest distance among the columns in
  // the slot's set; kNoSlider if the set is empty.
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
  std::vector<std::uint32_t> first_source_;  // by moved column; the last entry is the end
  std::vector<LeafDoublePush> double_pushes_;
  std::vector<LeafCastling> castlings_;
  DistanceSlots slots_;
  LargeArray<LeafDistances> distances_;
  LargeArray<std::uint64_t> sliders_;
  LargeArray<std::uint8_t> nearest_slider_;
};

}  // namespace manyply
