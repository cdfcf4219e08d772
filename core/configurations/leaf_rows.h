// What one row asks of columns when its last moves are counted, worked out once for all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/configuration.h"
#include "core/configurations/rays.h"

namespace manyply {

/// Which rays' distances are kept for the columns (leaf_columns.h): a slot for each one wanted.
struct DistanceSlots {
  static constexpr std::uint16_t kNone = 0xFFFF;
  std::array<std::uint16_t, kRayCount> of;  ///< by ray_number()
  std::size_t count = 0;
  std::size_t sliders = 0;  ///< the first so many, for which sliders of the columns are told, too

  DistanceSlots();
  void want(int square, int direction);
};

/// A ray along which a column's slider attacks, if it stands within `length` squares.
struct RayTest {
  std::uint16_t slot = 0;  ///< one of DistanceSlots::sliders
  std::uint8_t length = 0;
  std::uint8_t direction = 0;
  friend constexpr bool operator==(const RayTest&, const RayTest&) = default;
};

/// A square, and the rays that reach it past the row's own pieces.
struct GuardedSquare {
  std::uint8_t square = 0;
  std::uint8_t count = 0;
  std::array<RayTest, kDirections> tests{};
  friend constexpr bool operator==(const GuardedSquare&, const GuardedSquare&) = default;
};

/// All that decides about the king's own moves. Many rows have it in common.
struct KingPlan {
  struct Castling {
    Bitboard empty = 0;      ///< squares where no piece of a column's may stand
    std::uint8_t begin = 0;  ///< of its squares among `squares`
    std::uint8_t end = 0;
    RayTest shield{};  ///< along which the rook shields the king; length 0 = none
    friend constexpr bool operator==(const Castling&, const Castling&) = default;
  };
  GuardedSquare king{};
  std::uint8_t steps = 0;  ///< squares that the king may step to: the first ones of `squares`
  std::uint8_t castlings = 0;
  std::array<GuardedSquare, 24> squares{};
  std::array<Castling, 2> castling{};
  friend constexpr bool operator==(const KingPlan&, const KingPlan&) = default;
};

/// Targets of pawn moves, own pieces apart.
struct PawnPlan {
  Bitboard single = 0;
  Bitboard twice = 0;
  Bitboard west = 0;
  Bitboard east = 0;
  friend constexpr bool operator==(const PawnPlan&, const PawnPlan&) = default;
};

/// How the row's pieces but its king reach a square, to take a checker there or to block it.
struct WayTo {
  struct Slider {
    std::uint16_t slot;  ///< from the slider towards the square
    std::uint8_t distance;
  };
  std::uint8_t always = 0;     ///< knights
  std::uint8_t if_empty = 0;   ///< pushes
  std::uint8_t if_passed = 0;  ///< double pushes, if `passed` is empty, too
  std::uint8_t passed = 0;
  std::uint8_t if_taking = 0;  ///< captures by pawns
  std::uint8_t sliders = 0;
  std::array<Slider, kDirections> slider{};
};

class RowPlan {
 public:
  struct Ray {
    std::uint16_t slot;
    std::uint8_t length;  ///< squares before the row's own pieces
    std::uint8_t square;
    std::uint8_t direction;
  };
  /// A piece that may be pinned: the first one that the king sees in a direction.
  struct Pin {
    RayTest behind;      ///< from the piece on
    std::uint16_t slot;  ///< from the king
    std::uint8_t near;   ///< distance from the king to the piece
    std::uint8_t square;
  };

  /// For `of_side`, which has these pieces. Precondition: `slots`, which outlives the plan, has
  /// what want_distances() wants. What was planned before is forgotten, but its memory serves
  /// again: rows are planned a second time for each square where they can lose a piece.
  void make(const Configuration& of, Color of_side, const DistanceSlots& slots);

  /// Whether `configuration` has so few moves, whatever the column, that they fit a byte.
  static bool fits(const Configuration& configuration, Color side);

  /// How its pieces reach each square of check `i`'s ray, nearest first. Worked out when first
  /// asked.
  const std::vector<WayTo>& ways(std::size_t check);
  [[nodiscard]] WayTo way_to(int square) const;

  Configuration configuration;
  Color side = Color::kWhite;
  Bitboard own = 0;
  Bitboard sight = 0;  ///< squares that its pieces attack if nothing of a column's is between
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

/// Adds the distances that plans for `rows` will ask for, also once any of their pieces is
/// captured. `column_kings` is where columns may have their kings.
void want_distances(const std::vector<Configuration>& rows, Color side, Bitboard column_kings,
                    DistanceSlots& slots);

}  // namespace manyply
