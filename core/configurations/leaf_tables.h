// Tables for the last two plies: a plan of the moves of each row, and the columns after one more
// move of their side.
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
#include "core/configurations/configuration.h"
#include "core/configurations/configuration_set.h"
#include "core/configurations/large_array.h"
#include "core/configurations/lone_moves.h"
#include "core/configurations/rays.h"
#include "core/configurations/sort_all.h"

namespace manyply {

// --- rows ---------------------------------------------------------------------------------------

// A plan has the moves of a row's side in the last ply. It depends only on the row. It is computed
// once and used with all columns.

/// The rays for which LeafColumns stores distances. A ray is a square and a direction. There is one
/// distance for each column: from the ray's square to the column's first piece on the ray. Each of
/// these rays has a slot, which is its index in the tables of LeafColumns.
struct DistanceSlots {
  static constexpr std::uint16_t kNone = 0xFFFF;
  std::array<std::uint16_t, kRayCount> of;  ///< slot of each ray, or kNone; indexed by ray_number()
  std::size_t count = 0;
  std::size_t sliders = 0;  ///< slots 0 to sliders - 1 are also slots of LeafColumns::sliders()

  DistanceSlots();
  /// Assigns a slot to the ray, unless it has one.
  void want(int square, int direction);
};

/// A test whether a column's slider on a ray attacks the square from which the ray starts. The
/// slider attacks this square if it can move along the ray, is the column's first piece on the ray,
/// and is at most `length` squares away.
struct RayTest {
  std::uint16_t slot = 0;  ///< smaller than DistanceSlots::sliders
  std::uint8_t length = 0;
  std::uint8_t direction = 0;
  friend constexpr bool operator==(const RayTest&, const RayTest&) = default;
};

/// A square, and a test for each ray that starts from it. The `length` of a test is the number of
/// squares before the row's first piece on the ray (other than the king), or up to the edge. Rays
/// of length 0 have no test.
struct GuardedSquare {
  std::uint8_t square = 0;
  std::uint8_t count = 0;
  std::array<RayTest, kDirections> tests{};
  friend constexpr bool operator==(const GuardedSquare&, const GuardedSquare&) = default;
};

/// All data of a row that determine the king's moves. Many rows have the same data.
struct KingPlan {
  struct Castling {
    Bitboard empty = 0;      ///< squares where the column must have no piece
    std::uint8_t begin = 0;  ///< index in `squares` of the first square that must be safe
    std::uint8_t end = 0;    ///< index after the last such square
    /// The ray that starts at the rook and leads away from the king. The length is 0 if the ray has
    /// no squares, or if a piece of the row stands on its first square.
    RayTest shield{};
    friend constexpr bool operator==(const Castling&, const Castling&) = default;
  };
  GuardedSquare king{};
  std::uint8_t steps =
      0;  ///< number of squares to which the king may step; these squares come first in `squares`
  std::uint8_t castlings = 0;
  std::array<GuardedSquare, 24> squares{};
  std::array<Castling, 2> castling{};
  friend constexpr bool operator==(const KingPlan&, const KingPlan&) = default;
};

/// Target squares of the row's pawn moves. The row's own pieces block moves. The column's pieces
/// are ignored.
struct PawnPlan {
  Bitboard single = 0;
  Bitboard twice = 0;
  Bitboard west = 0;
  Bitboard east = 0;
  friend constexpr bool operator==(const PawnPlan&, const PawnPlan&) = default;
};

/// The moves of the row's pieces to one square, without king moves. In check, the code counts such
/// moves to the square of the checking piece, and to each square between that piece and the king.
struct WayTo {
  struct Slider {
    std::uint16_t slot;     ///< the ray from the slider towards the square
    std::uint8_t distance;  ///< from the slider to the square
  };
  std::uint8_t always = 0;     ///< number of knight moves
  std::uint8_t if_empty = 0;   ///< number of pushes, possible if the square is empty
  std::uint8_t if_passed = 0;  ///< number of double pushes; the square and `passed` must be empty
  std::uint8_t passed = 0;     ///< square that the double push passes over
  std::uint8_t if_taking = 0;  ///< number of captures by pawns
  std::uint8_t sliders = 0;
  std::array<Slider, kDirections> slider{};
};

/// The plan of one row. Not thread-safe, because ways() computes its result at the first call.
class RowPlan {
 public:
  /// A ray of one of the row's sliders.
  struct Ray {
    std::uint16_t slot;
    std::uint8_t length;  ///< number of squares before the row's own next piece
    std::uint8_t square;
    std::uint8_t direction;
  };
  /// A piece that may be pinned: the row's first piece in a direction from its king.
  struct Pin {
    RayTest behind;      ///< the ray from the piece away from the king
    std::uint16_t slot;  ///< the ray from the king to the piece
    std::uint8_t near;   ///< distance from the king to the piece
    std::uint8_t square;
  };

  /// Makes the plan of a row with the configuration `of` and the side `of_side`. Precondition:
  /// want_distances() has added the row's rays to `slots`. `slots` must outlive the plan. Replaces
  /// the previous plan in this object, and reuses its memory. This saves many allocations, because
  /// the caller makes a new plan of a row for each square where the row can lose a piece.
  void make(const Configuration& of, Color of_side, const DistanceSlots& slots);

  /// Computes an upper bound for the number of moves of `configuration`, and returns whether the
  /// bound is below 256. The bound holds for all configurations of the other side. It also holds
  /// after `configuration` has lost one piece.
  static bool fits(const Configuration& configuration, Color side);

  /// The test king_plan.king.tests[check] finds sliders that give check along one ray. Returns
  /// way_to(square) for the squares where this test can find a slider. The first of these squares
  /// is next to the king. The first call for a test computes the result.
  const std::vector<WayTo>& ways(std::size_t check);
  /// Returns the moves of the row's pieces, except the king, to `square`.
  [[nodiscard]] WayTo way_to(int square) const;

  Configuration configuration;
  Color side = Color::kWhite;
  Bitboard own = 0;
  Bitboard sight = 0;  ///< squares that the row's pieces attack if no piece of the column blocks
  std::uint8_t knight_moves = 0;
  int king = 0;
  PawnPlan pawns;
  KingPlan king_plan;
  std::vector<Ray> rays;
  std::vector<Pin> pins;

 private:
  GuardedSquare guarded(int square, Bitboard blockers) const;
  void plan_king();
  void plan_pins();

  const DistanceSlots* slots_ = nullptr;
  std::array<std::vector<WayTo>, kDirections> ways_;
};

/// Adds to `slots` all rays that the plans of `rows` need. These include the rays that the plans
/// need after a row has lost one of its pieces. `column_kings` are the squares where columns may
/// have their kings.
void want_distances(const std::vector<Configuration>& rows, Color side, Bitboard column_kings,
                    DistanceSlots& slots);

// --- columns ------------------------------------------------------------------------------------

// The moved columns are the columns of the matrix after one more move of their side. They are
// stored in blocks of 64: one byte lane for each column.

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

/// A double push. A pawn of a row may be able to capture the pushed pawn en passant.
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
  // sliders() has one set of columns for each slot below slots().sliders. The set contains the
  // columns whose first piece on the slot's ray is a slider that attacks along this ray.
  [[nodiscard]] const std::uint64_t* sliders(std::size_t block) const {
    return &sliders_[block * slots_.sliders];
  }
  // nearest_slider() has one number for each slot of sliders(). This number is the smallest
  // distance among the columns in the slot's set, or kNoSlider if the set is empty.
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
