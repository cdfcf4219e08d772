// The last plies of a count by configurations, in OpenCL C 1.2. The build appends this file to moves.cl.
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
    if (paths[at] == 0) continue;  // the last group has places behind the last column
    u32 column = dense_column[groups[at / 8] * 8 + at % 8];
    if (column != NONE) matrix[(size_t)to * width + column] = paths[at];
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
/// The columns that result if X captures on one of `squares`: loss_to[first ...], in order of squares.
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
