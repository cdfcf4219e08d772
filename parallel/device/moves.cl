// The first part of the program of last_plies.cl: sets of squares, pieces, and the moves of one position.

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

/// The sets of a column that count_planned() reads.
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
