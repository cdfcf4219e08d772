// Plans the moves of a row's side in the last ply. A plan depends only on the row. It is computed
// once and used with all columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/configuration.h"
#include "core/configurations/rays.h"

namespace manyply {

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

/// A test for attacks on the square of a ray, along this ray. A column attacks the square if its
/// first piece on the ray is a slider for this direction, at a distance of at most `length`
/// squares.
struct RayTest {
  std::uint16_t slot = 0;  ///< smaller than DistanceSlots::sliders
  std::uint8_t length = 0;
  std::uint8_t direction = 0;
  friend constexpr bool operator==(const RayTest&, const RayTest&) = default;
};

/// A square, and a test for each ray along which a slider may attack the square. The length of each
/// test is the number of squares before the row's own first piece on the ray.
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
    /// The ray from the rook away from the king. Its length is 0 if the row's next piece or the
    /// edge is directly behind the rook.
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

/// Target squares of pawn moves that the row's own pieces do not block.
struct PawnPlan {
  Bitboard single = 0;
  Bitboard twice = 0;
  Bitboard west = 0;
  Bitboard east = 0;
  friend constexpr bool operator==(const PawnPlan&, const PawnPlan&) = default;
};

/// The moves of the row's pieces, except the king, to one square. The code uses them for squares
/// where such a move captures a checking piece or blocks its line.
struct WayTo {
  struct Slider {
    std::uint16_t slot;     ///< the ray from the slider towards the square
    std::uint8_t distance;  ///< from the slider to the square
  };
  std::uint8_t always = 0;     ///< number of knight moves
  std::uint8_t if_empty = 0;   ///< number of pushes, possible if the square is empty
  std::uint8_t if_passed = 0;  ///< number of double pushes, which need an empty `passed`, too
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

  /// Makes the plan of the row `of`, whose side is `of_side`. Precondition: `slots` contains the
  /// rays that want_distances() adds. `slots` must outlive the plan. Replaces the previous plan and
  /// uses its memory again. This saves many allocations, because the caller plans a row again for
  /// each square where the row can lose a piece.
  void make(const Configuration& of, Color of_side, const DistanceSlots& slots);

  /// Returns whether the number of moves of `configuration` fits into a byte with every possible
  /// column, also after the loss of one piece.
  static bool fits(const Configuration& configuration, Color side);

  /// Returns way_to() of each square on the ray king_plan.king.tests[check], along which a slider
  /// may give check. The square next to the king is first. The first call computes the result.
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

}  // namespace manyply
