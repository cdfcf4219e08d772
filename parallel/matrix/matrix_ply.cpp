#include "parallel/matrix/matrix_ply.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "core/configurations/sort_all.h"
#include "parallel/chunk_queue.h"
#include "parallel/matrix/insert_all.h"

namespace manyply {

void append_en_passant_captures(const Configuration& taker, const Configuration& pushed,
                                Color pusher, const EnPassantChance& chance,
                                std::vector<EnPassantCapture>& captures) {
  const int passed = chance.push.passed();
  for (Bitboard from = pawn_attacks_of(pusher, passed) & taker.pieces.pawns; from != 0;) {
    captures.push_back({with_pawn_moved(taker, pop_lowest(from), passed),
                        without(pushed, chance.push.to), chance.paths, chance.edge, chance.column});
  }
}

MatrixStage::MatrixStage(const Board& root) : mover(root.side_to_move) {
  const Configuration own = configuration_of(root, mover);
  const Configuration other = configuration_of(root, ~mover);
  rows.insert(own);
  columns.insert(other);
  RowChunk& only = matrix.chunks.emplace_back();
  only.begin = {{0, 0}, {1, 1}};
  matrix.memory.give_room(only);
  only.groups[0] = 0;
  only.lanes[0] = 1;
  only.paths[0] = 1;
  if (root.en_passant != 0) {
    const int passed = lowest(root.en_passant);
    const int up = mover == Color::kWhite ? 8 : -8;
    const LoneMove push{.path = 0,
                        .from = static_cast<std::uint8_t>(passed + up),
                        .to = static_cast<std::uint8_t>(passed - up),
                        .kind = LoneMove::Kind::kDoublePush};
    append_en_passant_captures(own, other, ~mover, {0, 1, push, 0}, captures.emplace_back());
  }
}

std::uint64_t MatrixStage::bytes_of(const std::vector<std::vector<EnPassantCapture>>& captures) {
  std::uint64_t bytes = 0;
  for (const std::vector<EnPassantCapture>& chunk : captures)
    bytes += chunk.capacity() * sizeof(EnPassantCapture);
  return bytes;
}

MatrixPly::MatrixPly(MatrixStage before, const RowKernel& kernel, const Workers& workers,
                     StopView stop, const PlyNeeds& needs, Sets sets)
    : before_(std::move(before)), kernel_(kernel) {
  const std::size_t known_columns = before_.columns.size();
  Bitboard takable = 0;
  if (needs.column) {
    takable = look_at_columns(0, needs.column, workers, stop);
    find_quiet_ends(workers, stop);
  }
  const std::pmr::vector<Bitboard> targets = list_moves(needs.row, takable, workers, stop);
  if (stop.stop_requested()) return;
  losses_.add_to(
      before_.columns, list_taken(targets, workers, stop),
      [&](std::span<const Configuration> items, std::span<std::uint32_t> numbers) {
        insert_all(before_.columns, items, numbers, workers);
      },
      on_all(workers, {}), stop);
  place_captures(workers, stop);
  if (stop.stop_requested()) return;
  if (needs.column) drop_needless_captures(known_columns, needs.column, workers, stop);
  if (sets == Sets::kLast) {
    before_.columns.free_slots();
    before_.rows.free_slots();
    rows_.free_slots();
  }
  fill_planes(sets, workers, stop);  // for all columns, including those after a capture
}

/// Examines the columns from number `begin` on. Marks the columns that are needed. Returns the
/// squares where any column has a piece that can be captured.
Bitboard MatrixPly::look_at_columns(std::size_t begin, const PlyNeeds::IsNeeded& is_needed,
                                    const Workers& workers, StopView stop) {
  constexpr std::size_t kGroupsAtOnce = 512;
  const std::size_t first_group = begin / kGroupColumns;
  const std::size_t count = before_.columns.size();
  needed_.resize(groups_of(count));
  std::atomic<Bitboard> takable = 0;  // read after the workers have returned
  for_each_range(needed_.size() - first_group, kGroupsAtOnce, workers, stop,
                 [&](std::size_t from, std::size_t to) {
                   Bitboard squares = 0;
                   const std::size_t end = std::min(count, (first_group + to) * kGroupColumns);
                   for (std::size_t column = std::max(begin, (first_group + from) * kGroupColumns);
                        column < end; ++column) {
                     const Configuration& configuration = before_.columns[column];
                     squares |= configuration.pieces.all() ^ configuration.pieces.king;
                     if (is_needed(configuration)) {
                       needed_[column / kGroupColumns] |=
                           static_cast<std::uint8_t>(1U << column % kGroupColumns);
                     }
                   }
                   takable.fetch_or(squares, std::memory_order_relaxed);
                 });
  return takable;
}

/// Sets quiet_end_. Quiet moves do not need the paths in a column that is not needed. Captures may
/// need these paths, because the column without the captured piece may be needed.
void MatrixPly::find_quiet_ends(const Workers& workers, StopView stop) {
  const auto last = std::find_if(needed_.rbegin(), needed_.rend(),
                                 [](std::uint8_t columns) { return columns != 0; });
  const auto end = static_cast<std::uint32_t>(needed_.rend() - last);
  quiet_end_.resize(before_.rows.size());
  const std::vector<RowChunk>& chunks = before_.matrix.chunks;
  for_each_chunk(chunks.size(), workers, stop, [&](std::size_t number) {
    for (std::size_t i = 0; i < chunks[number].rows(); ++i) {
      const RowView row = chunks[number].row(i);
      RowPlace& quiet = quiet_end_[number * kChunkRows + i];
      for (; quiet.group < row.size && row.groups[quiet.group] < end; ++quiet.group) {
        quiet.paths += static_cast<std::uint32_t>(
            packed_size(row.lanes[quiet.group], row.paths + quiet.paths));
      }
    }
  });
}

/// The moves of a ply, in the order of the rows from which they start (the sources).
struct MatrixPly::ListedMoves {
  static constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<std::size_t> end;  // by source: one past the index of its last move
  BlockArray<std::uint16_t, 2 * kBlock> numbers{huge_pages()};  // LoneMove::number() of each move
  BlockArray<std::uint32_t, kBlock> rows{huge_pages()};         // the row to which each move leads
};

/// Lists the moves that lead to needed rows. If a source has paths only in groups after the last
/// needed column (quiet_end_), lists only its captures on squares of `takable`. Returns, for each
/// source, the target squares of the listed captures.
std::pmr::vector<Bitboard> MatrixPly::list_moves(const PlyNeeds::IsNeeded& is_needed,
                                                 Bitboard takable, const Workers& workers,
                                                 StopView stop) {
  struct Listed {
    std::vector<LoneStep> steps;
    std::vector<std::size_t> end;  // by source of the chunk: one past its last step
    std::size_t first = 0;         // index of the first step in `after`
  };
  // First, the workers list the moves of some chunks. Then the configurations after these moves get
  // numbers in the order of the rows from which the moves start (the sources). So neighbouring
  // sources lead to neighbouring configurations. The order does not depend on the workers.
  constexpr std::size_t kChunksAtOnce = 16;
  const std::size_t sources = before_.rows.size();
  std::vector<Listed> listed(
      std::min(chunks_of(sources), kChunksAtOnce * static_cast<std::size_t>(workers.count())));
  ListedMoves all;
  std::pmr::vector<Configuration> after(huge_pages());
  std::vector<std::uint32_t> numbers;
  std::pmr::vector<Bitboard> targets(sources, huge_pages());
  moves_.resize(kLoneMoves);
  for (std::size_t first = 0; first < chunks_of(sources); first += listed.size()) {
    const std::size_t count = std::min(listed.size(), chunks_of(sources) - first);
    for_each_chunk(count, workers, stop, [&](std::size_t chunk) {
      Listed& list = listed[chunk];
      list.steps.clear();
      list.end.clear();
      const std::size_t begin = (first + chunk) * kChunkRows;
      for (std::size_t source = begin; source < std::min(sources, begin + kChunkRows); ++source) {
        const auto known = static_cast<std::ptrdiff_t>(list.steps.size());
        append_lone_moves(before_.rows[source], before_.mover, list.steps);
        const bool only_captures = !quiet_end_.empty() && quiet_end_[source].group == 0;
        const auto is_needless = [&](const LoneStep& step) {
          return (only_captures && (step.move.captures() & takable) == 0) ||
                 (is_needed && !is_needed(step.after));
        };
        if (only_captures || is_needed) {
          const auto added = list.steps.begin() + known;
          list.steps.erase(std::remove_if(added, list.steps.end(), is_needless), list.steps.end());
        }
        for (std::size_t i = static_cast<std::size_t>(known); i < list.steps.size(); ++i)
          targets[source] |= list.steps[i].move.captures();
        list.end.push_back(list.steps.size());
      }
    });
    if (stop.stop_requested()) return targets;
    const std::size_t known = all.rows.size();
    std::size_t steps = 0;
    for (std::size_t chunk = 0; chunk < count; ++chunk) {
      listed[chunk].first = steps;
      for (const std::size_t end : listed[chunk].end) all.end.push_back(known + steps + end);
      steps += listed[chunk].steps.size();
      for (const LoneStep& step : listed[chunk].steps) moves_[step.move.number()] = step.move;
    }
    if (steps == 0) continue;
    after.resize(steps);
    numbers.resize(steps);
    all.numbers.grow(steps);
    all.rows.grow(steps);
    for_each_chunk(count, workers, {}, [&](std::size_t chunk) {
      const Listed& list = listed[chunk];
      for (std::size_t i = 0; i < list.steps.size(); ++i) {
        after[list.first + i] = list.steps[i].after;
        all.numbers[known + list.first + i] = list.steps[i].move.number();
      }
    });
    insert_all(rows_, after, numbers, workers);
    for (std::size_t i = 0; i < steps; ++i) all.rows[known + i] = numbers[i];
  }
  sort_by_row(all, workers, stop);
  return targets;
}

/// Makes the edges, sorted by row. Each worker handles consecutive rows, and finds their edges
/// among all moves. The edges of a row keep their order.
void MatrixPly::sort_by_row(const ListedMoves& all, const Workers& workers, StopView stop) {
  constexpr std::size_t kWorthAPart = 8192;
  constexpr std::size_t kEdgesAtOnce = std::size_t{1} << 16;  // between two checks for a stop
  constexpr std::size_t kSourcesAtOnce = 4096;                // the same
  const std::size_t parts =
      std::min(static_cast<std::size_t>(workers.count()), all.rows.size() / kWorthAPart + 1);
  const std::size_t rows = rows_.size();
  edges_ = LargeArray<Edge>(all.rows.size(), huge_pages());
  first_edge_.assign(rows + 1, 0);
  const auto for_each_range = [&](const auto& body) {  // body(first row, number of rows)
    for_each_chunk(parts, workers, {}, [&](std::size_t part) {
      const std::size_t begin = rows * part / parts;
      body(begin, rows * (part + 1) / parts - begin);
    });
  };
  for_each_range([&](std::size_t begin, std::size_t count) {
    for (std::size_t i = 0; i < all.rows.size(); ++i) {
      if (i % kEdgesAtOnce == 0 && stop.stop_requested()) return;
      const std::size_t row = all.rows[i];
      if (row - begin < count) ++first_edge_[row];
    }
  });
  if (stop.stop_requested()) return;
  std::partial_sum(first_edge_.begin(), first_edge_.end(), first_edge_.begin());
  // Place edges from the last to the first. Each edge goes before the edges of its row that are
  // already placed.
  for_each_range([&](std::size_t begin, std::size_t count) {
    std::size_t i = all.rows.size();
    for (std::size_t source = all.end.size(); source-- > 0;) {
      if (source % kSourcesAtOnce == 0 && stop.stop_requested()) return;
      for (const std::size_t first = source == 0 ? 0 : all.end[source - 1]; i > first;) {
        const std::size_t row = all.rows[--i];
        if (row - begin < count)
          edges_[--first_edge_[row]] = {static_cast<std::uint32_t>(source), all.numbers[i]};
      }
    }
  });
}

std::pmr::vector<Bitboard> MatrixPly::list_taken(std::span<const Bitboard> targets,
                                                 const Workers& workers, StopView stop) const {
  const std::size_t count = before_.columns.size();
  std::pmr::vector<Bitboard> taken(count, huge_pages());
  std::pmr::vector<Bitboard> takable(
      count, huge_pages());  // by column: all squares where a piece can be captured
  Bitboard somewhere = 0;
  for (std::size_t column = 0; column < count; ++column) {
    const Pieces& pieces = before_.columns[column].pieces;
    takable[column] = pieces.all() ^ pieces.king;
    somewhere |= takable[column];
  }
  for_each_chunk(before_.matrix.chunks.size(), workers, stop, [&](std::size_t number) {
    const RowChunk& chunk = before_.matrix.chunks[number];
    for (std::size_t i = 0; i < chunk.rows(); ++i) {
      const Bitboard aims = targets[number * kChunkRows + i] & somewhere;
      if (aims == 0) continue;
      for_each_column(chunk.row(i), [&](std::size_t column) {
        const Bitboard seen = aims & takable[column];
        const std::atomic_ref<Bitboard> known(taken[column]);
        if ((seen & ~known.load(std::memory_order_relaxed)) != 0)
          known.fetch_or(seen, std::memory_order_relaxed);
      });
    }
  });
  return taken;
}

void MatrixPly::place_captures(const Workers& workers, StopView stop) {
  constexpr std::size_t kEnough = std::size_t{1} << 16;  // configurations to insert together
  std::vector<Configuration> takers;
  std::vector<Configuration> robbed;
  std::vector<std::uint32_t> numbers;
  const auto number_them = [&] {
    ExtraPaths* const first = extra_.data() + (extra_.size() - takers.size());
    numbers.resize(takers.size());
    insert_all(rows_, takers, numbers, workers);
    for (std::size_t i = 0; i < numbers.size(); ++i) first[i].row = numbers[i];
    insert_all(before_.columns, robbed, numbers, workers);
    for (std::size_t i = 0; i < numbers.size(); ++i) first[i].column = numbers[i];
    takers.clear();
    robbed.clear();
  };
  for (std::vector<EnPassantCapture>& captures : before_.captures) {
    for (const EnPassantCapture& capture : captures) {
      takers.push_back(capture.taker);
      robbed.push_back(capture.robbed);
      extra_.push_back({0, 0, capture.paths, capture.edge, capture.column});
    }
    std::vector<EnPassantCapture>().swap(captures);
    if (takers.size() >= kEnough) number_them();
    if (stop.stop_requested()) return;
  }
  number_them();
  sort_all(
      extra_, [](const ExtraPaths& a, const ExtraPaths& b) { return a.row < b.row; },
      on_all(workers, stop), stop);
  first_edge_.resize(rows_.size() + 1, first_edge_.back());  // new rows have no edges
}

void MatrixPly::fill_planes(Sets sets, const Workers& workers, StopView stop) {
  constexpr std::size_t kAtOnce = 512 * kGroupColumns;
  constexpr std::size_t kSlice = 256 * kAtOnce;  // with kLast, the set is freed by slices
  column_count_ = before_.columns.size();
  planes_ = Columns(column_count_, huge_pages());
  std::atomic<Bitboard> somewhere = 0;  // read after the workers have returned
  for (std::size_t slice = 0; slice < column_count_; slice += kSlice) {
    const std::size_t end = std::min(column_count_, slice + kSlice);
    for_each_chunk((end - slice + kAtOnce - 1) / kAtOnce, workers, stop, [&](std::size_t chunk) {
      const std::size_t begin = slice + chunk * kAtOnce;
      const std::size_t chunk_end = std::min(end, begin + kAtOnce);
      somewhere.fetch_or(planes_.fill(before_.columns, begin, chunk_end),
                         std::memory_order_relaxed);
      for (std::size_t group = begin / kGroupColumns; group < groups_of(chunk_end); ++group)
        planes_.lost[group] = 0;
      for (std::size_t column = begin; column < chunk_end; ++column)
        planes_.lost[column / kGroupColumns] |= losses_.squares_of(column);
    });
    if (sets == Sets::kLast) before_.columns.free_before(end);
  }
  if (sets == Sets::kLast) before_.columns = ConfigurationSet(huge_pages());
  planes_.somewhere = somewhere;
}

/// Removes captures from losses_ if the column after the capture is not needed. The columns with
/// number `known_columns` and higher exist only after captures.
void MatrixPly::drop_needless_captures(std::size_t known_columns,
                                       const PlyNeeds::IsNeeded& is_needed, const Workers& workers,
                                       StopView stop) {
  look_at_columns(known_columns, is_needed, workers, stop);
  losses_.drop([this](std::uint32_t column) {
    return (needed_columns(column / kGroupColumns) >> column % kGroupColumns & 1) == 0;
  });
}

/// Prefetches the source rows of edges that come after edge `number`. Source rows are short and
/// scattered in memory. Each is found through its chunk and the chunk's list of rows. The edges of
/// all rows are one sequence, so prefetching goes on beyond the last edge of a row.
void MatrixPly::prefetch_sources(std::size_t number) const {
  constexpr std::size_t kRow = 3;  // prefetch distances, in edges
  constexpr std::size_t kBegin = 6;
  constexpr std::size_t kChunk = 9;
  if (number + kChunk >= edges_.size()) return;
  const std::vector<RowChunk>& chunks = before_.matrix.chunks;
  __builtin_prefetch(&chunks[edges_[number + kChunk].source / kChunkRows]);
  const std::uint32_t source = edges_[number + kBegin].source;
  __builtin_prefetch(&chunks[source / kChunkRows].begin[source % kChunkRows]);
  const RowView later = before_.matrix.row(edges_[number + kRow].source);
  __builtin_prefetch(later.groups);
  __builtin_prefetch(later.lanes);
  __builtin_prefetch(later.paths);
}

void MatrixPly::pull_edge(const RowStep& step, const Edge& edge, RowSums& sums,
                          std::vector<EnPassantChance>& chances) const {
  const LoneMove& move = moves_[edge.move];
  RowView source = before_.matrix.row(edge.source);
  if (!quiet_end_.empty()) {
    const RowPlace quiet = quiet_end_[edge.source];
    if (quiet.group < source.size && move.captures() != 0) {
      LoneMove capture = move;
      capture.kind = LoneMove::Kind::kPawnCapture;  // the kind of moves that are never quiet
      kernel_.pull(step, capture, 0,
                   {.groups = source.groups + quiet.group,
                    .lanes = source.lanes + quiet.group,
                    .paths = source.paths + quiet.paths,
                    .size = source.size - quiet.group},
                   sums, chances);
    }
    source.size = quiet.group;
  }
  kernel_.pull(step, move, own_before(edge), source, sums, chances);
}

void MatrixPly::make_row(std::size_t row, RowSums& sums,
                         std::vector<EnPassantChance>& chances) const {
  const RowStep step{before_.mover, planes_, losses_};
  const std::size_t first_chance = chances.size();
  const std::size_t end_edge = first_edge_[row + 1];
  for (std::size_t i = first_edge_[row]; i < end_edge; ++i) {
    prefetch_sources(i);
    const Edge& edge = edges_[i];
    const std::size_t pushed = chances.size();
    pull_edge(step, edge, sums, chances);
    for (std::size_t chance = pushed; chance < chances.size(); ++chance)
      chances[chance].edge = static_cast<std::uint32_t>(i);
  }
  for (const ExtraPaths& extra : extra_of(row)) sums.add(extra.column, extra.paths);
  if (sums.overflows()) throw_too_many_paths();
  sums.list_touched();
  kernel_.drop_illegal(step, rows_[row].pieces, sums);
  // A push that leaves the mover's king in check is illegal, so no en passant capture can follow.
  chances.erase(
      std::remove_if(chances.begin() + static_cast<std::ptrdiff_t>(first_chance), chances.end(),
                     [&](const EnPassantChance& chance) { return sums[chance.column] == 0; }),
      chances.end());
}

std::size_t MatrixPly::add_pairs(std::size_t row, const RowSums& sums, std::size_t first,
                                 WaitingPairs& waiting) const {
  return kernel_.add_pairs({before_.mover, planes_, losses_}, rows_[row], sums, first, waiting);
}

Bitboard MatrixPly::own_before(const Edge& edge) const {
  const bool castles = moves_[edge.move].kind == LoneMove::Kind::kCastling;
  return castles ? before_.rows[edge.source].pieces.all() : 0;
}

std::span<const MatrixPly::ExtraPaths> MatrixPly::extra_of(std::size_t row) const {
  return std::span(
      std::ranges::equal_range(extra_, static_cast<std::uint32_t>(row), {}, &ExtraPaths::row));
}

std::uint32_t MatrixPly::row_of_edge(std::size_t number) const {
  const auto after = std::ranges::upper_bound(first_edge_, number);
  return static_cast<std::uint32_t>(after - first_edge_.begin() - 1);
}

void MatrixPly::carry_back(const Edge& edge, const std::uint64_t* below,
                           std::uint64_t* values) const {
  kernel_.carry_back({before_.mover, planes_, losses_}, moves_[edge.move], own_before(edge),
                     before_.matrix.row(edge.source), below, values);
}

void MatrixPly::carry_back(const Edge& edge, const std::uint32_t* below,
                           std::uint32_t* values) const {
  kernel_.carry_back_short({before_.mover, planes_, losses_}, moves_[edge.move], own_before(edge),
                           before_.matrix.row(edge.source), below, values);
}

std::uint64_t MatrixPly::free_paths() {
  const std::uint64_t bytes = before_.matrix.bytes();
  before_.matrix = {};
  return bytes;
}

std::uint64_t MatrixPly::bytes() const {
  return rows_.bytes() + before_.rows.bytes() + before_.columns.bytes() + losses_.bytes() +
         first_edge_.back() * sizeof(Edge) + first_edge_.capacity() * sizeof(std::size_t) +
         moves_.capacity() * sizeof(LoneMove) + needed_.capacity() +
         quiet_end_.capacity() * sizeof(RowPlace) +
         (7 * kGroupColumns + 1) * groups_of(column_count_) * sizeof(Bitboard);
}

}  // namespace manyply
