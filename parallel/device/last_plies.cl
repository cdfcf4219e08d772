// The last plies of a count by configurations, in OpenCL C 1.2.
//
// These kernels count three plies. In the first ply, the rows' side moves. In the second ply, the
// columns' side moves. In the last ply, the rows' side moves again, and its moves are only counted.
//
// A pair is dense if both of its configurations are ordinary (parallel/matrix/last_rows.h). Only
// quiet moves from dense pairs lead to dense pairs, so these kernels count dense pairs in tables:
//   plan_rows      makes the data of each row that are the same for all columns (plans.cl)
//   spread_rows    writes the dense part of the matrix from which the plies start, as a table
//   pull           plays the rows' moves: adds up the paths to dense pairs
//   leaf           plays the columns' moves, and counts the rows' moves that follow
//   answer_pushes  counts en passant captures in the last ply
// These kernels count all other pairs:
//   other_pairs    plays the rows' moves: adds up paths in a hash table for each row
//   two_plies      plays the columns' moves one by one, and counts the rows' moves that follow
//   list_chances, answer_chances   do the same for the columns' en passant captures
// Configurations have no en passant rights, so en passant captures are counted separately.
//
// Totals are exact. Entries of the matrix are below 2^31. Each addition of paths is checked: two
// numbers below 2^31 have a sum below 2^32, so bit 31 of the sum is set if the sum is too large. In
// this case, the kernel sets a flag, and the count fails. The totals of groups are added up in two
// halves, which the host combines in 128 bits.

// ---- dense pairs: the rows' moves -----------------------------------------------------------------

/// A move of the rows' side. It starts from row `source` of the matrix. It is possible only if no
/// piece of the column is on `path`.
typedef struct {
  u64 path;
  u32 source;
  u32 castling;    // 1 + the number of a Castling; 0 if the move is no castling
  u32 to;          // where the move may capture; 64 if it cannot
  u32 is_capture;  // the move is possible only as a capture
} Edge;
/// For a castling move: `safe` has the squares that the column must not attack, `own` the row's
/// pieces before the move, without the king.
typedef struct { u64 safe, own; } Castling;

static u64 target_of(Edge edge) { return edge.to < 64 ? bit_of(edge.to) : 0; }

/// Returns false if `edge` is castling and `columns[column]` attacks a square that must be safe.
/// Returns true in all other cases.
static int may_be_played(Edge edge, const global Castling* castlings, const global u64* columns,
                         u32 stride, u32 column, u64 their) {
  if (!edge.castling) return 1;
  Castling castling = castlings[edge.castling - 1];
  Pieces pieces = pieces_at(columns, stride, column);
  u64 occupied = castling.own | their;
  while (castling.safe)
    if (column_attacks(pieces, pop_lowest(&castling.safe), occupied)) return 0;
  return 1;
}

/// The matrix stores columns in groups of GROUP_COLUMNS neighbours. For each group, it has the
/// group's number in `groups`, and one number of paths for each column. column_at() returns the
/// column to which the number of paths at index `at` belongs.
#define GROUP_COLUMNS 8
static u32 column_at(const global u32* groups, u32 at) {
  return groups[at / GROUP_COLUMNS] * GROUP_COLUMNS + at % GROUP_COLUMNS;
}

/// Writes the dense part of the matrix as a table. A work-group writes one row.
KERNEL spread_rows(u32 first_group, const global u32* row_begin, const global u32* groups,
                   const global u32* paths, const global u32* dense_row,
                   const global u32* dense_column, u32 width, global u32* matrix) {
  u32 row = first_group + GROUP, to = dense_row[row];
  if (to == NONE) return;
  u32 end = row_begin[row + 1] * GROUP_COLUMNS;
  for (u32 at = row_begin[row] * GROUP_COLUMNS + LANE; at < end; at += LANES) {
    if (paths[at] == 0) continue;  // no pair, or a place behind the last column
    u32 column = dense_column[column_at(groups, at)];
    if (column != NONE) matrix[(size_t)to * width + column] = paths[at];
  }
}

/// The index of a pair in `sums`. Rows are in chunks of ROWS. In a chunk, the ROWS sums of a column
/// are neighbours.
#define ROWS 32
#define SUM_AT(row, width, column) \
  (((size_t)((row) / ROWS) * (width) + (column)) * ROWS + (row) % ROWS)
/// The index of a pair's sum in local memory, which has the sums of ROWS rows and LANES columns.
/// Each row is one word longer than needed, so that the sums of a column are in different memory
/// banks.
#define PLACE(row, column) ((row) * (LANES + 1) + (column))

/// Adds up the paths to dense pairs after the rows' moves. Sets the sums of illegal pairs to 0. A
/// group has LANES columns and ROWS rows. The rows of the first group begin with `first_row`.
KERNEL pull(u32 first_group, u32 tiles, const global u32* matrix, u32 width,
            const global Edge* edges, const global u32* first_edge, const global u32* dense_source,
            const global Castling* castlings, const global u64* columns, u32 first_row, u32 end_row,
            const global Plan* plans, global u32* sums, global u32* overflow) {
  local u32 tile_sums[PLACE(ROWS, 0)];
  u32 number = first_group + GROUP, block = number / tiles, first_column = number % tiles * LANES;
  u32 column = first_column + LANE, all_sums = 0;  // columns behind the last one have no paths
  View view = view_at(columns, width, column);
  for (u32 k = 0; k < ROWS; ++k) {
    u32 row = first_row + block * ROWS + k, sum = 0;
    u32 edge_number = row < end_row ? first_edge[row] : 0;
    u32 end_edge = row < end_row ? first_edge[row + 1] : 0;
    for (; edge_number < end_edge; ++edge_number) {
      Edge edge = edges[edge_number];
      u32 source = dense_source[edge.source];
      if (source == NONE || edge.is_capture || ((edge.path | target_of(edge)) & view.all)) continue;
      u32 paths = matrix[(size_t)source * width + column];
      if (paths && may_be_played(edge, castlings, columns, width, column, view.all)) sum += paths;
      all_sums |= sum;
    }
    if (sum) {
      const global Plan* plan = plans + row;
      u64 king = plan->pieces.king;
      u64 sliders = (view.bishops_queens & plan->king_sees_b) |
                    (view.rooks_queens & plan->king_sees_r);
      if ((view.steps & king) ||
          (sliders && sliders_attack(lowest(king), view.bishops_queens, view.rooks_queens,
                                     plan->all | view.all)))
        sum = 0;
    }
    tile_sums[PLACE(k, LANE)] = sum;
  }
  BARRIER;
  size_t to = ((size_t)block * width + first_column) * ROWS;
  for (u32 at = LANE; at < ROWS * LANES; at += LANES)
    sums[to + at] = tile_sums[PLACE(at % ROWS, at / ROWS)];
  if (all_sums >> 31) *overflow = 1;
}

// ---- dense pairs: the columns' moves, and the number of the rows' moves ---------------------------

/// A move of the columns' side from column `source`. It is possible only if no piece of the row is
/// on `path`.
typedef struct __attribute__((aligned(16))) { u64 path; u32 source, castles; } Way;

/// The pairs of ROWS rows and LANES columns. The list `hard` has the pairs for which is_hard() is
/// true, and `checked` those for which count_pinned_by_plan() returned NONE. In both lists, a pair
/// is row * LANES + column.
typedef struct {
  u32 paths[PLACE(ROWS, 0)];
  u32 hard_size, checked_size;
  ushort hard[ROWS * LANES], checked[ROWS * LANES];
} Tile;

/// Returns whether the row attacks none of the squares from `from` to `to`, over which the columns'
/// king castles. `occupied` must not include this king.
static int king_may_pass(Pieces row, u64 from, u64 to, u64 occupied) {
  u64 path = span(lowest(from), lowest(to));
  while (path)
    if (row_attacks(row, pop_lowest(&path), occupied)) return 0;
  return 1;
}

/// Counts the leaves below dense pairs. A group has ROWS rows of `list`, and LANES columns after
/// their move (`moved`). Either all these moves captured on the same square, or all were quiet. The
/// plan of row list[first_listed + i] is plans[first_plan + i].
///
/// In the first step, a lane handles one row. Each half of the group adds up the ways to one column
/// at a time, so its lanes read neighbouring sums. In the second step, a lane handles one column,
/// so that all lanes read the same plan. Pairs that need more work are listed. The lists are then
/// divided among the lanes.
KERNEL leaf(u32 first_group, u32 tiles, const global u32* sums, u32 width,
            const global u32* first_way, const global Way* ways, const global u64* columns,
            const global u64* moved, u32 moved_stride, u32 first_tile, const global u32* list,
            u32 first_listed, u32 listed, const global Plan* plans, u32 first_plan, u32 first_row,
            global u64* totals, global u32* overflow) {
  local GroupTotal group_total;
  local Tile tile;
  u32 number = first_group + GROUP, begin = number / tiles * ROWS;
  u32 first_column = (first_tile + number % tiles) * LANES;
  plans += first_plan + begin;
  {
    u32 k = LANE % ROWS, exists = begin + k < listed;
    const global Plan* plan = plans + (exists ? k : 0);
    u32 row = list[first_listed + begin + (exists ? k : 0)] - first_row, all_sums = 0;
    const global u32* paths_from = sums + SUM_AT(row, width, 0);
    u64 own = plan->all;  // without a captured piece
    for (u32 j = LANE / ROWS; j < LANES; j += LANES / ROWS) {
      u32 sum = 0, end = first_way[first_column + j + 1];
      for (u32 way_number = first_way[first_column + j]; way_number < end; ++way_number) {
        Way way = ways[way_number];
        u32 paths = way.path & own ? 0 : paths_from[way.source * (size_t)ROWS];
        if (way.castles && paths) {
          u64 king = set_at(columns, width, KING, way.source);
          u64 occupied = (set_at(columns, width, ALL, way.source) ^ king) | own;
          u64 king_to = set_at(moved, moved_stride, KING, first_column + j);
          if (!king_may_pass(plan->pieces, king, king_to, occupied)) paths = 0;
        }
        sum += paths;
        all_sums |= sum;
      }
      tile.paths[PLACE(k, j)] = exists ? sum : 0;
    }
    if (all_sums >> 31) *overflow = 1;
  }
  if (LANE == 0) tile.hard_size = tile.checked_size = 0;
  BARRIER;
  u32 pairs = 0;
  u64 leaves = 0;
  View view = view_at(moved, moved_stride, first_column + LANE);
  for (u32 k = 0; k < ROWS; ++k) {
    u32 paths = tile.paths[PLACE(k, LANE)];
    if (paths == 0) continue;
    const global Plan* plan = plans + k;
    if ((plan->sight & view.king) &&
        row_attacks(plan->pieces, lowest(view.king), plan->all | view.all))
      continue;  // the columns' move was illegal
    ++pairs;
    if (is_hard(plan, view)) {
      tile.hard[atomic_inc(&tile.hard_size)] = k * LANES + LANE;
      continue;
    }
    u32 moves = count_by_plan(plan, view);
    if (plan->may_castle)
      moves += count_castling_by_plan(
          plan, pieces_at(moved, moved_stride, first_column + LANE), view.all);
    leaves += (u64)paths * moves;
  }
  BARRIER;
  for (u32 at = LANE; at < tile.hard_size; at += LANES) {
    u32 pair = tile.hard[at], k = pair / LANES, j = pair % LANES;
    Pieces column = pieces_at(moved, moved_stride, first_column + j);
    View of_column = view_at(moved, moved_stride, first_column + j);
    u32 moves = count_pinned_by_plan(plans + k, column, of_column);
    if (moves == NONE)
      tile.checked[atomic_inc(&tile.checked_size)] = pair;
    else
      leaves += (u64)tile.paths[PLACE(k, j)] * moves;
  }
  BARRIER;
  for (u32 at = LANE; at < tile.checked_size; at += LANES) {
    u32 k = tile.checked[at] / LANES, j = tile.checked[at] % LANES;
    Pieces column = pieces_at(moved, moved_stride, first_column + j);
    u32 moves = count_moves(plans[k].pieces, column, plans[k].castling, 0);
    leaves += (u64)tile.paths[PLACE(k, j)] * moves;
  }
  add_up(&group_total, leaves, pairs, totals);
}

/// A double push over the square `passed`. It leads from row `source` to row `to`, or from column
/// `source` to moved column `to`.
typedef struct { u64 path; u32 source, to, passed, unused; } Push;

/// Counts en passant captures in the last ply, below dense pairs. A group has LANES pushes of the
/// columns' side and one row.
KERNEL answer_pushes(u32 first_group, u32 tiles, const global u32* sums, u32 width,
                     const global Push* pushes, u32 count, const global u64* moved,
                     u32 moved_stride, const global u32* list, u32 first_listed,
                     const global Plan* plans, u32 first_row, global u64* totals) {
  local GroupTotal group_total;
  u32 group = first_group + GROUP, row = list[first_listed + group / tiles];
  u32 number = group % tiles * LANES + LANE, exists = number < count;
  Push push = pushes[exists ? number : 0];
  const global Plan* plan = plans + row;
  u64 passed = bit_of(push.passed), leaves = 0;
  if (exists && (pawn_attacks_down(passed) & plan->pieces.pawns) && !(push.path & plan->all)) {
    u32 paths = sums[SUM_AT(row - first_row, width, push.source)];
    Pieces column = pieces_at(moved, moved_stride, push.to);
    u64 occupied = plan->all | occupied_by(column);
    // A push that leaves the columns' king in check is illegal.
    if (paths && !row_attacks(plan->pieces, lowest(column.king), occupied))
      leaves = (u64)paths * count_en_passant(plan->pieces, column, occupied, passed);
  }
  add_up(&group_total, leaves, 0, totals);
}

// ---- other pairs: the rows' moves -----------------------------------------------------------------

typedef struct { u32 row, column, paths, unused; } Pair;
/// The columns after a capture of one piece of a column. A capture on the lowest of `squares` leads
/// to the column loss_to[first], a capture on the next square to loss_to[first + 1], and so on.
/// `is_dense` is true if the column itself is dense.
typedef struct { u64 squares; u32 first, is_dense; } Loss;

enum { PAIRS_FOUND, CHANCES_FOUND, OVERFLOWN, ROW_FAILED };  // words of `state`

#ifndef TABLE_BITS
#define TABLE_BITS 11
#endif
#define SLOTS (1u << TABLE_BITS)
enum { FITS = 0, TABLE_FULL = 1, TOO_MANY_PATHS = 2 };

/// A hash table with the paths of one row, by column.
typedef struct {
  u32 column[SLOTS], paths[SLOTS];
  u32 used, found, first_pair;
  u32 failure;  // flags; only atomic functions access them while paths are added
} Table;

static void empty_table(local Table* table) {
  for (u32 at = LANE; at < SLOTS; at += LANES) {
    table->column[at] = NONE;
    table->paths[at] = 0;
  }
  if (LANE == 0) table->used = table->failure = table->found = 0;
}

static u32 hash_of(u32 column) { return column * 0x9E3779B1u; }
static int is_in_part(u32 column, u32 part, u32 parts) {
  return parts == 1 || hash_of(column) % parts == part;
}

NEAR void add_paths(local Table* table, u32 column, u32 paths) {
  // In a fuller table, searches would take longer than making the row in more parts.
  const u32 most_used = SLOTS - SLOTS / 16;
  u32 at = hash_of(column) >> (32 - TABLE_BITS), there;
  while ((there = atomic_cmpxchg(&table->column[at], NONE, column)) != column) {
    if (there == NONE) {
      if (atomic_inc(&table->used) >= most_used) atomic_or(&table->failure, TABLE_FULL);
      break;
    }
    if (atomic_or(&table->failure, FITS) != FITS) return;
    at = (at + 1) % SLOTS;
  }
  u32 sum = atomic_add(&table->paths[at], paths) + paths;
  if (sum >> 31) atomic_or(&table->failure, TOO_MANY_PATHS);
}

/// Plays the rows' moves, and lists the resulting pairs that are not dense. A group has one row of
/// `list`. Rows with numbers below `dense_rows` are ordinary. The columns of each row are divided
/// into `parts` parts, and the table has the pairs of one part at a time. If a part does not fit
/// into the table, sets state[ROW_FAILED + number] and lists nothing of the row.
KERNEL other_pairs(u32 first_group, const global u32* row_begin, const global u32* groups,
                   const global u32* matrix, const global Edge* edges,
                   const global u32* first_edge, const global Castling* castlings,
                   const global u32* first_extra, const global u32* extra,
                   const global u64* columns, u32 stride, const global Loss* losses,
                   const global u32* loss_to, u32 dense_rows, const global Plan* plans,
                   const global u32* list, u32 first_listed, u32 parts, global Pair* pairs,
                   u32 room, global u32* state) {
  local Table table;
  u32 number = first_group + GROUP, row = list[first_listed + number], is_dense = row < dense_rows;
  const global Plan* plan = plans + row;
  // A row in several parts is made twice: first only to test whether each part fits into the table,
  // then to list the pairs.
  u32 rounds = parts == 1 ? 1 : 2 * parts;
  for (u32 round = 0; round < rounds; ++round) {
    u32 part = round % parts, lists = round + parts >= rounds;
    BARRIER;  // the previous round still reads the table
    empty_table(&table);
    BARRIER;
    for (u32 i = first_edge[row]; i < first_edge[row + 1]; ++i) {
      Edge edge = edges[i];
      u64 to = target_of(edge);
      u32 end = row_begin[edge.source + 1] * GROUP_COLUMNS;
      for (u32 at = row_begin[edge.source] * GROUP_COLUMNS + LANE; at < end; at += LANES) {
        u32 paths = matrix[at], column = column_at(groups, at), after = column;
        if (paths == 0) continue;
        u64 their = set_at(columns, stride, ALL, column);
        if (their & edge.path) continue;
        if (their & to) {
          Loss loss = losses[column];
          after = loss_to[loss.first + count_of(loss.squares & (to - 1))];
        } else if (edge.is_capture ||
                   !may_be_played(edge, castlings, columns, stride, column, their)) {
          continue;
        }
        if (is_in_part(after, part, parts) && !(is_dense && losses[after].is_dense))
          add_paths(&table, after, paths);
      }
    }
    for (u32 i = first_extra[row] + LANE; i < first_extra[row + 1]; i += LANES) {
      u32 after = extra[2 * i];
      if (is_in_part(after, part, parts) && !(is_dense && losses[after].is_dense))
        add_paths(&table, after, extra[2 * i + 1]);
    }
    BARRIER;
    if (table.failure != FITS) {
      if (LANE == 0) state[ROW_FAILED + number] = 1;
      if (LANE == 0 && (table.failure & TOO_MANY_PATHS)) state[OVERFLOWN] = 1;
      return;
    }
    if (!lists) continue;
    u32 mine = 0;
    for (u32 at = LANE; at < SLOTS; at += LANES) {
      if (table.column[at] == NONE) continue;
      Pieces column = pieces_at(columns, stride, table.column[at]);
      u64 occupied = plan->all | occupied_by(column);
      if (column_attacks(column, lowest(plan->pieces.king), occupied))
        table.column[at] = NONE;  // the rows' move was illegal
      else
        ++mine;
    }
    u32 before_mine = atomic_add(&table.found, mine);
    BARRIER;
    if (LANE == 0) table.first_pair = atomic_add(&state[PAIRS_FOUND], table.found);
    BARRIER;
    u32 next = table.first_pair + before_mine;
    for (u32 at = LANE; at < SLOTS; at += LANES) {
      if (table.column[at] == NONE) continue;
      Pair pair = {row, table.column[at], table.paths[at], 0};
      if (next < room) pairs[next] = pair;
      ++next;
    }
  }
}

/// A pair after a double push of the rows' side over `passed`.
typedef struct { u32 row, column, paths, passed; } Chance;

/// Lists the pairs in which the columns' side may capture en passant after a double push of the
/// rows' side. A group has one such push.
KERNEL list_chances(u32 first_group, const global u32* row_begin, const global u32* groups,
                    const global u32* matrix, const global Push* pushes, u32 first_push,
                    const global u64* columns, u32 stride, global Chance* chances, u32 room,
                    global u32* state) {
  Push push = pushes[first_push + first_group + GROUP];
  u64 from_here = pawn_attacks_up(bit_of(push.passed));
  u32 end = row_begin[push.source + 1] * GROUP_COLUMNS;
  for (u32 at = row_begin[push.source] * GROUP_COLUMNS + LANE; at < end; at += LANES) {
    u32 paths = matrix[at], column = column_at(groups, at);
    if (paths == 0 || (set_at(columns, stride, ALL, column) & push.path) ||
        !(set_at(columns, stride, PAWNS, column) & from_here))
      continue;
    u32 place = atomic_inc(&state[CHANCES_FOUND]);
    Chance found = {push.to, column, paths, push.passed};
    if (place < room) chances[place] = found;
  }
}

/// Returns the number of sequences of two moves: an en passant capture by the column, then a move
/// of the row.
static u32 count_after_en_passant(Pieces row, Pieces column, u64 castling, u64 passed) {
  u64 captured = passed << 8, occupied = occupied_by(row) | occupied_by(column);
  // A push that leaves the rows' king in check is illegal.
  if (column_attacks(column, lowest(row.king), occupied)) return 0;
  u32 moves = 0;
  u64 capturers = pawn_attacks_up(passed) & column.pawns;
  Pieces left = without(row, captured);
  while (capturers) {
    u64 moved = pop_lowest_bit(&capturers) | passed;
    Pieces after = column;
    after.pawns ^= moved;
    if (!row_attacks(left, lowest(column.king), occupied ^ (moved | captured)))
      moves += count_moves(left, after, castling, 0);
  }
  return moves;
}

KERNEL answer_chances(u32 first_group, const global Chance* chances, u32 count,
                      const global u64* columns, u32 stride, const global u64* rows,
                      u32 row_stride, global u64* totals) {
  local GroupTotal group_total;
  u32 number = (first_group + GROUP) * LANES + LANE;
  u64 leaves = 0;
  if (number < count) {
    Chance c = chances[number];
    Pieces row = pieces_at(rows, row_stride, c.row), column = pieces_at(columns, stride, c.column);
    u64 castling = set_at(rows, row_stride, CASTLING, c.row);
    leaves = (u64)c.paths * count_after_en_passant(row, column, castling, bit_of(c.passed));
  }
  add_up(&group_total, leaves, 0, totals);
}

// ---- other pairs: the columns' moves, and the number of the rows' moves ---------------------------

// A group has LANES pairs. In local memory, it has the pieces of their columns, and two lists of
// the columns' moves. The list `quiet` has moves after which a plan can usually count the rows'
// moves. The list `other` has captures, pushes that the row may answer en passant, and quiet moves
// after which is_hard() is true. In a round, each lane lists the moves of one piece: at most 14
// moves, of which at most 8 are captures. When a round begins, a list has fewer than LANES moves.
// Exception: when the first round begins, `quiet` has up to two castling moves of each lane.
#define MOST_QUIET (LANES * (14 + 2))
#define MOST_OTHER (MOST_QUIET + LANES * (8 + 1))
typedef struct {
  u64 sets[KING + 1][LANES];
  u32 rounds[KING + 1], quiet_size, other_size;
  u32 quiet[MOST_QUIET], other[MOST_OTHER];
} Work;

static void store_pieces(local Work* work, Pieces p) {
  work->sets[PAWNS][LANE] = p.pawns;
  work->sets[KNIGHTS][LANE] = p.knights;
  work->sets[BISHOPS_QUEENS][LANE] = p.bishops_queens;
  work->sets[ROOKS_QUEENS][LANE] = p.rooks_queens;
  work->sets[KING][LANE] = p.king;
}
static Pieces load_pieces(const local Work* work, u32 pair) {
  Pieces p = {work->sets[PAWNS][pair], work->sets[KNIGHTS][pair], work->sets[BISHOPS_QUEENS][pair],
              work->sets[ROOKS_QUEENS][pair], work->sets[KING][pair]};
  return p;
}

// A listed move in 32 bits: the number of its pair, `from`, `to` (in castling, the rook's square)
// and its kind.
enum { PLAIN, TO_KNIGHT, TO_BISHOP, TO_ROOK, TO_QUEEN, CASTLES };
static u32 packed(u32 pair, int from, int to, u32 kind) {
  return pair | (u32)from << 6 | (u32)to << 12 | kind << 18;
}
typedef struct { u32 pair, kind; u64 from, to; } Move;
static Move unpacked(u32 move) {
  Move m = {move % LANES, move >> 18, bit_of(move >> 6 & 63), bit_of(move >> 12 & 63)};
  return m;
}

static Pieces after_move(Pieces p, Move m) {
  u64 change = m.from | m.to;
  switch (m.kind) {
    case PLAIN:
      p.pawns ^= p.pawns & m.from ? change : 0;
      p.knights ^= p.knights & m.from ? change : 0;
      p.bishops_queens ^= p.bishops_queens & m.from ? change : 0;
      p.rooks_queens ^= p.rooks_queens & m.from ? change : 0;
      p.king ^= p.king & m.from ? change : 0;
      break;
    case CASTLES: {
      CastlingPath path = castling_path(lowest(m.from), lowest(m.to));
      p.king = bit_of(path.king_to);
      p.rooks_queens = (p.rooks_queens & ~m.to) | bit_of(path.rook_to);
      break;
    }
    default:
      p.pawns ^= m.from;
      if (m.kind == TO_KNIGHT) p.knights |= m.to;
      if (m.kind == TO_BISHOP || m.kind == TO_QUEEN) p.bishops_queens |= m.to;
      if (m.kind == TO_ROOK || m.kind == TO_QUEEN) p.rooks_queens |= m.to;
  }
  return p;
}

/// Returns the squares to which the column's piece on `from` can go if it moves like the pieces of
/// `set`. A queen is in two sets. Some of the moves may leave the column's king in check.
static u64 targets_from(u64 from, u32 set, u64 own, u64 their) {
  u64 occupied = own | their, push, push_twice;
  switch (set) {
    case PAWNS:
      push = from >> 8 & ~occupied;
      push_twice = (push & RANK_6) >> 8 & ~occupied;
      return push | push_twice | (pawn_attacks_down(from) & their);
    case KNIGHTS:
      return knight_attacks(from) & ~own;
    case BISHOPS_QUEENS:
      return bishop_attacks(lowest(from), occupied) & ~own;
    case ROOKS_QUEENS:
      return rook_attacks(lowest(from), occupied) & ~own;
    default:
      return king_attacks(from) & ~own;
  }
}

NEAR void append_moves(local u32* moves, local u32* size, u64 from, u64 to, u32 kind) {
  if (to == 0) return;
  u32 place = atomic_add(size, (u32)count_of(to));
  while (to) moves[place++] = packed(LANE, lowest(from), pop_lowest(&to), kind);
}

/// Lists the moves of the column's piece on `from`. Captures, and pushes that a pawn of the row may
/// answer en passant, go to the list `other`. All other moves go to the list `quiet`.
NEAR void list_moves(local Work* work, const global Plan* plan, u64 from, u32 set, u64 own) {
  u64 to = targets_from(from, set, own, plan->all) & ~plan->pieces.king, loud = to & plan->all;
  u32 kind = PLAIN, last_kind = PLAIN;
  if (set == PAWNS) {
    if (pawn_attacks_down(from >> 8) & plan->pieces.pawns) loud |= to & from >> 16;
    if (to & RANK_1) {
      kind = TO_KNIGHT;
      last_kind = TO_QUEEN;
    }
  }
  for (; kind <= last_kind; ++kind) {
    append_moves(work->quiet, &work->quiet_size, from, to ^ loud, kind);
    append_moves(work->other, &work->other_size, from, loud, kind);
  }
}

NEAR void list_castling(local Work* work, const global Plan* plan, Pieces column, u64 own,
                          u64 rooks) {
  int king = lowest(column.king);
  while (rooks) {
    int rook = pop_lowest(&rooks);
    CastlingPath path = castling_path(king, rook);
    u64 occupied = own | plan->all;
    if (path.empty & occupied) continue;
    if (king_may_pass(plan->pieces, column.king, bit_of(path.king_to), occupied ^ column.king))
      work->quiet[atomic_inc(&work->quiet_size)] = packed(LANE, king, rook, CASTLES);
  }
}

/// Returns the number of the rows' moves after a quiet move, and adds 1 to `positions`. If the move
/// is illegal, returns 0 and adds nothing. If the move must go to the list `other`, returns NONE
/// and adds nothing.
static u32 count_after_quiet(Move move, Pieces before, const global Plan* plan, u32* positions) {
  Pieces column = after_move(before, move);
  View view = view_of(column);
  if (is_hard(plan, view)) return NONE;
  if ((plan->sight & view.king) &&
      row_attacks(plan->pieces, lowest(view.king), plan->all | view.all))
    return 0;
  *positions += 1;
  u32 moves = count_by_plan(plan, view);
  return plan->may_castle ? moves + count_castling_by_plan(plan, column, view.all) : moves;
}

/// Does the same as count_after_quiet(), but for any move, and never returns NONE.
static u32 count_after_other(Move move, Pieces before, const global Plan* plan, u32* positions) {
  Pieces column = after_move(before, move);
  u64 captured = move.kind == CASTLES ? 0 : move.to;
  Pieces row = without(plan->pieces, captured);
  if (row_attacks(row, lowest(column.king), occupied_by(row) | occupied_by(column))) return 0;
  *positions += 1;
  u64 passed = before.pawns & move.from && move.from >> 16 == move.to ? move.from >> 8 : 0;
  return count_moves(row, column, plan->castling & ~captured, passed);
}

/// Counts the leaves two plies below pairs. A group has LANES pairs. Each lane lists the moves of
/// its own pair, piece by piece. All listed moves are then divided among the lanes, so that all
/// lanes are busy even if some pairs have only few moves. In a round, all lanes list moves of
/// pieces of the same set, so they execute the same instructions.
KERNEL two_plies(u32 first_group, const global Pair* pairs, u32 count, const global Plan* plans,
                 const global u64* columns, u32 stride, global u64* totals) {
  local GroupTotal group_total;
  local Work work;
  u32 first = (first_group + GROUP) * LANES, exists = first + LANE < count, positions = 0;
  pairs += first;
  Pair pair = pairs[exists ? LANE : 0];
  const global Plan* my_plan = plans + pair.row;
  Pieces mine = pieces_at(columns, stride, pair.column);
  u64 own = occupied_by(mine), leaves = 0;
  store_pieces(&work, mine);
  if (LANE <= KING) work.rounds[LANE] = 0;
  if (LANE == 0) work.quiet_size = work.other_size = 0;
  BARRIER;
  for (u32 set = PAWNS; set <= KING; ++set)
    atomic_max(&work.rounds[set], (u32)count_of(work.sets[set][LANE]));
  if (exists) {
    u64 rooks = set_at(columns, stride, CASTLING, pair.column) & RANK_8;
    list_castling(&work, my_plan, mine, own, rooks);
  }
  BARRIER;
  for (u32 set = PAWNS; set <= KING; ++set) {
    u64 left = exists ? work.sets[set][LANE] : 0;
    for (u32 rounds = work.rounds[set]; rounds; --rounds) {
      if (left) list_moves(&work, my_plan, pop_lowest_bit(&left), set, own);
      BARRIER;
      // The lanes take LANES moves at once, from the end of the list, and leave the rest for the
      // next round. Exception: in the last round, for the kings, they take all moves.
      u32 quiet_size = work.quiet_size, quiet_left = set == KING ? 0 : quiet_size % LANES;
      for (u32 at = quiet_left + LANE; at < quiet_size; at += LANES) {
        Move move = unpacked(work.quiet[at]);
        Pair of = pairs[move.pair];
        Pieces before = load_pieces(&work, move.pair);
        u32 moves = count_after_quiet(move, before, plans + of.row, &positions);
        if (moves == NONE)
          work.other[atomic_inc(&work.other_size)] = work.quiet[at];
        else
          leaves += (u64)of.paths * moves;
      }
      BARRIER;
      u32 other_size = work.other_size, other_left = set == KING ? 0 : other_size % LANES;
      for (u32 at = other_left + LANE; at < other_size; at += LANES) {
        Move move = unpacked(work.other[at]);
        Pair of = pairs[move.pair];
        Pieces before = load_pieces(&work, move.pair);
        leaves += (u64)of.paths * count_after_other(move, before, plans + of.row, &positions);
      }
      BARRIER;
      if (LANE == 0) {
        work.quiet_size = quiet_left;
        work.other_size = other_left;
      }
      BARRIER;
    }
  }
  add_up(&group_total, leaves, positions, totals);
}
