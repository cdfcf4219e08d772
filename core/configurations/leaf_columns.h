// What the columns of a matrix become by one more move, in blocks of 64 for lanes of bytes.
//
// Here the matrix's last ply has been played, and its rows' side is to count its moves two plies
// below: the columns' side moves, then the rows'. README.md has the method.
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

/// In place of a distance, where no slider attacks.
inline constexpr std::uint8_t kNoSlider = 255;

/// What a move of the columns' side asks of a row. Many moves ask the same.
struct LeafPath {
  Bitboard empty;  ///< squares where none of the row's pieces may stand
  int captured;    ///< square where one must stand, which is no king; or kQuiet
  int castling;    ///< of LeafColumns::castlings(), whose way must be safe; or kNoCastling
  static constexpr int kQuiet = 64;
  static constexpr int kNoCastling = -1;
};

/// From where a moved column is reached: a column of the matrix, and a path.
struct LeafSource {
  std::uint32_t column;
  std::uint32_t path;
};

/// Up to 64 configurations of the columns' side after its move, all by captures on one square, or
/// all by quiet moves. Sets are given by square: bit i is the block's column i.
struct LeafBlock {
  std::array<std::uint64_t, 64> occupied{};
  std::array<std::uint64_t, 64> pawns{};
  std::array<std::uint64_t, 64> knights{};
  std::array<std::uint64_t, 64> kings{};
  std::array<std::uint64_t, 64> stepping{};  ///< attacked by pawn, knight or king
  Bitboard any_piece = 0;                    ///< squares where any column has a piece
  Bitboard any_king = 0;
  int captured = LeafPath::kQuiet;  ///< square of the captures
  std::uint32_t first = 0;          ///< of its columns
  std::uint32_t count = 0;
};

/// A distance for each of a block's columns, two in a byte: column i's below that of column i + 32.
struct alignas(kBlockColumns / 2) LeafDistances {
  std::array<std::uint8_t, kBlockColumns / 2> bytes;
};

/// A double push, which a pawn of the row's may answer en passant.
struct LeafDoublePush {
  LeafSource source;
  std::uint32_t column;  ///< after it
  LoneMove move;
};

struct LeafCastling {
  std::uint32_t column;  ///< of the matrix
  LoneMove move;
};

class LeafColumns {
 public:
  /// `columns` are the matrix's, of side `mover`; `rows` all rows that will be counted with them.
  /// `memory` outlives it. After `stop` it is good for nothing.
  LeafColumns(Color mover, std::vector<Configuration> columns,
              const std::vector<Configuration>& rows, const ForEach& for_each,
              std::pmr::memory_resource* memory, StopView stop = {});

  /// Works out the sets and distances of block `block`. Any thread, each block once, before it is
  /// counted.
  void fill(std::size_t block);

  [[nodiscard]] Color mover() const { return mover_; }
  [[nodiscard]] const std::vector<Configuration>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<Configuration>& moved() const { return moved_; }
  [[nodiscard]] const std::vector<LeafBlock>& blocks() const { return blocks_; }
  [[nodiscard]] const std::vector<LeafPath>& paths() const { return paths_; }
  [[nodiscard]] const std::vector<LeafDoublePush>& double_pushes() const { return double_pushes_; }
  [[nodiscard]] const std::vector<LeafCastling>& castlings() const { return castlings_; }
  [[nodiscard]] const DistanceSlots& slots() const { return slots_; }

  /// From where moved column `column` is reached.
  [[nodiscard]] const LeafSource* sources_begin(std::size_t column) const {
    return &sources_[first_source_[column]];
  }
  [[nodiscard]] const LeafSource* sources_end(std::size_t column) const {
    return sources_.data() + first_source_[column + 1];
  }

  // Tables of one block, by slot. The distance to the first piece of each column's along the ray,
  // or the length of the ray if there is none,
  [[nodiscard]] const LeafDistances* distances(std::size_t block) const {
    return &distances_[block * slots_.count];
  }
  // for the first slots, the columns whose piece there attacks along the ray, as a set,
  [[nodiscard]] const std::uint64_t* sliders(std::size_t block) const {
    return &sliders_[block * slots_.sliders];
  }
  // and the least of their distances, or kNoSlider.
  [[nodiscard]] const std::uint8_t* nearest_slider(std::size_t block) const {
    return &nearest_slider_[block * slots_.sliders];
  }

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
  std::vector<std::uint32_t> first_source_;  // by moved column, and their number
  std::vector<LeafDoublePush> double_pushes_;
  std::vector<LeafCastling> castlings_;
  DistanceSlots slots_;
  LargeArray<LeafDistances> distances_;
  LargeArray<std::uint64_t> sliders_;
  LargeArray<std::uint8_t> nearest_slider_;
};

}  // namespace manyply
