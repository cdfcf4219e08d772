#include "core/configurations/leaf_rows.h"

#include "core/castling.h"
#include "core/configurations/lone_moves.h"
#include "core/geometry.h"

namespace manyply {
namespace {

Bitboard knight_attacks(int square) { return kKnightAttacks[static_cast<std::size_t>(square)]; }
Bitboard king_attacks(int square) { return kKingAttacks[static_cast<std::size_t>(square)]; }

template <Color Us>
PawnPlan pawn_plan(Bitboard pawns, Bitboard own) {
  PawnPlan plan;
  plan.single = forward<Us>(pawns) & ~own;
  plan.twice = forward<Us>(plan.single & relative_rank<Us>(2)) & ~own;
  plan.west = forward_west<Us>(pawns) & ~own;
  plan.east = forward_east<Us>(pawns) & ~own;
  return plan;
}

PawnPlan pawn_plan(Color side, Bitboard pawns, Bitboard own) {
  return side == Color::kWhite ? pawn_plan<Color::kWhite>(pawns, own)
                               : pawn_plan<Color::kBlack>(pawns, own);
}

/// Returns the squares of the pieces that slide in `direction`.
Bitboard sliders_of(const Pieces& pieces, int direction) {
  return is_diagonal(direction) ? pieces.bishops_queens : pieces.rooks_queens;
}

std::uint8_t narrow(int value) { return static_cast<std::uint8_t>(value); }

}  // namespace

DistanceSlots::DistanceSlots() { of.fill(kNone); }

void DistanceSlots::want(int square, int direction) {
  std::uint16_t& slot = of[ray_number(square, direction)];
  if (slot == kNone) slot = static_cast<std::uint16_t>(count++);
}

void want_distances(const std::vector<Configuration>& rows, Color side, Bitboard column_kings,
                    DistanceSlots& slots) {
  Pieces anywhere;
  for (const Configuration& row : rows) {
    anywhere.bishops_queens |= row.pieces.bishops_queens;
    anywhere.rooks_queens |= row.pieces.rooks_queens;
    anywhere.king |= row.pieces.king;
  }
  // Squares on which attacks matter to the king: its own square, the squares to which it steps, and
  // the squares of castling.
  Bitboard guarded = anywhere.king | back_rank(side);
  for (Bitboard kings = anywhere.king; kings != 0;) guarded |= king_attacks(pop_lowest(kings));
  for (int direction = 0; direction < kDirections; ++direction) {
    Bitboard attacked = guarded;  // pins also need all squares on the king's rays
    for (Bitboard kings = anywhere.king; kings != 0;)
      attacked |= ray_of(pop_lowest(kings), direction);
    while (attacked != 0) slots.want(pop_lowest(attacked), direction);
  }
  slots.sliders = slots.count;
  for (int direction = 0; direction < kDirections; ++direction) {
    for (Bitboard pieces = sliders_of(anywhere, direction) | anywhere.king | column_kings;
         pieces != 0;)
      slots.want(pop_lowest(pieces), direction);
  }
}

bool RowPlan::fits(const Configuration& configuration, Color side) {
  const Pieces& pieces = configuration.pieces;
  const Bitboard own = pieces.all();
  const PawnPlan pawns = pawn_plan(side, pieces.pawns, own);
  int most = 8 + 2 + popcount(pawns.twice);
  for (const Bitboard targets : {pawns.single, pawns.west, pawns.east})
    most += popcount(targets) + 3 * popcount(targets & back_rank(~side));
  for (Bitboard knights = pieces.knights; knights != 0;)
    most += popcount(knight_attacks(pop_lowest(knights)) & ~own);
  for (int direction = 0; direction < kDirections; ++direction) {
    for (Bitboard sliders = sliders_of(pieces, direction); sliders != 0;)
      most += free_squares(pop_lowest(sliders), direction, own);
  }
  // After the loss of a piece, up to eight rays may become longer, and moves to the piece's square
  // become possible.
  constexpr int kFreed = 8 * 7 + 24;
  return most + kFreed <= 255;
}

void RowPlan::make(const Configuration& of, Color of_side, const DistanceSlots& slots) {
  const Pieces& pieces = of.pieces;
  configuration = of;
  side = of_side;
  own = pieces.all();
  sight = sight_of(of, of_side);
  king = lowest(pieces.king);
  pawns = pawn_plan(of_side, pieces.pawns, own);
  slots_ = &slots;
  knight_moves = 0;
  rays.clear();
  for (auto& ways : ways_) ways.clear();
  for (Bitboard knights = pieces.knights; knights != 0;)
    knight_moves = narrow(knight_moves + popcount(knight_attacks(pop_lowest(knights)) & ~own));
  for (int direction = 0; direction < kDirections; ++direction) {
    for (Bitboard sliders = sliders_of(pieces, direction); sliders != 0;) {
      const int square = pop_lowest(sliders);
      const int length = free_squares(square, direction, own);
      if (length == 0) continue;
      rays.push_back({slots.of[ray_number(square, direction)], narrow(length), narrow(square),
                      narrow(direction)});
    }
  }
  plan_king();
  plan_pins();
}

GuardedSquare RowPlan::guarded(int square, Bitboard blockers) const {
  GuardedSquare guarded;
  guarded.square = narrow(square);
  for (int direction = 0; direction < kDirections; ++direction) {
    const int length = free_squares(square, direction, blockers);
    if (length == 0) continue;
    guarded.tests[guarded.count++] = {slots_->of[ray_number(square, direction)], narrow(length),
                                      narrow(direction)};
  }
  return guarded;
}

void RowPlan::plan_king() {
  // `rest` excludes the king, because a slider that attacks the king also attacks the squares
  // behind the king.
  const Bitboard rest = own ^ configuration.pieces.king;
  KingPlan& plan = king_plan = {};
  plan.king = guarded(king, own);
  for (Bitboard steps = king_attacks(king) & ~own; steps != 0;)
    plan.squares[plan.steps++] = guarded(pop_lowest(steps), rest);
  std::uint8_t end = plan.steps;
  for (Bitboard rooks = configuration.castling; rooks != 0;) {
    const int rook = pop_lowest(rooks);
    const CastlingPath path = castling_path(side, king, rook);
    if ((path.empty & own) != 0) continue;
    KingPlan::Castling& castling = plan.castling[plan.castlings++];
    castling.empty = path.empty;
    castling.begin = end;
    for (Bitboard way = path.safe & ~configuration.pieces.king; way != 0;)
      plan.squares[end++] = guarded(pop_lowest(way), rest);
    castling.end = end;
    // In Chess960, a slider behind the castling rook attacks the king after the rook has moved.
    constexpr int kEast = 2;
    const int away = rook > king ? kEast : opposite(kEast);
    const int behind = free_squares(rook, away, own);
    if (behind != 0)
      castling.shield = {slots_->of[ray_number(rook, away)], narrow(behind), narrow(away)};
  }
}

void RowPlan::plan_pins() {
  pins.clear();
  for (int direction = 0; direction < kDirections; ++direction) {
    const Bitboard piece = first_met(king, direction, own);
    if (piece == 0) continue;
    const int square = lowest(piece);
    const int length = free_squares(square, direction, own);
    if (length == 0) continue;
    pins.push_back({{slots_->of[ray_number(square, direction)], narrow(length), narrow(direction)},
                    slots_->of[ray_number(king, direction)],
                    narrow(free_squares(king, direction, own) + 1),
                    narrow(square)});
  }
}

WayTo RowPlan::way_to(int square) const {
  const Pieces& pieces = configuration.pieces;
  const Bitboard target = bit(square);
  const int back = side == Color::kWhite ? -8 : 8;
  const std::uint8_t each = (target & back_rank(~side)) != 0 ? 4 : 1;
  WayTo way;
  way.always = narrow(popcount(knight_attacks(square) & pieces.knights));
  way.if_taking = narrow(each * popcount(pawn_attacks_of(~side, square) & pieces.pawns));
  if ((target & pawns.single) != 0) way.if_empty = each;
  if ((target & pawns.twice) != 0) {
    way.if_passed = 1;
    way.passed = narrow(square + back);
  }
  for (int direction = 0; direction < kDirections; ++direction) {
    const Bitboard slider = first_met(square, direction, own);
    if ((slider & sliders_of(pieces, direction)) == 0) continue;
    way.slider[way.sliders++] = {slots_->of[ray_number(lowest(slider), opposite(direction))],
                                 narrow(free_squares(square, direction, own) + 1)};
  }
  return way;
}

const std::vector<WayTo>& RowPlan::ways(std::size_t check) {
  std::vector<WayTo>& ways = ways_[check];
  if (ways.empty()) {
    const RayTest& test = king_plan.king.tests[check];
    for (int i = 1; i <= test.length; ++i)
      ways.push_back(way_to(king + i * step_of(test.direction)));
  }
  return ways;
}

}  // namespace manyply
