// Stored plies, in OpenCL C 1.2.
//
// In a stored ply, the rows' side moves. The ply starts from the old matrix, whose rows ("sources")
// are configurations of this side. The rows of the new matrix are configurations of the columns'
// side, because that side moves next. The columns of the new matrix are configurations of the rows'
// side after the ply. A group makes one row of the new matrix from the paths to one column of the
// old matrix. So the new matrix is written in its final order. Only the old matrix, about a tenth
// as large, must first be sorted by column:
//   count_paths, turn_paths   sort the old matrix by column
//   reach_rows                finds the rows and columns that legal paths reach; lists double pushes
//                             after which an en passant capture may be possible
//   count_cells               finds the sizes of the new rows
//   fill_cells                adds up the paths in the new rows, without illegal pairs
//
// Each entry of the old matrix is below 2^31, and each addition is checked as in last_plies.cl.
//
// Estimated from the number of instructions: on an H100, these kernels take 1 ms for the last
// stored ply of perft(9), and 12 ms for that of perft(10). One core of a processor takes 0.35 s and
// 4 s.

/// The paths from row `source` to a column.
typedef struct { u32 source, paths; } SourcePaths;
/// A move from a source to `row`. It is possible only if no piece of the column is on `path`.
typedef struct {
  u64 path;
  u32 row;
  u32 to;      // where the move may capture; 64 if it cannot
  u32 kind;    // of the next enum
  u32 number;  // castling: number of its SafeWay; double push: number of its edge, for the host
} StoredMove;
enum { ORDINARY_MOVE, CAPTURE_ONLY, CASTLING_MOVE, DOUBLE_PUSH };
/// Squares that the column must not attack, and the source's pieces without the king.
typedef struct { u64 squares, others; } SafeWay;
/// Column `column` loses its piece on `square`.
typedef struct { u32 column, square; } LostPiece;
/// A double push that the column may answer en passant. `move` is StoredMove::number.
typedef struct { u32 row, column, paths, move; } PushChance;

// ---- the old matrix, sorted by column -------------------------------------------------------------

/// Counts, for each column, the sources that have paths to it, and adds these numbers to `counts`.
/// A group has one source.
KERNEL count_paths(u32 first_group, const global u32* row_begin, const global u32* groups,
                   const global u32* matrix, global u32* counts) {
  u32 source = first_group + GROUP;
  size_t end = (size_t)row_begin[source + 1] * 8;
  for (size_t at = (size_t)row_begin[source] * 8 + LANE; at < end; at += LANES)
    if (matrix[at]) atomic_inc(&counts[groups[at / 8] * 8 + at % 8]);
}
/// Stores the paths of each pair in turned[next[column]], and increases next[column] each time.
/// Row i of `matrix` is source first_source + i.
KERNEL turn_paths(u32 first_group, const global u32* row_begin, const global u32* groups,
                  const global u32* matrix, u32 first_source, global u32* next,
                  global SourcePaths* turned) {
  u32 source = first_group + GROUP;
  size_t end = (size_t)row_begin[source + 1] * 8;
  for (size_t at = (size_t)row_begin[source] * 8 + LANE; at < end; at += LANES)
    if (matrix[at]) {
      SourcePaths paths = {first_source + source, matrix[at]};
      turned[atomic_inc(&next[groups[at / 8] * 8 + at % 8])] = paths;
    }
}

// ---- all paths to one new row ---------------------------------------------------------------------

/// The tables of a ply.
typedef struct {
  const global u32* first_paths;     // by column: its first index in `paths`
  const global SourcePaths* paths;
  const global u32* first_move;      // by source: its first index in `moves`
  const global StoredMove* moves;
  const global u64* captures;        // by source: squares where it may capture
  const global SafeWay* ways;
  const global u32* first_loss;      // by column after a loss: its first index in `losses`
  const global LostPiece* losses;
  const global u32* first_extra;     // by column: its first index in `extra`
  const global u32* extra;           // row and paths after en passant captures
  const global u64* columns;         // planes
  const global u64* rows;            // planes of the configurations after the move
  u32 stride, row_stride;
} Ply;
#define PLY_ARGUMENTS                                                                               \
  const global u32 *first_paths, const global SourcePaths *paths, const global u32 *first_move,     \
      const global StoredMove *moves, const global u64 *captures, const global SafeWay *ways,       \
      const global u32 *first_loss, const global LostPiece *losses, const global u32 *first_extra,  \
      const global u32 *extra, const global u64 *columns, u32 stride, const global u64 *rows,       \
      u32 row_stride
#define PLY                                                                                         \
  {first_paths, paths, first_move, moves, captures, ways, first_loss, losses, first_extra, extra,   \
   columns, rows, stride, row_stride}

// The columns of the new matrix are made in windows. A window has at most this number of words of
// bits, and each bit stands for a group of columns.
#define WINDOW_WORDS 2048

/// The results of a group. Each mode of the next enum uses only the members below its name.
typedef struct {
  // REACH
  global u32* reached;  // by row
  u32 column_reached;  // whether paths of this work-item reach the column
  global PushChance* chances;
  u32 room;
  global u32* found;
  // MARK and ADD: for the columns of the new matrix that are in the window
  const global u32* place;  // by row: column of the new matrix; NONE = no legal path reaches the row
  u32 first_cell_group;     // of the window
  u32 window_groups;        // length of the window
  local u32* bits;          // by group of 8 columns in the window
  // ADD
  const local u32* ranks;   // by word of `bits`: the number of bits set in earlier words
  global u32* sums;         // of the cells of this row in the window
  u32 seen_bits;
} Use;
enum { REACH, MARK, ADD };

/// Returns whether the rows' move to `row` was legal.
static int is_legal(const Ply* ply, u32 row, Pieces pieces, u64 their) {
  u64 king = set_at(ply->rows, ply->row_stride, KING, row);
  u64 own = set_at(ply->rows, ply->row_stride, ALL, row);
  return !column_attacks(pieces, lowest(king), own | their);
}
static int is_safe_way(SafeWay way, Pieces pieces, u64 their) {
  while (way.squares)
    if (column_attacks(pieces, pop_lowest(&way.squares), way.others | their)) return 0;
  return 1;
}

static void use_paths(int mode, const Ply* ply, Use* use, Pieces pieces, u64 their, u32 row, u32 paths) {
  if (mode == REACH) {
    if (use->column_reached && atomic_or(&use->reached[row], 0u)) return;
    if (!is_legal(ply, row, pieces, their)) return;
    atomic_or(&use->reached[row], 1u);
    use->column_reached = 1;
    return;
  }
  u32 column = use->place[row], group = column / 8 - use->first_cell_group;
  if (column == NONE || group >= use->window_groups) return;
  u32 bit = 1u << group % 32;
  if (mode == MARK) {
    atomic_or(&use->bits[group / 32], bit);
    return;
  }
  size_t cell = use->ranks[group / 32] + popcount(use->bits[group / 32] & (bit - 1));
  use->seen_bits |= atomic_add(&use->sums[cell * 8 + column % 8], paths) + paths;
}

/// Calls use_paths() for all paths to `column` after the rows' move, even those to illegal pairs.
/// In mode REACH, also lists the chances to capture en passant after legal pushes.
static void use_all_paths(int mode, const Ply* ply, Use* use, u32 column) {
  Pieces pieces = pieces_at(ply->columns, ply->stride, column);
  u64 their = occupied_by(pieces);
  for (u32 i = ply->first_paths[column] + LANE, end = ply->first_paths[column + 1]; i < end;
       i += LANES) {
    SourcePaths from = ply->paths[i];
    for (u32 m = ply->first_move[from.source], last = ply->first_move[from.source + 1]; m < last;
         ++m) {
      StoredMove move = ply->moves[m];
      u64 target = move.to < 64 ? bit_of(move.to) : 0;
      if (((move.path | target) & their) || move.kind == CAPTURE_ONLY) continue;
      if (move.kind == CASTLING_MOVE && !is_safe_way(ply->ways[move.number], pieces, their)) continue;
      use_paths(mode, ply, use, pieces, their, move.row, from.paths);
      if (mode == REACH && move.kind == DOUBLE_PUSH &&
          (pawn_attacks_up(lowest_of(move.path)) & pieces.pawns) &&
          is_legal(ply, move.row, pieces, their)) {
        u32 at = atomic_inc(use->found);
        PushChance chance = {move.row, column, from.paths, move.number};
        if (at < use->room) use->chances[at] = chance;
      }
    }
  }
  for (u32 l = ply->first_loss[column], end_loss = ply->first_loss[column + 1]; l < end_loss; ++l) {
    LostPiece lost = ply->losses[l];
    u64 square = bit_of(lost.square);
    for (u32 i = ply->first_paths[lost.column] + LANE, end = ply->first_paths[lost.column + 1];
         i < end; i += LANES) {
      SourcePaths from = ply->paths[i];
      if (!(ply->captures[from.source] & square)) continue;
      for (u32 m = ply->first_move[from.source], last = ply->first_move[from.source + 1]; m < last;
           ++m) {
        StoredMove move = ply->moves[m];
        if (move.to == lost.square && !(move.path & their))  // `path` excludes the target
          use_paths(mode, ply, use, pieces, their, move.row, from.paths);
      }
    }
  }
  for (u32 i = ply->first_extra[column] + LANE, end = ply->first_extra[column + 1]; i < end;
       i += LANES)
    use_paths(mode, ply, use, pieces, their, ply->extra[2 * i], ply->extra[2 * i + 1]);
}

/// Sets reached[row] and column_reached[column] for legal pairs that have paths. Lists up to `room`
/// chances to capture en passant, and adds the number of all chances to `found`. A group has one
/// column.
KERNEL reach_rows(u32 first_group, PLY_ARGUMENTS, global u32* reached, global u32* column_reached,
                  global PushChance* chances, u32 room, global u32* found) {
  local u32 any;
  if (LANE == 0) any = 0;
  BARRIER;
  Ply ply = PLY;
  Use use = {reached, 0, chances, room, found, 0, 0, 0, 0, 0, 0, 0};
  use_all_paths(REACH, &ply, &use, first_group + GROUP);
  if (use.column_reached) atomic_or(&any, 1u);
  BARRIER;
  if (LANE == 0) column_reached[first_group + GROUP] = any;
}

/// Marks the groups of the window in which `column` has paths.
static void mark_cells(const Ply* ply, Use* use, u32 column, u32 words) {
  for (u32 i = LANE; i < words; i += LANES) use->bits[i] = 0;
  BARRIER;
  use_all_paths(MARK, ply, use, column);
  BARRIER;
}
/// Writes the number of cells of each new row in each window. A cell is a group of 8 columns, at
/// least one of which has paths. A work-group has one new row and one window. kept[row] is the old
/// column that becomes new row `row`. `window_groups` must be a multiple of 32.
KERNEL count_cells(u32 first_group, PLY_ARGUMENTS, const global u32* place, const global u32* kept,
                   u32 windows, u32 window_groups, global u32* counts) {
  local u32 bits[WINDOW_WORDS], count;
  u32 number = first_group + GROUP, words = window_groups / 32, mine = 0;
  if (LANE == 0) count = 0;
  Ply ply = PLY;
  Use use = {0, 0, 0, 0, 0, place, number % windows * window_groups, window_groups, bits, 0, 0, 0};
  mark_cells(&ply, &use, kept[number / windows], words);
  for (u32 i = LANE; i < words; i += LANES) mine += popcount(bits[i]);
  atomic_add(&count, mine);
  BARRIER;
  if (LANE == 0) counts[number] = count;
}

/// Makes rows of the new matrix. A work-group has one new row and one window, numbered as in
/// count_cells(). The first work-group has number `first_number`. The cells of work-group number i
/// start at index begin[i] - begin[first_number]. row_at[column] is the row of the ply that becomes
/// column `column` of the new matrix.
KERNEL fill_cells(u32 first_group, PLY_ARGUMENTS, const global u32* place, const global u32* kept,
                  u32 windows, u32 window_groups, u32 first_number, const global u32* begin,
                  const global u32* row_at, global u32* groups, global u32* sums,
                  global u32* overflow) {
  local u32 bits[WINDOW_WORDS], ranks[WINDOW_WORDS], before[LANES];
  u32 number = first_number + first_group + GROUP, first = number % windows * window_groups;
  u32 words = window_groups / 32, column = kept[number / windows];
  size_t cell = begin[number] - begin[first_number];
  u32 cells = begin[number + 1] - begin[number];
  groups += cell;
  sums += cell * 8;
  for (u32 i = LANE; i < cells * 8; i += LANES) sums[i] = 0;
  Ply ply = PLY;
  Use use = {0, 0, 0, 0, 0, place, first, window_groups, bits, ranks, sums, 0};
  mark_cells(&ply, &use, column, words);
  // Each work-item numbers the cells of some neighbouring words of `bits`.
  u32 share = (words + LANES - 1) / LANES, from = min(LANE * share, words);
  u32 to = min(from + share, words), rank = 0;
  for (u32 i = from; i < to; ++i) rank += popcount(bits[i]);
  before[LANE] = rank;
  BARRIER;
  rank = 0;
  for (u32 i = 0; i < LANE; ++i) rank += before[i];
  for (u32 i = from; i < to; ++i) {
    ranks[i] = rank;
    for (u32 left = bits[i]; left; left &= left - 1)
      groups[rank++] = first + i * 32 + popcount((left & (0 - left)) - 1);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  use_all_paths(ADD, &ply, &use, column);
  if (use.seen_bits >> 31) *overflow = 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  Pieces pieces = pieces_at(columns, stride, column);
  u64 their = occupied_by(pieces);
  for (u32 i = LANE; i < cells * 8; i += LANES)
    if (sums[i] && !is_legal(&ply, row_at[groups[i / 8] * 8 + i % 8], pieces, their)) sums[i] = 0;
}
