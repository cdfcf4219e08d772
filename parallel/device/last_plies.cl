// The last plies of a count by configurations, in OpenCL C 1.2.
//
// X is the side that has moved last and whose moves are counted in the end; Y is the other side.
// X's configurations are rows, Y's are columns. The host turns boards over so that X's pawns move to
// higher squares.
//
// A pair is dense if both configurations are ordinary (parallel/matrix/last_rows.h). Only quiet moves
// lead to dense pairs, and only from dense ones, so tables count them:
//   plan_rows      what is the same for a row, whichever column it meets
//   spread_rows    the dense part of the matrix before X's move, as a table
//   pull           paths to dense pairs after X's move
//   leaf           Y's moves, then X's moves, which are only counted
//   answer_pushes  X's en passant captures in the last ply
// All other pairs:
//   other_pairs    paths after X's move, in a hash table for each row
//   two_plies      Y's moves one by one, then X's moves, which are only counted
//   list_chances, answer_chances   Y's en passant captures after X's double pushes
// No configuration has a right to capture en passant, so these captures are counted in addition.
//
// Totals are exact. Entries of the matrix are below 2^31. Each addition of paths is checked: two
// numbers below 2^31 have a sum below 2^32, so bit 31 shows if a sum is too large. Then a flag is set
// and the count has no result. The host adds up the totals of groups in 128 bits.
//
// Each group has LANES work-items. A launch may be one slice of a larger job, so each kernel gets the
// number of the first group of its slice.
typedef ulong u64;
typedef uint u32;

#define LANES 64
#define KERNEL __attribute__((reqd_work_group_size(LANES, 1, 1))) kernel void
#define FAR __attribute__((noinline)) static
#define GROUP ((u32)get_group_id(0))
#define LANE ((u32)get_local_id(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)

// Constants of 64 bits end in UL: in OpenCL C, ULL has 128 bits.
#define FILE_A 0x0101010101010101UL
#define FILE_H 0x8080808080808080UL
#define RANK_1 0xFFUL
#define RANK_3 0xFF0000UL
#define RANK_6 0xFF0000000000UL
#define RANK_8 0xFF00000000000000UL
#define DIAGONAL_UP 0x8040201008040201UL
#define DIAGONAL_DOWN 0x0102040810204080UL
#define NONE 0xFFFFFFFFu

// ---- sets of squares ------------------------------------------------------------------------------

static u64 bit_of(int square) { return 1UL << square; }
static u64 lowest_of(u64 set) { return set & (0 - set); }
static int lowest(u64 set) { return 63 - (int)clz(lowest_of(set)); }
static int count_of(u64 set) { return (int)popcount(set); }

static u64 reversed(u64 set) {
  set = (set >> 1 & 0x5555555555555555UL) | (set & 0x5555555555555555UL) << 1;
  set = (set >> 2 & 0x3333333333333333UL) | (set & 0x3333333333333333UL) << 2;
  set = (set >> 4 & 0x0F0F0F0F0F0F0F0FUL) | (set & 0x0F0F0F0F0F0F0F0FUL) << 4;
  return as_ulong(as_uchar8(set).s76543210);
}
// With this function the compiler may use the processor's own instruction.
#if defined(__has_builtin) && !defined(PLAIN_REVERSAL)
#if __has_builtin(__builtin_bitreverse64)
#define reversed(set) __builtin_bitreverse64(set)
#endif
#endif

static u64 knight_attacks(u64 from) {
  u64 by_one = (from >> 1 & ~FILE_H) | (from << 1 & ~FILE_A);
  u64 by_two = (from >> 2 & 0x3F3F3F3F3F3F3F3FUL) | (from << 2 & 0xFCFCFCFCFCFCFCFCUL);
  return by_one << 16 | by_one >> 16 | by_two << 8 | by_two >> 8;
}
static u64 king_attacks(u64 from) {
  u64 row = from | (from << 1 & ~FILE_A) | (from >> 1 & ~FILE_H);
  return (row | row << 8 | row >> 8) ^ from;
}
static u64 pawn_attacks_up(u64 from) { return (from << 9 & ~FILE_A) | (from << 7 & ~FILE_H); }
static u64 pawn_attacks_down(u64 from) { return (from >> 7 & ~FILE_A) | (from >> 9 & ~FILE_H); }

/// Attacks from `from` in both directions of `line`, which must not contain it ("o^(o-2r)").
static u64 attacks_along(u64 line, u64 from, u64 occupied) {
  u64 met = occupied & line;
  return ((met - from) ^ reversed(reversed(met) - reversed(from))) & line;
}
static u64 straight_attacks(int square, u64 occupied) {
  u64 from = bit_of(square);
  return attacks_along((FILE_A << (square & 7)) ^ from, from, occupied) |
         attacks_along((RANK_1 << (square & 56)) ^ from, from, occupied);
}
static u64 shifted(u64 set, int by) { return by > 0 ? set << by : set >> -by; }
static u64 diagonal_up_of(int square) {
  return shifted(DIAGONAL_UP, 8 * ((square >> 3) - (square & 7)));
}
static u64 diagonal_down_of(int square) {
  return shifted(DIAGONAL_DOWN, 8 * ((square >> 3) + (square & 7) - 7));
}
static u64 diagonal_attacks(int square, u64 occupied) {
  u64 from = bit_of(square);
  return attacks_along(diagonal_up_of(square) ^ from, from, occupied) |
         attacks_along(diagonal_down_of(square) ^ from, from, occupied);
}
/// Returns the squares between two squares of one line; none if they are not in line.
static u64 between(int a, int b) {
  u64 ends = bit_of(a) | bit_of(b);
  if (straight_attacks(a, 0) >> b & 1)
    return straight_attacks(a, ends) & straight_attacks(b, ends) & ~ends;
  if (diagonal_attacks(a, 0) >> b & 1)
    return diagonal_attacks(a, ends) & diagonal_attacks(b, ends) & ~ends;
  return 0;
}
/// Returns the squares from `a` to `b`, both included, on one rank.
static u64 span(int a, int b) {
  int low = min(a, b), high = max(a, b);
  return ((bit_of(high - low) << 1) - 1) << low;
}

// ---- one side's pieces ----------------------------------------------------------------------------

/// `diagonals` has bishops and queens, `straights` rooks and queens.
typedef struct { u64 pawns, knights, diagonals, straights, king; } Side;

static u64 all_of(Side s) { return s.pawns | s.knights | s.diagonals | s.straights | s.king; }
static Side without(Side s, u64 lost) {
  s.pawns &= ~lost;
  s.knights &= ~lost;
  s.diagonals &= ~lost;
  s.straights &= ~lost;
  return s;
}

FAR int sliders_attack(int square, u64 diagonals, u64 straights, u64 occupied) {
  return ((diagonal_attacks(square, occupied) & diagonals) |
          (straight_attacks(square, occupied) & straights)) != 0;
}
static int y_attacks(int square, Side y, u64 occupied) {
  u64 from = bit_of(square);
  if ((knight_attacks(from) & y.knights) | (king_attacks(from) & y.king) |
      (pawn_attacks_up(from) & y.pawns))
    return 1;
  return sliders_attack(square, y.diagonals, y.straights, occupied);
}
static int x_attacks(int square, Side x, u64 occupied) {
  u64 from = bit_of(square);
  if ((knight_attacks(from) & x.knights) | (king_attacks(from) & x.king) |
      (pawn_attacks_down(from) & x.pawns))
    return 1;
  return sliders_attack(square, x.diagonals, x.straights, occupied);
}
static u64 step_attacks_of_y(Side y) {
  return pawn_attacks_down(y.pawns) | knight_attacks(y.knights) | king_attacks(y.king);
}

/// Returns whether X may castle with the rook on `rook`. Precondition: X is not in check.
static int may_castle(Side x, Side y, u64 occupied, int rook) {
  int king = lowest(x.king), king_side = rook > king;
  int to = king_side ? 6 : 2, rook_to = king_side ? 5 : 3;
  u64 both = x.king | bit_of(rook), way = span(king, to);
  if ((way | span(rook, rook_to)) & occupied & ~both) return 0;
  for (way &= ~x.king; way; way &= way - 1)
    if (y_attacks(lowest(way), y, occupied ^ x.king)) return 0;
  return !sliders_attack(to, y.diagonals, y.straights,
                         (occupied & ~both) | bit_of(to) | bit_of(rook_to));
}

/// Returns the number of X's legal moves. `passed` is the square where X may capture en passant, as
/// a set.
FAR u32 count_moves(Side x, Side y, u64 castling, u64 passed) {
  u64 own = all_of(x), their = all_of(y), occupied = own | their;
  int king = lowest(x.king);
  u64 steps = king_attacks(x.king) & ~own, rooks = castling & RANK_1;
  u64 danger = step_attacks_of_y(y);
  if (steps & ~danger) {
    for (u64 left = y.diagonals; left; left &= left - 1)
      danger |= diagonal_attacks(lowest(left), occupied ^ x.king);
    for (u64 left = y.straights; left; left &= left - 1)
      danger |= straight_attacks(lowest(left), occupied ^ x.king);
  }
  u32 n = count_of(steps & ~danger);
  u64 straight = straight_attacks(king, occupied), diagonal = diagonal_attacks(king, occupied);
  u64 checkers = (knight_attacks(x.king) & y.knights) | (pawn_attacks_up(x.king) & y.pawns) |
                 (straight & y.straights) | (diagonal & y.diagonals);
  if (checkers & (checkers - 1)) return n;
  u64 target = ~own;
  if (checkers) target = checkers | between(king, lowest(checkers));
  else
    for (; rooks; rooks &= rooks - 1) n += may_castle(x, y, occupied, lowest(rooks));

  u64 pinned = 0;
  u64 snipers = (straight_attacks(king, their) & y.straights) |
                (diagonal_attacks(king, their) & y.diagonals);
  for (; snipers; snipers &= snipers - 1) {
    u64 sniper = lowest_of(snipers), line = between(king, lowest(sniper)), pin = line & own;
    if (pin == 0 || (pin & (pin - 1))) continue;
    pinned |= pin;
    if (checkers) continue;
    // On the line: a slider can go to all of it except its own square, and capture the sniper.
    if (pin & ((straight_attacks(king, 0) & sniper) ? x.straights : x.diagonals))
      n += count_of(line);
    if (pin & x.pawns) {
      u64 once = (pin << 8) & ~occupied & line;
      n += count_of(once) + count_of(((once & RANK_3) << 8) & ~occupied & line);
      u64 taken = pawn_attacks_up(pin) & sniper;
      n += taken ? ((taken & RANK_8) ? 4 : 1) : 0;
    }
  }
  for (u64 left = x.knights & ~pinned; left; left &= left - 1)
    n += count_of(knight_attacks(lowest_of(left)) & target);
  for (u64 left = x.diagonals & ~pinned; left; left &= left - 1)
    n += count_of(diagonal_attacks(lowest(left), occupied) & target);
  for (u64 left = x.straights & ~pinned; left; left &= left - 1)
    n += count_of(straight_attacks(lowest(left), occupied) & target);
  u64 pawns = x.pawns & ~pinned;
  u64 once = (pawns << 8) & ~occupied, twice = ((once & RANK_3) << 8) & ~occupied & target;
  u64 west = (pawns << 7) & ~FILE_H & their & target, east = (pawns << 9) & ~FILE_A & their & target;
  once &= target;
  n += count_of(once | twice | west) + count_of(east);  // no square is in two of the first three
  n += 3 * (count_of((once | west) & RANK_8) + count_of(east & RANK_8));
  if (passed)
    for (u64 from = pawn_attacks_down(passed) & x.pawns; from; from &= from - 1) {
      u64 gone = passed >> 8, changed = lowest_of(from) | passed | gone;
      n += !y_attacks(king, without(y, gone), occupied ^ changed);
    }
  return n;
}

// ---- planes: one array for each set of all configurations -----------------------------------------

enum { PAWNS, KNIGHTS, DIAGONALS, STRAIGHTS, KING, CASTLING, ALL, STEPS, BACKWARDS };

static Side side_at(const global u64* planes, u32 stride, u32 i) {
  Side s;
  s.pawns = planes[PAWNS * (size_t)stride + i];
  s.knights = planes[KNIGHTS * (size_t)stride + i];
  s.diagonals = planes[DIAGONALS * (size_t)stride + i];
  s.straights = planes[STRAIGHTS * (size_t)stride + i];
  s.king = planes[KING * (size_t)stride + i];
  return s;
}

/// Fills the planes that follow from the others: all pieces, the attacks of Y's pawns, knights and
/// king, and all pieces in reverse order of squares.
KERNEL fill_planes(u32 first_group, global u64* planes, u32 stride) {
  u32 i = (first_group + GROUP) * LANES + LANE;
  Side s = side_at(planes, stride, i);
  u64 all = all_of(s);
  planes[ALL * (size_t)stride + i] = all;
  planes[STEPS * (size_t)stride + i] = step_attacks_of_y(s);
  planes[BACKWARDS * (size_t)stride + i] = reversed(all);
}

/// Sets `count` words to 0. A group has WORDS_OF_GROUP of them.
#define WORDS_OF_GROUP 4096
KERNEL clear_words(u32 first_group, global u32* words, u32 count) {
  size_t begin = (size_t)(first_group + GROUP) * WORDS_OF_GROUP;
  for (size_t i = begin + LANE; i < min(begin + WORDS_OF_GROUP, (size_t)count); i += LANES)
    words[i] = 0;
}

// ---- totals ---------------------------------------------------------------------------------------

/// Writes the sums of `leaves` and `positions` over all lanes of a group. One lane has at most 2^58
/// leaves below 2^31 paths, and so has the group, because lanes share the same pairs.
#define ADD_UP(scratch, leaves, positions, totals)                                 \
  for (u32 which = 0; which < 2; ++which) {                                        \
    scratch[LANE] = which ? (u64)(positions) : (leaves);                           \
    BARRIER;                                                                       \
    for (u32 step = LANES / 2; step; step /= 2) {                                  \
      if (LANE < step) scratch[LANE] += scratch[LANE + step];                      \
      BARRIER;                                                                     \
    }                                                                              \
    if (LANE == 0) (totals)[2 * GROUP + which] = scratch[0];                       \
    BARRIER;                                                                       \
  }

/// Adds `count` totals of groups to `sums`: low halves of the leaves, high halves, positions. Each
/// group of this kernel has its own three sums.
#define TOTALS_OF_GROUP 4096
KERNEL add_totals(u32 first_group, const global u64* totals, u32 count, global u64* sums) {
  local u64 scratch[3 * LANES];
  u32 begin = GROUP * TOTALS_OF_GROUP, end = min(begin + TOTALS_OF_GROUP, count);
  u64 low = 0, high = 0, positions = 0;
  for (u32 i = begin + LANE; i < end; i += LANES) {
    low += totals[2 * i] & 0xFFFFFFFFUL;
    high += totals[2 * i] >> 32;
    positions += totals[2 * i + 1];
  }
  scratch[3 * LANE] = low;
  scratch[3 * LANE + 1] = high;
  scratch[3 * LANE + 2] = positions;
  BARRIER;
  if (LANE < 3) {
    u64 sum = 0;
    for (u32 i = 0; i < LANES; ++i) sum += scratch[3 * i + LANE];
    sums[3 * GROUP + LANE] += sum;
  }
}

// ---- plans: what is the same for a row, whichever column it meets ---------------------------------

#define MOST_RAYS 40
typedef struct {
  Side x;
  u64 castling, own;
  u64 sight;                 // squares that X attacks if none of Y's pieces is in between
  u64 king_d, king_o;        // squares from which a slider may attack X's king
  u64 xray_d, xray_o;        // the same, and through one of X's pieces
  u64 steps;                 // where the king may go
  u64 steps_d, steps_o;      // squares from which a slider may attack one of `steps`
  u64 once, twice, west, east;  // targets of pawns
  u64 ray[MOST_RAYS];        // rays of sliders: first those to higher squares, then others, reversed
  u32 up, rays, knight_moves, castles;
} Plan;

/// Returns the squares that a slider on `square` sees behind no piece of `own`.
static u64 seen_from(int square, u64 own, int straight) {
  return (straight ? straight_attacks(square, own) : diagonal_attacks(square, own)) & ~own;
}

/// Makes plans of rows list[first_listed ...], for the case that Y captures on square `taken` (64:
/// no capture).
KERNEL plan_rows(u32 first_group, const global u64* rows, u32 stride, const global u32* list,
                 u32 first_listed, u32 count, u32 taken, global Plan* plans) {
  u32 i = (first_group + GROUP) * LANES + LANE;
  if (i >= count) return;
  u32 row = list[first_listed + i];
  u64 gone = taken < 64 ? bit_of(taken) : 0;
  global Plan* plan = plans + i;
  Side x = without(side_at(rows, stride, row), gone);
  u64 own = all_of(x), castling = rows[CASTLING * (size_t)stride + row] & ~gone;
  int king = lowest(x.king);
  u64 sight = king_attacks(x.king) | pawn_attacks_up(x.pawns) | knight_attacks(x.knights);
  u32 knight_moves = 0, rays = 0;
  for (u64 left = x.knights; left; left &= left - 1)
    knight_moves += count_of(knight_attacks(lowest_of(left)) & ~own);
  for (int backwards = 0; backwards < 2; ++backwards) {
    for (int straight = 0; straight < 2; ++straight)
      for (u64 left = straight ? x.straights : x.diagonals; left; left &= left - 1) {
        int square = lowest(left);
        u64 all = straight ? straight_attacks(square, own) : diagonal_attacks(square, own);
        sight |= all;
        all &= ~own & (backwards ? bit_of(square) - 1 : ~(bit_of(square) - 1));
        // Two rays in this direction.
        u64 first = all & (straight ? FILE_A << (square & 7) : diagonal_up_of(square));
        for (int second = 0; second < 2; ++second) {
          u64 ray = second ? all & ~first : first;
          if (ray && rays < MOST_RAYS) plan->ray[rays] = backwards ? reversed(ray) : ray;
          rays += ray != 0;
        }
      }
    if (!backwards) plan->up = rays;
  }
  plan->x = x;
  plan->castling = castling;
  plan->own = own;
  plan->sight = sight;
  plan->rays = rays;
  plan->knight_moves = knight_moves;
  u64 diagonal = diagonal_attacks(king, own), straight = straight_attacks(king, own);
  plan->king_d = diagonal & ~own;
  plan->king_o = straight & ~own;
  plan->xray_d = diagonal_attacks(king, own & ~diagonal);
  plan->xray_o = straight_attacks(king, own & ~straight);
  u64 steps = king_attacks(x.king) & ~own, steps_d = 0, steps_o = 0;
  for (u64 left = steps; left; left &= left - 1) {
    steps_d |= seen_from(lowest(left), own ^ x.king, 0) | lowest_of(left);
    steps_o |= seen_from(lowest(left), own ^ x.king, 1) | lowest_of(left);
  }
  plan->steps = steps;
  plan->steps_d = steps_d;
  plan->steps_o = steps_o;
  u64 once = (x.pawns << 8) & ~own;
  plan->once = once;
  plan->twice = ((once & RANK_3) << 8) & ~own;
  plan->west = (x.pawns << 7) & ~FILE_H & ~own;
  plan->east = (x.pawns << 9) & ~FILE_A & ~own;
  u32 castles = 0;  // whether X's own pieces leave the way free for any rook
  for (u64 left = castling & RANK_1; left; left &= left - 1) {
    int rook = lowest(left), king_side = rook > king;
    u64 way = span(king, king_side ? 6 : 2) | span(rook, king_side ? 5 : 3);
    castles |= (way & own & ~(x.king | bit_of(rook))) == 0;
  }
  plan->castles = castles;
}

/// What the count against a column reads of the column.
typedef struct { u64 diagonals, straights, king, all, steps, backwards; } Seen;

static Seen seen_at(const global u64* planes, u32 stride, u32 i) {
  Seen y;
  y.diagonals = planes[DIAGONALS * (size_t)stride + i];
  y.straights = planes[STRAIGHTS * (size_t)stride + i];
  y.king = planes[KING * (size_t)stride + i];
  y.all = planes[ALL * (size_t)stride + i];
  y.steps = planes[STEPS * (size_t)stride + i];
  y.backwards = planes[BACKWARDS * (size_t)stride + i];
  return y;
}
static Seen seen_of(Side side) {
  Seen y = {side.diagonals, side.straights, side.king, all_of(side), step_attacks_of_y(side), 0};
  y.backwards = reversed(y.all);
  return y;
}

/// Returns whether X may be in check or have a pinned piece, or has more rays than a plan can hold.
static int is_hard(const global Plan* plan, Seen y) {
  return plan->rays > MOST_RAYS || ((y.steps & plan->x.king) | (y.diagonals & plan->xray_d) |
                                    (y.straights & plan->xray_o)) != 0;
}

/// Returns X's moves, without castling, if it is not in check and has no pinned piece.
static u32 count_planned(const global Plan* plan, Seen y) {
  u32 n = plan->knight_moves;
  u64 once = plan->once & ~y.all;
  u64 twice = plan->twice & ((once & RANK_3) << 8) & ~y.all;
  u64 west = plan->west & y.all, east = plan->east & y.all;
  n += count_of(once | twice | west) + count_of(east);
  if ((plan->once | plan->west | plan->east) & RANK_8)
    n += 3 * (count_of((once | west) & RANK_8) + count_of(east & RANK_8));
  u32 ray = 0, rays = plan->rays, up = plan->up;
  for (; ray < up; ++ray) {
    u64 line = plan->ray[ray], met = y.all & line;
    n += count_of(line & (met ^ (met - 1)));
  }
  for (; ray < rays; ++ray) {
    u64 line = plan->ray[ray], met = y.backwards & line;
    n += count_of(line & (met ^ (met - 1)));
  }
  if (plan->steps) {
    u64 safe = plan->steps & ~y.steps;
    if ((y.diagonals & plan->steps_d) | (y.straights & plan->steps_o)) {
      u64 occupied = (plan->own ^ plan->x.king) | y.all;
      for (u64 left = safe; left; left &= left - 1)
        if (sliders_attack(lowest(left), y.diagonals, y.straights, occupied))
          safe ^= lowest_of(left);
    }
    n += count_of(safe);
  }
  return n;
}
static u32 count_castling(const global Plan* plan, Side y, u64 occupied) {
  u32 n = 0;
  for (u64 rooks = plan->castling & RANK_1; rooks; rooks &= rooks - 1)
    n += may_castle(plan->x, y, occupied, lowest(rooks));
  return n;
}

/// Returns the moves of the pinned piece `pin` that leave the line of the pin.
static u32 moves_off_line(u64 pin, u64 line, Side x, u64 own, u64 their) {
  u64 occupied = own | their, to = 0;
  if (pin & x.pawns) {
    u64 once = (pin << 8) & ~occupied;
    to = once | (((once & RANK_3) << 8) & ~occupied) | (pawn_attacks_up(pin) & their);
    to &= ~line;
    return count_of(to) + 3 * count_of(to & RANK_8);
  }
  if (pin & x.knights) to = knight_attacks(pin);
  if (pin & x.diagonals) to |= diagonal_attacks(lowest(pin), occupied);
  if (pin & x.straights) to |= straight_attacks(lowest(pin), occupied);
  return count_of(to & ~own & ~line);
}

/// Counts X's moves if is_hard(), castling included. Returns NONE if count_moves() must count them.
FAR u32 count_hard(const global Plan* plan, Side y, Seen seen_y) {
  if (plan->rays > MOST_RAYS) return NONE;
  Side x = plan->x;
  u64 own = plan->own, their = seen_y.all, occupied = own | their;
  int king = lowest(x.king);
  u64 straight = straight_attacks(king, occupied), diagonal = diagonal_attacks(king, occupied);
  if ((seen_y.steps & x.king) | (straight & y.straights) | (diagonal & y.diagonals)) return NONE;
  u32 n = count_planned(plan, seen_y);
  if (plan->castles) n += count_castling(plan, y, occupied);
  u64 pins = (straight | diagonal) & own;
  u64 behind = straight_attacks(king, occupied & ~(straight & own));
  u64 behind_d = diagonal_attacks(king, occupied & ~(diagonal & own));
  u64 snipers = (behind & y.straights) | (behind_d & y.diagonals);
  for (; snipers; snipers &= snipers - 1) {
    int from = lowest(snipers);
    u64 sniper = bit_of(from);
    u64 line = FILE_A << (king & 7);
    if (!(line & sniper)) line = RANK_1 << (king & 56);
    if (!(line & sniper)) line = diagonal_up_of(king);
    if (!(line & sniper)) line = diagonal_down_of(king);
    u64 pin = attacks_along(line ^ sniper, sniper, occupied) & pins;
    n -= moves_off_line(pin, line, x, own, their);
  }
  return n;
}

// ---- dense pairs, first ply: X moves --------------------------------------------------------------

/// A move of X from row `source` before the ply. No piece of Y may be on `path`.
typedef struct {
  u64 path;
  u32 source;
  u32 castling;    // number + 1 of a Castling, or 0
  u32 to;          // where the move may capture; 64 if it cannot
  u32 is_capture;  // the move is possible only as a capture
} Edge;
/// Squares that must not be attacked, and X's other pieces before the move.
typedef struct { u64 safe, own; } Castling;

static int is_safe(Castling castling, Side y, u64 their) {
  for (u64 left = castling.safe; left; left &= left - 1)
    if (y_attacks(lowest(left), y, castling.own | their)) return 0;
  return 1;
}

/// Writes the dense part of the matrix before the ply. One group for each row.
KERNEL spread_rows(u32 first_group, const global u32* row_begin, const global u32* groups,
                   const global u32* paths, const global u32* dense_row,
                   const global u32* dense_column, u32 width, global u32* matrix) {
  u32 row = first_group + GROUP, to = dense_row[row];
  if (to == NONE) return;
  for (u32 at = row_begin[row] * 8 + LANE; at < row_begin[row + 1] * 8; at += LANES) {
    u32 column = dense_column[groups[at / 8] * 8 + at % 8];
    if (paths[at] && column != NONE) matrix[(size_t)to * width + column] = paths[at];
  }
}

/// Sums of paths: rows are in chunks of ROWS, and a column's ROWS sums are neighbours.
#define ROWS 32
#define SUM_AT(row, width, column) \
  (((size_t)((row) / ROWS) * (width) + (column)) * ROWS + (row) % ROWS)

/// Adds up the paths to dense pairs after X's move; illegal pairs get none. A group has LANES
/// columns and ROWS rows, the first of which is `first_row`.
KERNEL pull(u32 first_group, u32 tiles, const global u32* matrix, u32 width,
            const global Edge* edges, const global u32* first_edge, const global u32* dense_source,
            const global Castling* castlings, const global u64* columns, u32 first_row, u32 end_row,
            const global Plan* plans, global u32* sums, global u32* overflow) {
  local u32 turned[ROWS * (LANES + 1)];
  u32 group = first_group + GROUP, tile = group % tiles, block = group / tiles;
  u32 column = tile * LANES + LANE;  // columns behind the last one have no paths
  u64 their = columns[ALL * (size_t)width + column], steps = columns[STEPS * (size_t)width + column];
  u64 d = columns[DIAGONALS * (size_t)width + column], o = columns[STRAIGHTS * (size_t)width + column];
  u32 seen_bits = 0;
  for (u32 k = 0; k < ROWS; ++k) {
    u32 row = first_row + block * ROWS + k, sum = 0;
    if (row < end_row) {
      const global Plan* plan = plans + row;
      for (u32 e = first_edge[row], end = first_edge[row + 1]; e < end; ++e) {
        Edge edge = edges[e];
        u32 source = dense_source[edge.source];
        if (edge.is_capture || source == NONE) continue;
        u64 path = edge.path | (edge.to < 64 ? bit_of(edge.to) : 0);
        u32 paths = (path & their) ? 0 : matrix[(size_t)source * width + column];
        if (edge.castling && paths &&
            !is_safe(castlings[edge.castling - 1], side_at(columns, width, column), their))
          paths = 0;
        sum += paths;  // both are below 2^31, so bit 31 shows every overflow
        seen_bits |= sum;
      }
      if (sum && (steps & plan->x.king)) sum = 0;
      if (sum && ((d & plan->king_d) | (o & plan->king_o)) &&
          sliders_attack(lowest(plan->x.king), d, o, plan->own | their))
        sum = 0;
    }
    turned[k * (LANES + 1) + LANE] = sum;
  }
  BARRIER;
  size_t to = ((size_t)block * width + tile * LANES) * ROWS;
  for (u32 at = LANE; at < ROWS * LANES; at += LANES)
    sums[to + at] = turned[at % ROWS * (LANES + 1) + at / ROWS];
  if (seen_bits >> 31) *overflow = 1;
}

// ---- dense pairs, last two plies: Y moves, X's moves are counted ----------------------------------

/// A move of Y from column `source`. No piece of X may be on `path`.
typedef struct { u64 path; u32 source, castles; } Way;

/// Counts the leaves below dense pairs. A group has LANES columns after Y's move (`moved`), which
/// all come from captures on one square or all from quiet moves, and ROWS rows of `list`. The plan
/// of list[first_listed + i] is plans[first_plan + i].
///
/// First an item is a row, so that all items take the same ways and read neighbouring sums. Then an
/// item is a column, so that all items read the same plan. Pairs that need more work are collected
/// and shared out.
KERNEL leaf(u32 first_group, u32 tiles, const global u32* sums, u32 width,
            const global u32* first_way, const global Way* ways, const global u64* columns,
            const global u64* moved, u32 moved_stride, u32 first_tile, const global u32* list,
            u32 first_listed, u32 listed, const global Plan* plans, u32 first_plan, u32 first_row,
            global u64* totals, global u32* overflow) {
  local u64 scratch[LANES];
  local u32 turned[ROWS * (LANES + 1)], hard, checks;
  local ushort hard_pair[ROWS * LANES], check_pair[ROWS * LANES];
  u32 group = first_group + GROUP, begin = group / tiles * ROWS;
  u32 first = (first_tile + group % tiles) * LANES;
  plans += first_plan;
  {
    u32 k = LANE % ROWS, in_list = begin + k < listed, number = in_list ? begin + k : begin;
    const global u32* from = sums + SUM_AT(list[first_listed + number] - first_row, width, 0);
    u64 own = plans[number].own;  // without the captured piece
    u32 seen_bits = 0;
    for (u32 j = LANE / ROWS; j < LANES; j += LANES / ROWS) {
      u32 sum = 0;
      for (u32 w = first_way[first + j], end = first_way[first + j + 1]; w < end; ++w) {
        Way way = ways[w];
        u32 paths = (way.path & own) ? 0 : from[way.source * (size_t)ROWS];
        if (way.castles && paths) {
          Side before = side_at(columns, width, way.source), x = plans[number].x;
          u64 occupied = (all_of(before) ^ before.king) | own;
          u64 left = span(lowest(before.king),
                          lowest(moved[KING * (size_t)moved_stride + first + j]));
          for (; left && paths; left &= left - 1)
            if (x_attacks(lowest(left), x, occupied)) paths = 0;
        }
        sum += paths;
        seen_bits |= sum;
      }
      turned[k * (LANES + 1) + j] = in_list ? sum : 0;
    }
    if (seen_bits >> 31) *overflow = 1;
  }
  u32 i = first + LANE, pairs = 0;
  u64 total = 0;
  Seen y = seen_at(moved, moved_stride, i);
  if (LANE == 0) hard = checks = 0;
  BARRIER;
  for (u32 k = 0; k < ROWS; ++k) {
    u32 sum = turned[k * (LANES + 1) + LANE];
    if (sum == 0) continue;
    const global Plan* plan = plans + begin + k;
    if ((plan->sight & y.king) && x_attacks(lowest(y.king), plan->x, plan->own | y.all)) continue;
    ++pairs;
    if (is_hard(plan, y)) {
      hard_pair[atomic_inc(&hard)] = k * LANES + LANE;
      continue;
    }
    u32 n = count_planned(plan, y);
    if (plan->castles)
      n += count_castling(plan, side_at(moved, moved_stride, i), plan->own | y.all);
    total += (u64)sum * n;
  }
  BARRIER;
  for (u32 at = LANE; at < hard; at += LANES) {
    u32 k = hard_pair[at] / LANES, j = hard_pair[at] % LANES;
    u32 n = count_hard(plans + begin + k, side_at(moved, moved_stride, first + j),
                       seen_at(moved, moved_stride, first + j));
    if (n == NONE) check_pair[atomic_inc(&checks)] = hard_pair[at];
    else total += (u64)turned[k * (LANES + 1) + j] * n;
  }
  BARRIER;
  for (u32 at = LANE; at < checks; at += LANES) {
    u32 k = check_pair[at] / LANES, j = check_pair[at] % LANES;
    const global Plan* plan = plans + begin + k;
    u32 n = count_moves(plan->x, side_at(moved, moved_stride, first + j), plan->castling, 0);
    total += (u64)turned[k * (LANES + 1) + j] * n;
  }
  ADD_UP(scratch, total, pairs, totals);
}

/// A double push of Y, from column `source` to `moved`, over the square `passed`.
typedef struct { u64 path; u32 source, moved, passed, unused; } Push;

/// Adds X's en passant captures after Y's double pushes from dense pairs. A group has LANES pushes
/// and one row.
KERNEL answer_pushes(u32 first_group, u32 tiles, const global u32* sums, u32 width,
                     const global Push* pushes, u32 count, const global u64* moved,
                     u32 moved_stride, const global u32* list, u32 first_listed,
                     const global Plan* plans, u32 first_row, global u64* totals) {
  local u64 scratch[LANES];
  u32 group = first_group + GROUP, number = group % tiles * LANES + LANE;
  u32 row = list[first_listed + group / tiles];
  const global Plan* plan = plans + row;
  u64 leaves = 0;
  if (number < count) {
    Push push = pushes[number];
    u64 passed = bit_of(push.passed), takers = pawn_attacks_down(passed) & plan->x.pawns;
    u32 paths = 0;
    if (takers && !(push.path & plan->own))
      paths = sums[SUM_AT(row - first_row, width, push.source)];
    if (paths) {
      Side x = plan->x, y = side_at(moved, moved_stride, push.moved);
      u64 occupied = plan->own | all_of(y), gone = passed >> 8;
      if (!x_attacks(lowest(y.king), x, occupied))
        for (; takers; takers &= takers - 1) {
          u64 changed = lowest_of(takers) | passed | gone;
          if (!y_attacks(lowest(x.king), without(y, gone), occupied ^ changed)) leaves += paths;
        }
    }
  }
  ADD_UP(scratch, leaves, 0, totals);
}

// ---- other pairs, first ply: X moves --------------------------------------------------------------

typedef struct { u32 row, column, paths, unused; } Pair;
/// What a column becomes if X captures on one of `squares`: loss_to[first ...], in order of squares.
typedef struct { u64 squares; u32 first, is_dense; } Loss;

#define TABLE_BITS 11
#define SLOTS (1u << TABLE_BITS)
enum { FITS, TABLE_FULL, TOO_MANY_PATHS };

/// Adds paths to column `column` of a hash table in local memory.
static void add_paths(local u32* keys, local u32* sums, local u32* used, volatile local u32* full,
                      u32 column, u32 paths) {
  for (u32 at = column * 2654435769u >> (32 - TABLE_BITS);; at = (at + 1) % SLOTS) {
    u32 key = atomic_cmpxchg(&keys[at], NONE, column);
    // Leave room for what other items insert before they see `full`.
    if (key == NONE && atomic_inc(used) > SLOTS - 2 * LANES) *full = TABLE_FULL;
    if (key == NONE || key == column) {
      if ((atomic_add(&sums[at], paths) + paths) >> 31) *full = TOO_MANY_PATHS;
      return;
    }
    if (*full) return;
  }
}
static int is_in_part(u32 column, u32 part, u32 parts) {
  return parts == 1 || column * 0x9E3779B1u % parts == part;
}

enum { PAIRS_FOUND, CHANCES_FOUND, OVERFLOWN, ROW_FAILED };  // in `state`

/// Lists the pairs after X's move that are not dense. A group has one row of the list; the first
/// `dense_rows` rows are ordinary. Takes the columns in `parts` parts, for rows with more pairs than
/// the table holds. If a part does not fit, sets state[ROW_FAILED + number] and lists nothing of the
/// row.
KERNEL other_pairs(u32 first_group, const global u32* row_begin, const global u32* groups,
                   const global u32* matrix, const global Edge* edges,
                   const global u32* first_edge, const global Castling* castlings,
                   const global u32* first_extra, const global u32* extra,
                   const global u64* columns, u32 stride, const global Loss* losses,
                   const global u32* loss_to, u32 dense_rows, const global Plan* plans,
                   const global u32* list, u32 first_listed, u32 parts, global Pair* pairs,
                   u32 room, global u32* state) {
  local u32 keys[SLOTS], sums[SLOTS], used, found, base;
  local volatile u32 full;  // items read it while others set it
  u32 number = first_group + GROUP, row = list[first_listed + number];
  u32 dense = row < dense_rows;
  const global Plan* plan = plans + row;
  // A row in several parts is made twice: first to see whether all parts fit.
  for (u32 pass = parts == 1; pass < 2; ++pass)
    for (u32 part = 0; part < parts; ++part) {
      for (u32 at = LANE; at < SLOTS; at += LANES) {
        keys[at] = NONE;
        sums[at] = 0;
      }
      if (LANE == 0) used = full = found = 0;
      BARRIER;
      for (u32 e = first_edge[row], end = first_edge[row + 1]; e < end; ++e) {
        Edge edge = edges[e];
        u64 to = edge.to < 64 ? bit_of(edge.to) : 0;
        u32 begin = row_begin[edge.source] * 8, stop = row_begin[edge.source + 1] * 8;
        for (u32 at = begin + LANE; at < stop && !full; at += LANES) {
          u32 paths = matrix[at], column = groups[at / 8] * 8 + at % 8;
          if (paths == 0) continue;
          u64 their = columns[ALL * (size_t)stride + column];
          if (edge.path & their) continue;
          u32 after = column;
          if (to & their) {
            Loss loss = losses[column];
            after = loss_to[loss.first + count_of(loss.squares & (to - 1))];
          } else if (edge.is_capture) {
            continue;
          } else if (edge.castling &&
                     !is_safe(castlings[edge.castling - 1], side_at(columns, stride, column),
                              their)) {
            continue;
          }
          if ((dense && losses[after].is_dense) || !is_in_part(after, part, parts)) continue;
          add_paths(keys, sums, &used, &full, after, paths);
        }
      }
      for (u32 k = first_extra[row] + LANE; k < first_extra[row + 1] && !full; k += LANES) {
        u32 column = extra[2 * k];
        if (is_in_part(column, part, parts) && !(dense && losses[column].is_dense))
          add_paths(keys, sums, &used, &full, column, extra[2 * k + 1]);
      }
      BARRIER;
      u32 failure = full;
      if (failure != FITS) {
        if (LANE == 0) {
          state[ROW_FAILED + number] = 1;
          if (failure == TOO_MANY_PATHS) state[OVERFLOWN] = 1;
        }
        return;
      }
      if (pass == 0) {
        BARRIER;
        continue;
      }
      u32 mine = 0;
      for (u32 at = LANE; at < SLOTS; at += LANES) {
        if (keys[at] == NONE) continue;
        Side y = side_at(columns, stride, keys[at]);
        if (y_attacks(lowest(plan->x.king), y, plan->own | all_of(y))) keys[at] = NONE;
        else ++mine;
      }
      mine = atomic_add(&found, mine);
      BARRIER;
      if (LANE == 0) base = atomic_add(&state[PAIRS_FOUND], found);
      BARRIER;
      mine += base;
      for (u32 at = LANE; at < SLOTS; at += LANES)
        if (keys[at] != NONE) {
          Pair pair = {row, keys[at], sums[at], 0};
          if (mine < room) pairs[mine] = pair;
          ++mine;
        }
      BARRIER;
    }
}

/// A double push of X, from row `source` before the ply to `row`.
typedef struct { u64 path; u32 source, row, passed, unused; } OwnPush;
typedef struct { u32 row, column, paths, passed; } Chance;

/// Lists the pairs in which Y may answer a double push of X en passant. A group has one push.
KERNEL list_chances(u32 first_group, const global u32* row_begin, const global u32* groups,
                    const global u32* matrix, const global OwnPush* pushes, u32 first_push,
                    const global u64* columns, u32 stride, global Chance* chances, u32 room,
                    global u32* state) {
  OwnPush push = pushes[first_push + first_group + GROUP];
  u64 beside = pawn_attacks_up(bit_of(push.passed));
  u32 end = row_begin[push.source + 1] * 8;
  for (u32 at = row_begin[push.source] * 8 + LANE; at < end; at += LANES) {
    u32 column = groups[at / 8] * 8 + at % 8;
    if (matrix[at] == 0 || !(columns[PAWNS * (size_t)stride + column] & beside) ||
        (push.path & columns[ALL * (size_t)stride + column]))
      continue;
    u32 to = atomic_inc(&state[CHANCES_FOUND]);
    Chance chance = {push.row, column, matrix[at], push.passed};
    if (to < room) chances[to] = chance;
  }
}

/// Counts X's moves after each of Y's en passant captures.
KERNEL answer_chances(u32 first_group, const global Chance* chances, u32 count,
                      const global u64* columns, u32 stride, const global u64* rows,
                      u32 row_stride, global u64* totals) {
  local u64 scratch[LANES];
  u32 i = (first_group + GROUP) * LANES + LANE;
  u64 leaves = 0;
  if (i < count) {
    Chance chance = chances[i];
    u64 passed = bit_of(chance.passed), gone = passed << 8;
    Side x = side_at(rows, row_stride, chance.row), y = side_at(columns, stride, chance.column);
    u64 occupied = all_of(x) | all_of(y);
    // A push that leaves X in check is illegal.
    if (!y_attacks(lowest(x.king), y, occupied))
      for (u64 takers = y.pawns & pawn_attacks_up(passed); takers; takers &= takers - 1) {
        u64 moved = lowest_of(takers) | passed;
        Side robbed = without(x, gone), taker = y;
        taker.pawns ^= moved;
        if (!x_attacks(lowest(y.king), robbed, occupied ^ (moved | gone)))
          leaves += (u64)chance.paths *
                    count_moves(robbed, taker, rows[CASTLING * (size_t)row_stride + chance.row], 0);
      }
  }
  ADD_UP(scratch, leaves, 0, totals);
}

// ---- other pairs, last two plies ------------------------------------------------------------------

// A listed move of Y: the item whose pair it belongs to, from, to (the rook if castling), kind.
enum { PLAIN, TO_KNIGHT, TO_DIAGONAL, TO_STRAIGHT, TO_QUEEN, CASTLES };
#define MOVE(item, from, to, kind) ((u32)(item) | (u32)(from) << 6 | (u32)(to) << 12 | (u32)(kind) << 18)
// In a round, each item lists the moves of one piece: at most 27, of which 8 capture. Before the
// first round it lists at most two castling moves; later, fewer than LANES moves are left over.
#define MOST_QUIET (LANES * (27 + 2))
#define MOST_OTHER (MOST_QUIET + 10 * LANES)

static Side side_in(const local u64* sets, u32 item) {
  Side y = {sets[item], sets[LANES + item], sets[2 * LANES + item], sets[3 * LANES + item],
            sets[4 * LANES + item]};
  return y;
}
static Side after_move(Side y, u64 from, u64 to, u32 kind) {
  if (kind == CASTLES) {
    y.king = bit_of(to > from ? 62 : 58);
    y.straights = (y.straights & ~to) | bit_of(to > from ? 61 : 59);
  } else if (kind == PLAIN) {
    u64 change = from | to;
    y.pawns ^= from & y.pawns ? change : 0;
    y.knights ^= from & y.knights ? change : 0;
    y.diagonals ^= from & y.diagonals ? change : 0;
    y.straights ^= from & y.straights ? change : 0;
    y.king ^= from & y.king ? change : 0;
  } else {
    y.pawns ^= from;
    y.knights |= kind == TO_KNIGHT ? to : 0;
    y.diagonals |= kind == TO_DIAGONAL || kind == TO_QUEEN ? to : 0;
    y.straights |= kind == TO_STRAIGHT || kind == TO_QUEEN ? to : 0;
  }
  return y;
}
/// Returns where Y's piece on `from` can go; the move may leave Y in check.
static u64 targets_of(u64 from, Side y, u64 their, u64 occupied) {
  if (from & y.pawns) {
    u64 once = (from >> 8) & ~occupied;
    return once | ((once & RANK_6) >> 8 & ~occupied) | (pawn_attacks_down(from) & their);
  }
  u64 to = from & y.knights ? knight_attacks(from) : from & y.king ? king_attacks(from) : 0;
  if (from & y.diagonals) to |= diagonal_attacks(lowest(from), occupied);
  if (from & y.straights) to |= straight_attacks(lowest(from), occupied);
  return to & (their | ~occupied);
}
/// Appends a move for each square of `to`.
static void append_moves(local u32* moves, local u32* count, u32 item, u64 from, u64 to, u32 kind) {
  if (!to) return;
  u32 at = atomic_add(count, (u32)count_of(to));
  for (; to; to &= to - 1) moves[at++] = MOVE(item, lowest(from), lowest(to), kind);
}

/// Counts the leaves two plies below pairs. A group has LANES pairs. Each item lists the moves of its
/// pair piece by piece, and all items share the listed moves. Captures, pushes that X may
/// answer en passant, and moves after which is_hard() go to a second list.
KERNEL two_plies(u32 first_group, const global Pair* pairs, u32 count, const global Plan* plans,
                 const global u64* columns, u32 stride, global u64* totals) {
  local u64 scratch[LANES], sets[5 * LANES];
  local u32 quiet[MOST_QUIET], other[MOST_OTHER], quiets, others, busy;
  u32 first = (first_group + GROUP) * LANES, i = first + LANE, children = 0;
  Pair pair = pairs[i < count ? i : 0];
  const global Plan* plan = plans + pair.row;
  Side y = side_at(columns, stride, pair.column);
  sets[LANE] = y.pawns;
  sets[LANES + LANE] = y.knights;
  sets[2 * LANES + LANE] = y.diagonals;
  sets[3 * LANES + LANE] = y.straights;
  sets[4 * LANES + LANE] = y.king;
  u64 own = all_of(y), their = plan->own, occupied = own | their;
  u64 left = i < count ? own : 0, leaves = 0;
  if (LANE == 0) quiets = others = 0;
  BARRIER;
  if (left) {
    int king = lowest(y.king);
    u64 rooks = columns[CASTLING * (size_t)stride + pair.column] & RANK_8;
    for (; rooks; rooks &= rooks - 1) {
      int rook = lowest(rooks), king_side = rook > king;
      u64 both = y.king | bit_of(rook), way = span(king, king_side ? 62 : 58);
      if ((way | span(rook, king_side ? 61 : 59)) & occupied & ~both) continue;
      for (; way; way &= way - 1)
        if (x_attacks(lowest(way), plan->x, occupied ^ y.king)) break;
      if (!way) quiet[atomic_inc(&quiets)] = MOVE(LANE, king, rook, CASTLES);
    }
  }
  for (;;) {
    BARRIER;
    if (LANE == 0) busy = 0;
    BARRIER;
    if (left) {
      u64 from = lowest_of(left), to = targets_of(from, y, their, occupied) & ~plan->x.king;
      left ^= from;
      u64 loud = to & their;
      u32 kind = PLAIN, last = PLAIN;
      if (from & y.pawns) {
        if (pawn_attacks_down(from >> 8) & plan->x.pawns) loud |= to & (from >> 16);
        if (to & RANK_1) kind = TO_KNIGHT, last = TO_QUEEN;
      }
      for (; kind <= last; ++kind) {
        append_moves(quiet, &quiets, LANE, from, to & ~loud, kind);
        append_moves(other, &others, LANE, from, loud, kind);
      }
    }
    if (left) busy = 1;
    BARRIER;
    u32 more = busy, listed = quiets, taken = more ? listed / LANES * LANES : listed;
    for (u32 k = LANE; k < taken; k += LANES) {
      u32 move = quiet[listed - 1 - k], item = move & 63;
      const global Pair* of = pairs + first + item;
      const global Plan* row = plans + of->row;
      Side after = after_move(side_in(sets, item), bit_of(move >> 6 & 63), bit_of(move >> 12 & 63),
                              move >> 18);
      Seen seen = seen_of(after);
      if ((row->sight & after.king) &&
          x_attacks(lowest(after.king), row->x, row->own | seen.all))
        continue;
      if (is_hard(row, seen)) {
        other[atomic_inc(&others)] = move;
        continue;
      }
      u32 n = count_planned(row, seen);
      if (row->castles) n += count_castling(row, after, row->own | seen.all);
      leaves += (u64)of->paths * n;
      ++children;
    }
    BARRIER;
    u32 others_listed = others, others_taken = more ? others_listed / LANES * LANES : others_listed;
    for (u32 k = LANE; k < others_taken; k += LANES) {
      u32 move = other[others_listed - 1 - k], item = move & 63, kind = move >> 18;
      const global Pair* of = pairs + first + item;
      const global Plan* row = plans + of->row;
      Side before = side_in(sets, item);
      u64 from = bit_of(move >> 6 & 63), to = bit_of(move >> 12 & 63);
      u64 captured = kind == CASTLES ? 0 : to;
      u64 passed = (from & before.pawns) && from >> 16 == to ? from >> 8 : 0;
      Side after = after_move(before, from, to, kind), x = without(row->x, captured);
      if (x_attacks(lowest(after.king), x, all_of(x) | all_of(after))) continue;
      leaves += (u64)of->paths * count_moves(x, after, row->castling & ~captured, passed);
      ++children;
    }
    if (!more) break;
    BARRIER;
    if (LANE == 0) {
      quiets = listed - taken;
      others = others_listed - others_taken;
    }
  }
  ADD_UP(scratch, leaves, children, totals);
}
