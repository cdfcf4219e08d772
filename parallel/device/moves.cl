// Squares, pieces and moves, for the kernels of last_plies.cl. The build puts this file first.
//
// Rows are configurations of the side that moves in the last ply. Columns are configurations of the
// other side. The host turns boards over so that the rows' pawns move to higher squares. In this
// program, "up" means to higher squares, and "down" means to lower squares.

typedef ulong u64;
typedef uint u32;

// A group is a work-group of LANES work-items (lanes). A launch may run only a slice of all groups.
// So each kernel gets `first_group`, the number of the slice's first group. The number of a group
// is first_group + GROUP.
#define LANES 64
#define KERNEL __attribute__((reqd_work_group_size(LANES, 1, 1))) kernel void
#define LANE ((u32)get_local_id(0))
#define GROUP ((u32)get_group_id(0))
// A test removes one BARRIER at a time, and expects each time that an error is reported.
#ifdef WITHOUT_BARRIER
#define BARRIER if (__COUNTER__ != WITHOUT_BARRIER) barrier(CLK_LOCAL_MEM_FENCE)
#else
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#endif
// For a function that is called from several places, but seldom: a single copy keeps kernels small.
#define FAR __attribute__((noinline)) static
// For a function with atomic operations: PoCL 3.1 may crash if its compiler decides by itself to
// inline such a function.
#define NEAR __attribute__((always_inline)) static

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
static int count_of(u64 set) { return (int)popcount(set); }
static u64 lowest_of(u64 set) { return set & (0 - set); }
static int lowest(u64 set) { return 63 - (int)clz(lowest_of(set)); }
/// These functions remove the lowest square of `set` and return it: pop_lowest() as a number,
/// pop_lowest_bit() as a set.
static int pop_lowest(u64* set) {
  int square = lowest(*set);
  *set &= *set - 1;
  return square;
}
static u64 pop_lowest_bit(u64* set) {
  u64 bit = lowest_of(*set);
  *set ^= bit;
  return bit;
}

static u64 reversed(u64 set) {
  set = (set >> 1 & 0x5555555555555555UL) | (set & 0x5555555555555555UL) << 1;
  set = (set >> 2 & 0x3333333333333333UL) | (set & 0x3333333333333333UL) << 2;
  set = (set >> 4 & 0x0F0F0F0F0F0F0F0FUL) | (set & 0x0F0F0F0F0F0F0F0FUL) << 4;
  return as_ulong(as_uchar8(set).s76543210);
}
// The compiler's built-in function may use a processor instruction that reverses bits.
#if defined(__has_builtin) && !defined(PLAIN_REVERSAL)
#if __has_builtin(__builtin_bitreverse64)
#define reversed(set) __builtin_bitreverse64(set)
#endif
#endif

static u64 west_of(u64 set) { return set >> 1 & ~FILE_H; }
static u64 east_of(u64 set) { return set << 1 & ~FILE_A; }
static u64 pawn_attacks_up(u64 pawns) { return west_of(pawns) << 8 | east_of(pawns) << 8; }
static u64 pawn_attacks_down(u64 pawns) { return west_of(pawns) >> 8 | east_of(pawns) >> 8; }
static u64 king_attacks(u64 king) {
  u64 rank = west_of(king) | king | east_of(king);
  return (rank << 8 | rank | rank >> 8) & ~king;
}
static u64 knight_attacks(u64 knights) {
  u64 one = west_of(knights) | east_of(knights);
  u64 two = west_of(west_of(knights)) | east_of(east_of(knights));
  return one << 16 | two << 8 | two >> 8 | one >> 16;
}

/// Returns the squares of `line` that a slider on `from` attacks. `line` must not contain `from`.
/// The subtraction `met - from` changes all bits above `from` up to the first piece, and these
/// squares are attacked. A subtraction in reverse order of squares finds the attacked squares below
/// `from`.
static u64 attacks_along(u64 line, u64 from, u64 occupied) {
  u64 met = line & occupied;
  return line & ((met - from) ^ reversed(reversed(met) - reversed(from)));
}
static u64 file_of(int square) { return FILE_A << (square & 7); }
static u64 rank_of(int square) { return RANK_1 << (square & 56); }
static u64 shifted(u64 set, int by) { return by > 0 ? set << by : set >> -by; }
static u64 diagonal_up_of(int square) {
  return shifted(DIAGONAL_UP, 8 * ((square >> 3) - (square & 7)));
}
static u64 diagonal_down_of(int square) {
  return shifted(DIAGONAL_DOWN, 8 * ((square >> 3) + (square & 7) - 7));
}
static u64 rook_attacks(int square, u64 occupied) {
  u64 from = bit_of(square);
  return attacks_along(file_of(square) ^ from, from, occupied) |
         attacks_along(rank_of(square) ^ from, from, occupied);
}
static u64 bishop_attacks(int square, u64 occupied) {
  u64 from = bit_of(square);
  return attacks_along(diagonal_up_of(square) ^ from, from, occupied) |
         attacks_along(diagonal_down_of(square) ^ from, from, occupied);
}
/// Returns the line through two squares; 0 if there is none.
static u64 line_through(int a, int b) {
  u64 other = bit_of(b);
  if (file_of(a) & other) return file_of(a);
  if (rank_of(a) & other) return rank_of(a);
  if (diagonal_up_of(a) & other) return diagonal_up_of(a);
  return diagonal_down_of(a) & other ? diagonal_down_of(a) : 0;
}
/// Returns the squares between `a` and `b`; 0 if `a` and `b` are not on one line.
static u64 between(int a, int b) {
  u64 up_to_low = (bit_of(min(a, b)) << 1) - 1, below_high = bit_of(max(a, b)) - 1;
  return line_through(a, b) & below_high & ~up_to_low;
}
/// Returns the squares from `a` to `b`, including both. Precondition: both are on the same rank.
static u64 span(int a, int b) {
  int low = min(a, b), high = max(a, b);
  return ((bit_of(high - low) << 1) - 1) << low;
}

// ---- pieces of one side ---------------------------------------------------------------------------

typedef struct { u64 pawns, knights, bishops_queens, rooks_queens, king; } Pieces;

static u64 occupied_by(Pieces p) {
  return p.pawns | p.knights | p.bishops_queens | p.rooks_queens | p.king;
}
/// Returns the pieces without those on the squares of `captured`. The king must not be on these
/// squares.
static Pieces without(Pieces p, u64 captured) {
  p.pawns &= ~captured;
  p.knights &= ~captured;
  p.bishops_queens &= ~captured;
  p.rooks_queens &= ~captured;
  return p;
}

FAR int sliders_attack(int square, u64 bishops_queens, u64 rooks_queens, u64 occupied) {
  return (bishop_attacks(square, occupied) & bishops_queens) ||
         (rook_attacks(square, occupied) & rooks_queens);
}
/// Returns whether `by` attacks `square`. `pawns` must be those pawns of `by` that attack `square`.
static int attacks(Pieces by, u64 pawns, int square, u64 occupied) {
  u64 target = bit_of(square);
  u64 steppers = pawns | (knight_attacks(target) & by.knights) | (king_attacks(target) & by.king);
  return steppers || sliders_attack(square, by.bishops_queens, by.rooks_queens, occupied);
}
static int row_attacks(Pieces row, int square, u64 occupied) {
  return attacks(row, pawn_attacks_down(bit_of(square)) & row.pawns, square, occupied);
}
static int column_attacks(Pieces column, int square, u64 occupied) {
  return attacks(column, pawn_attacks_up(bit_of(square)) & column.pawns, square, occupied);
}
/// Returns the squares that a column's pawns, knights and king attack.
static u64 step_attacks(Pieces column) {
  return pawn_attacks_down(column.pawns) | knight_attacks(column.knights) |
         king_attacks(column.king);
}

/// A castling move by standard or Chess960 rules: the target squares of king and rook, the squares
/// from the king's origin to its target, and the squares that must be empty.
typedef struct { int king_to, rook_to; u64 king_path, empty; } CastlingPath;

static CastlingPath castling_path(int king, int rook) {
  CastlingPath path;
  int rank = king & 56, to_the_east = rook > king;
  path.king_to = rank + (to_the_east ? 6 : 2);
  path.rook_to = rank + (to_the_east ? 5 : 3);
  path.king_path = span(king, path.king_to);
  path.empty = (path.king_path | span(rook, path.rook_to)) & ~(bit_of(king) | bit_of(rook));
  return path;
}

// ---- moves of a position --------------------------------------------------------------------------

typedef struct {
  Pieces row, column;
  u64 own, their, occupied;  // own: the row's
  int king;                  // the row's
} Position;

static Position position_of(Pieces row, Pieces column) {
  u64 own = occupied_by(row), their = occupied_by(column);
  Position p = {row, column, own, their, own | their, lowest(row.king)};
  return p;
}

/// Returns the number of legal castling moves with `rooks`. Precondition: the row is not in check.
static u32 count_castling(Pieces row, Pieces column, u64 occupied, u64 rooks) {
  u32 moves = 0;
  int king = lowest(row.king);
  while (rooks) {
    int rook = pop_lowest(&rooks);
    CastlingPath path = castling_path(king, rook);
    if (path.empty & occupied) continue;
    // Test the squares as if the king were not on the board. It leaves its square, so it does not
    // shield them from sliders.
    u64 unsafe = path.king_path ^ row.king;
    while (unsafe && !column_attacks(column, lowest(unsafe), occupied ^ row.king))
      unsafe &= unsafe - 1;
    if (unsafe) continue;
    // In Chess960, the rook may have shielded the king's target from a slider.
    u64 after = occupied & ~(row.king | bit_of(rook));
    after |= bit_of(path.king_to) | bit_of(path.rook_to);
    moves += !sliders_attack(path.king_to, column.bishops_queens, column.rooks_queens, after);
  }
  return moves;
}

static u32 count_king_moves(Position p) {
  u64 steps = king_attacks(p.row.king) & ~p.own & ~step_attacks(p.column);
  if (!steps) return 0;
  u64 occupied = p.occupied ^ p.row.king, attacked = 0;
  u64 bishops = p.column.bishops_queens, rooks = p.column.rooks_queens;
  while (bishops) attacked |= bishop_attacks(pop_lowest(&bishops), occupied);
  while (rooks) attacked |= rook_attacks(pop_lowest(&rooks), occupied);
  return count_of(steps & ~attacked);
}

static u64 checkers_of(Position p) {
  return (pawn_attacks_up(p.row.king) & p.column.pawns) |
         (knight_attacks(p.row.king) & p.column.knights) |
         (bishop_attacks(p.king, p.occupied) & p.column.bishops_queens) |
         (rook_attacks(p.king, p.occupied) & p.column.rooks_queens);
}

/// Returns the number of moves of `pawns` to squares of `target`, without en passant captures.
static u32 count_pawn_moves(Position p, u64 pawns, u64 target) {
  u64 push = pawns << 8 & ~p.occupied, push_twice = (push & RANK_3) << 8 & ~p.occupied;
  u64 to_west = west_of(pawns) << 8 & p.their, to_east = east_of(pawns) << 8 & p.their;
  // Two pawns may capture on the same square, so captures to the west and to the east are counted
  // separately. Pushes end on empty squares.
  u64 first = (push | push_twice | to_west) & target, second = to_east & target;
  return count_of(first) + count_of(second) +
         3 * (count_of(first & RANK_8) + count_of(second & RANK_8));
}

/// Returns the number of moves to `target` by those knights, bishops, rooks and queens of the row
/// that are in `pieces`.
static u32 count_piece_moves(Position p, u64 pieces, u64 target) {
  u32 moves = 0;
  u64 knights = p.row.knights & pieces;
  u64 bishops = p.row.bishops_queens & pieces, rooks = p.row.rooks_queens & pieces;
  while (knights) moves += count_of(knight_attacks(pop_lowest_bit(&knights)) & target);
  while (bishops) moves += count_of(bishop_attacks(pop_lowest(&bishops), p.occupied) & target);
  while (rooks) moves += count_of(rook_attacks(pop_lowest(&rooks), p.occupied) & target);
  return moves;
}

/// Returns the number of legal en passant captures. `passed` is the square that a pawn of the
/// column has just passed, as a set.
static u32 count_en_passant(Pieces row, Pieces column, u64 occupied, u64 passed) {
  u32 moves = 0;
  u64 captured = passed >> 8, capturers = pawn_attacks_down(passed) & row.pawns;
  Pieces left = without(column, captured);
  while (capturers) {
    u64 after = occupied ^ (pop_lowest_bit(&capturers) | passed | captured);
    moves += !column_attacks(left, lowest(row.king), after);
  }
  return moves;
}

/// Returns the row's pinned pieces. If `may_move` is true, adds the number of their moves to
/// `moves`.
static u64 count_pinned(Position p, int may_move, u32* moves) {
  // These sliders would attack the king if the row had no other pieces.
  u64 straight = rook_attacks(p.king, p.their) & p.column.rooks_queens;
  u64 pinners = straight | (bishop_attacks(p.king, p.their) & p.column.bishops_queens), all = 0;
  while (pinners) {
    u64 way = between(p.king, lowest(pinners)), pinner = pop_lowest_bit(&pinners);
    u64 pinned = way & p.own;
    if (count_of(pinned) != 1) continue;
    all |= pinned;
    if (!may_move) continue;
    // The pinned piece may move along the line, or capture the pinner.
    u64 target = way | pinner;
    if (pinned & (pinner & straight ? p.row.rooks_queens : p.row.bishops_queens))
      *moves += count_of(target ^ pinned);
    if (pinned & p.row.pawns) *moves += count_pawn_moves(p, pinned, target);
  }
  return all;
}

/// Returns the number of the row's legal moves. `castling` has the rooks that may castle. `passed`
/// is the square that a pawn of the column has just passed, as a set.
FAR u32 count_moves(Pieces row, Pieces column, u64 castling, u64 passed) {
  Position p = position_of(row, column);
  u64 checkers = checkers_of(p), target = ~p.own;
  u32 moves = count_king_moves(p);
  if (count_of(checkers) > 1) return moves;
  if (checkers)
    target = checkers | between(p.king, lowest(checkers));
  else
    moves += count_castling(row, column, p.occupied, castling & RANK_1);
  // A pinned piece cannot answer a check.
  u64 free = ~count_pinned(p, !checkers, &moves);
  moves += count_piece_moves(p, free, target) + count_pawn_moves(p, p.row.pawns & free, target);
  // count_en_passant() tests whether the king is attacked after the capture, so it is also right if
  // the row is in check.
  if (passed) moves += count_en_passant(row, column, p.occupied, passed);
  return moves;
}

// ---- planes: for each set of a configuration, one array over all configurations -------------------

enum { PAWNS, KNIGHTS, BISHOPS_QUEENS, ROOKS_QUEENS, KING, CASTLING, ALL, STEPS, BACKWARDS };

static u64 set_at(const global u64* planes, u32 stride, u32 plane, u32 number) {
  return planes[(size_t)stride * plane + number];
}
static Pieces pieces_at(const global u64* planes, u32 stride, u32 number) {
  Pieces p;
  p.pawns = set_at(planes, stride, PAWNS, number);
  p.knights = set_at(planes, stride, KNIGHTS, number);
  p.bishops_queens = set_at(planes, stride, BISHOPS_QUEENS, number);
  p.rooks_queens = set_at(planes, stride, ROOKS_QUEENS, number);
  p.king = set_at(planes, stride, KING, number);
  return p;
}

/// The sets of squares of a column that are needed to count by a plan.
typedef struct { u64 bishops_queens, rooks_queens, king, all, steps, backwards; } View;

static View view_of(Pieces column) {
  u64 all = occupied_by(column);
  View view = {column.bishops_queens, column.rooks_queens,  column.king,
               all,                   step_attacks(column), reversed(all)};
  return view;
}
static View view_at(const global u64* planes, u32 stride, u32 number) {
  View view;
  view.bishops_queens = set_at(planes, stride, BISHOPS_QUEENS, number);
  view.rooks_queens = set_at(planes, stride, ROOKS_QUEENS, number);
  view.king = set_at(planes, stride, KING, number);
  view.all = set_at(planes, stride, ALL, number);
  view.steps = set_at(planes, stride, STEPS, number);
  view.backwards = set_at(planes, stride, BACKWARDS, number);
  return view;
}

/// Fills the planes ALL, STEPS and BACKWARDS, which follow from the pieces. Precondition: the
/// number of configurations is a multiple of LANES.
KERNEL fill_planes(u32 first_group, global u64* planes, u32 stride) {
  u32 number = (first_group + GROUP) * LANES + LANE;
  View view = view_of(pieces_at(planes, stride, number));
  planes[(size_t)stride * ALL + number] = view.all;
  planes[(size_t)stride * STEPS + number] = view.steps;
  planes[(size_t)stride * BACKWARDS + number] = view.backwards;
}

/// Sets `count` words to 0. A group has WORDS_OF_GROUP words.
#define WORDS_OF_GROUP 4096
KERNEL clear_words(u32 first_group, global u32* words, u32 count) {
  size_t begin = (size_t)(first_group + GROUP) * WORDS_OF_GROUP;
  size_t end = min(begin + WORDS_OF_GROUP, (size_t)count);
  for (size_t i = begin + LANE; i < end; i += LANES) words[i] = 0;
}

// ---- totals ---------------------------------------------------------------------------------------

/// The leaves and positions of a group, by lane, for add_up(). The sum of the leaves is below 2^58:
/// the lanes together have fewer than 2^16 pairs, and each pair has fewer than 2^31 paths and fewer
/// than 2^11 moves.
typedef struct { u64 leaves[LANES], positions[LANES]; } GroupTotal;


static void add_up(local GroupTotal* total, u64 leaves, u32 positions, global u64* totals) {
  total->leaves[LANE] = leaves;
  total->positions[LANE] = positions;
  for (u32 step = LANES / 2; step; step /= 2) {
    BARRIER;
    if (LANE < step) {
      total->leaves[LANE] += total->leaves[LANE + step];
      total->positions[LANE] += total->positions[LANE + step];
    }
  }
  // This needs no barrier: lane 0 reads what it has written itself.
  if (LANE == 0) {
    totals[2 * GROUP] = total->leaves[0];
    totals[2 * GROUP + 1] = total->positions[0];
  }
}

/// Adds up the totals of `count` groups. Each group of this kernel adds totals to three sums of its
/// own: the low halves of the leaves, the high halves of the leaves, and the positions.
#define TOTALS_OF_GROUP 4096
KERNEL add_totals(u32 first_group, const global u64* totals, u32 count, global u64* sums) {
  local u64 of_lane[3][LANES];
  u32 begin = GROUP * TOTALS_OF_GROUP, end = min(begin + TOTALS_OF_GROUP, count);
  u64 low = 0, high = 0, positions = 0;
  for (u32 i = begin + LANE; i < end; i += LANES) {
    low += totals[2 * i] & 0xFFFFFFFFUL;
    high += totals[2 * i] >> 32;
    positions += totals[2 * i + 1];
  }
  of_lane[0][LANE] = low;
  of_lane[1][LANE] = high;
  of_lane[2][LANE] = positions;
  BARRIER;
  if (LANE < 3)
    for (u32 i = 0; i < LANES; ++i) sums[3 * GROUP + LANE] += of_lane[LANE][i];
}
