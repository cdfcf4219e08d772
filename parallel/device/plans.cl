// Plans, and counting the rows' moves by plans. The plan of a row has the data that are the same
// for all columns. The build puts this file between moves.cl and last_plies.cl.

#define MOST_RAYS 40  // so that a plan has 512 bytes
/// The data of a row that are the same for all columns. If the row has more rays than a plan can
/// have, the plan is overfull. Then `checked_from` has all squares, so that the pairs of the row
/// are counted without the plan.
typedef struct __attribute__((aligned(16))) {
  Pieces pieces;
  u64 all, castling;
  u64 sight;                 // squares that the row attacks if the column has no piece in between
  u64 checked_from;          // the king's square: a column that attacks it by a step gives check
  u64 pinned_by_b, pinned_by_r;  // where a bishop or a rook gives check or pins a piece
  u64 king_sees_b, king_sees_r;  // where a bishop or a rook gives check
  u64 steps, steps_see_b, steps_see_r;  // where the king may go; where sliders may attack `steps`
  u64 push, push_twice, to_west, to_east;  // targets of pawns
  // The squares that sliders see, as rays. Rays upwards fill the array from its front. Rays
  // downwards fill it from its back, and have their squares in reverse order. There is an even
  // number of rays in each direction, if necessary with an empty ray, because the loop in
  // count_rays() handles two at a time.
  u64 ray[MOST_RAYS];
  u32 rays_up, first_ray_down;
  u32 knight_moves, promotes;
  u32 may_castle, is_overfull;
} Plan;

/// Adds the two rays from `from` along `line` to a plan. Returns the squares of `line` that a
/// slider on `from` attacks.
static u64 add_rays(global Plan* plan, u32* up, u32* down, u64 from, u64 line, u64 own) {
  u64 attacked = attacks_along(line ^ from, from, own), seen = attacked & ~own;
  u64 below = seen & (from - 1), above = seen ^ below;
  if (above && *up + *down < MOST_RAYS) plan->ray[*up] = above;
  *up += above != 0;
  if (below && *up + *down < MOST_RAYS) plan->ray[MOST_RAYS - 1 - *down] = reversed(below);
  *down += below != 0;
  return attacked;
}

/// Writes the rays of all sliders, and returns the squares that they attack.
static u64 plan_rays(global Plan* plan, Pieces row, u64 own) {
  u32 up = 0, down = 0;
  u64 attacked = 0, bishops = row.bishops_queens, rooks = row.rooks_queens;
  while (bishops) {
    int square = lowest(bishops);
    u64 from = pop_lowest_bit(&bishops);
    attacked |= add_rays(plan, &up, &down, from, diagonal_up_of(square), own);
    attacked |= add_rays(plan, &up, &down, from, diagonal_down_of(square), own);
  }
  while (rooks) {
    int square = lowest(rooks);
    u64 from = pop_lowest_bit(&rooks);
    attacked |= add_rays(plan, &up, &down, from, file_of(square), own);
    attacked |= add_rays(plan, &up, &down, from, rank_of(square), own);
  }
  u32 is_overfull = up + up % 2 + down + down % 2 > MOST_RAYS;
  if (up % 2 && !is_overfull) plan->ray[up++] = 0;
  if (down % 2 && !is_overfull) plan->ray[MOST_RAYS - ++down] = 0;
  plan->is_overfull = is_overfull;
  plan->rays_up = up;
  plan->first_ray_down = MOST_RAYS - down;
  return attacked;
}

/// Writes the squares from which a column can give check, pin a piece, or attack a square where the
/// king may go.
static void plan_king(global Plan* plan, Pieces row, u64 own) {
  int king = lowest(row.king);
  u64 bishop = bishop_attacks(king, own), rook = rook_attacks(king, own);
  plan->king_sees_b = bishop & ~own;
  plan->king_sees_r = rook & ~own;
  // The next two sets include squares behind the row's first piece on each line. From there, a
  // slider pins this piece.
  plan->pinned_by_b = bishop_attacks(king, own & ~bishop);
  plan->pinned_by_r = rook_attacks(king, own & ~rook);
  u64 steps = king_attacks(row.king) & ~own, see_b = steps, see_r = steps;
  plan->steps = steps;
  while (steps) {
    int step = pop_lowest(&steps);
    see_b |= bishop_attacks(step, own ^ row.king) & ~own;
    see_r |= rook_attacks(step, own ^ row.king) & ~own;
  }
  plan->steps_see_b = see_b;
  plan->steps_see_r = see_r;
}

/// Returns whether the row's own pieces let the king castle with any of `rooks`.
static u32 way_is_free(int king, u64 rooks, u64 own) {
  while (rooks)
    if (!(castling_path(king, pop_lowest(&rooks)).empty & own)) return 1;
  return 0;
}

/// Makes the plans of `count` rows of `list`, from list[first_listed] on. In these plans, the
/// columns' side has captured the row's piece on square `taken`. If `taken` is 64, that side has
/// captured nothing.
KERNEL plan_rows(u32 first_group, const global u64* rows, u32 stride, const global u32* list,
                 u32 first_listed, u32 count, u32 taken, global Plan* plans) {
  u32 number = (first_group + GROUP) * LANES + LANE;
  if (number >= count) return;
  u32 row = list[first_listed + number];
  u64 captured = taken < 64 ? bit_of(taken) : 0;
  Pieces pieces = without(pieces_at(rows, stride, row), captured);
  u64 own = occupied_by(pieces), castling = set_at(rows, stride, CASTLING, row) & ~captured;
  global Plan* plan = plans + number;
  plan->pieces = pieces;
  plan->all = own;
  plan->castling = castling;
  plan->may_castle = way_is_free(lowest(pieces.king), castling & RANK_1, own);
  plan->sight = plan_rays(plan, pieces, own) | pawn_attacks_up(pieces.pawns) |
                knight_attacks(pieces.knights) | king_attacks(pieces.king);
  plan->checked_from = plan->is_overfull ? ~0UL : pieces.king;
  plan_king(plan, pieces, own);
  u32 knight_moves = 0;
  for (u64 knights = pieces.knights; knights;)
    knight_moves += count_of(knight_attacks(pop_lowest_bit(&knights)) & ~own);
  plan->knight_moves = knight_moves;
  u64 push = pieces.pawns << 8 & ~own;
  plan->push = push;
  plan->push_twice = (push & RANK_3) << 8 & ~own;
  plan->to_west = west_of(pieces.pawns) << 8 & ~own;
  plan->to_east = east_of(pieces.pawns) << 8 & ~own;
  plan->promotes = (pieces.pawns << 8 & RANK_8) != 0;
}

// ---- counting the rows' moves by a plan -----------------------------------------------------------

/// Returns whether the column may give check or pin a piece, or the plan is overfull.
static int is_hard(const global Plan* plan, View column) {
  return ((column.steps & plan->checked_from) | (column.bishops_queens & plan->pinned_by_b) |
          (column.rooks_queens & plan->pinned_by_r)) != 0;
}

/// Returns the number of squares of a ray up to and including the first of `pieces`.
static u32 squares_seen(u64 ray, u64 pieces) {
  u64 met = ray & pieces;
  return count_of(ray & (met ^ (met - 1)));  // without a piece, all of the ray
}

static u32 count_rays(const global u64* ray, u32 rays, u64 pieces) {
  u32 squares = 0;
#pragma unroll 1
  for (u32 i = 0; i < rays; i += 2)
    squares += squares_seen(ray[i], pieces) + squares_seen(ray[i + 1], pieces);
  return squares;
}

static u32 count_pawns_by_plan(const global Plan* plan, View column) {
  u64 push = plan->push & ~column.all, push_twice = push << 8 & plan->push_twice & ~column.all;
  u64 first = push | push_twice | (plan->to_west & column.all), second = plan->to_east & column.all;
  u32 moves = count_of(first) + count_of(second);
  if (plan->promotes) moves += 3 * (count_of(first & RANK_8) + count_of(second & RANK_8));
  return moves;
}

static u32 count_king_by_plan(const global Plan* plan, View column) {
  if (!plan->steps) return 0;
  u64 safe = plan->steps & ~column.steps, occupied = (plan->all ^ plan->pieces.king) | column.all;
  // Loop over the enemy sliders that may attack a square to which the king can move. There are
  // usually fewer such sliders than such squares.
  u64 bishops = column.bishops_queens & plan->steps_see_b;
  u64 rooks = column.rooks_queens & plan->steps_see_r;
  while (bishops) safe &= ~bishop_attacks(pop_lowest(&bishops), occupied);
  while (rooks) safe &= ~rook_attacks(pop_lowest(&rooks), occupied);
  return count_of(safe);
}

/// Returns the number of the row's moves except castling and en passant captures. The number is
/// right only if is_hard() is false.
static u32 count_by_plan(const global Plan* plan, View column) {
  u32 moves = plan->knight_moves + count_pawns_by_plan(plan, column);
  moves += count_rays(plan->ray, plan->rays_up, column.all);
  u32 first_down = plan->first_ray_down;
  moves += count_rays(plan->ray + first_down, MOST_RAYS - first_down, column.backwards);
  return moves + count_king_by_plan(plan, column);
}
static u32 count_castling_by_plan(const global Plan* plan, Pieces column, u64 their) {
  return count_castling(plan->pieces, column, plan->all | their, plan->castling & RANK_1);
}

/// Returns the number of moves by which the pinned piece would leave `line` if it were not pinned.
/// Each promotion counts as 4 moves.
static u32 count_moves_off(u64 line, u64 pinned, Position p) {
  if (pinned & p.row.pawns) return count_pawn_moves(p, pinned, ~line);
  return count_piece_moves(p, pinned, ~(p.own | line));
}

/// Returns the number of the row's moves, including castling. Use it if is_hard() is true. If the
/// row is in check or the plan is overfull, returns NONE; count_moves() must then count the moves.
FAR u32 count_pinned_by_plan(const global Plan* plan, Pieces column, View view) {
  Position p = position_of(plan->pieces, column);
  u64 bishop = bishop_attacks(p.king, p.occupied), rook = rook_attacks(p.king, p.occupied);
  u64 checkers = (bishop & view.bishops_queens) | (rook & view.rooks_queens);
  if ((view.steps & plan->checked_from) | checkers)
    return NONE;
  u32 moves = count_by_plan(plan, view);
  if (plan->may_castle) moves += count_castling_by_plan(plan, column, p.their);
  // Subtract the moves by which pinned pieces leave their lines. count_by_plan() has included these
  // moves.
  u64 first = (bishop | rook) & p.own;
  u64 pinners = (bishop_attacks(p.king, p.occupied & ~(bishop & p.own)) & view.bishops_queens) |
                (rook_attacks(p.king, p.occupied & ~(rook & p.own)) & view.rooks_queens);
  while (pinners) {
    int pinner = pop_lowest(&pinners);
    u64 line = line_through(p.king, pinner);
    moves -= count_moves_off(line, between(p.king, pinner) & first, p);
  }
  return moves;
}
