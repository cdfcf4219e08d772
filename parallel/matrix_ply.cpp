#include "parallel/matrix_ply.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "parallel/chunk_counter.h"

namespace manyply {

void append_en_passant_captures(const Configuration& taker, const Configuration& pushed,
                                Color pusher, const LoneMove& push, std::uint32_t paths,
                                std::vector<EnPassantCapture>& captures) {
  const int passed = push.passed();
  for (Bitboard from = pawn_attacks_of(pusher, passed) & taker.pieces.pawns; from != 0;)
    captures.push_back(
        {with_pawn_moved(taker, pop_lowest(from), passed), without(pushed, push.to), paths});
}

MatrixStage::MatrixStage(const Board& root) : mover(root.side_to_move) {
  const Configuration own = configuration_of(root, mover);
  const Configuration other = configuration_of(root, ~mover);
  rows.insert(own);
  columns.insert(other);
  RowChunk only;
  only.begin = {0, 1};
  only.groups = {0};
  only.paths = {1, 0, 0, 0, 0, 0, 0, 0};
  matrix.chunks.push_back(std::move(only));
  if (root.en_passant != 0) {
    const int passed = lowest(root.en_passant);
    const int up = mover == Color::kWhite ? 8 : -8;
    const LoneMove push{.path = 0,
                        .from = static_cast<std::uint8_t>(passed + up),
                        .to = static_cast<std::uint8_t>(passed - up),
                        .kind = LoneMove::Kind::kDoublePush};
    append_en_passant_captures(own, other, ~mover, push, 1, captures);
  }
}

MatrixPly::MatrixPly(MatrixStage before, const RowKernel& kernel, const Workers& workers,
                     const std::stop_token& stop)
    : before_(std::move(before)),
      kernel_(kernel),
      planes_([&] {  // of all columns, those with losses among them
        list_moves(workers, stop);
        losses_.add_to(before_.columns, list_taken(workers, stop), stop);
        place_captures();
        return Columns(before_.columns);
      }()) {}

void MatrixPly::list_moves(const Workers& workers, const std::stop_token& stop) {
  struct Listed {
    std::vector<LoneStep> steps;
    std::vector<std::uint32_t> sources;  // by step
  };
  struct Edge {
    std::uint32_t row;
    Incoming incoming;
  };
  // All workers list the moves of some chunks, then one numbers what they lead to: in the order of
  // the sources, whoever listed them, so that neighbours stay neighbours.
  constexpr std::size_t kChunksAtOnce = 16;
  const std::size_t sources = before_.rows.size();
  std::vector<Listed> listed(
      std::min(chunks_of(sources), kChunksAtOnce * static_cast<std::size_t>(workers.count())));
  std::vector<Edge> edges;
  moves_.resize(kLoneMoves);
  for (std::size_t first = 0; first < chunks_of(sources); first += listed.size()) {
    ChunkCounter chunks(std::min(listed.size(), chunks_of(sources) - first), stop);
    workers.run([&](int) {
      while (const auto chunk = chunks.next()) {
        Listed& list = listed[*chunk];
        const std::size_t begin = (first + *chunk) * kChunkRows;
        for (std::size_t source = begin; source < std::min(sources, begin + kChunkRows); ++source) {
          append_lone_moves(before_.rows[source], before_.mover, list.steps);
          list.sources.resize(list.steps.size(), static_cast<std::uint32_t>(source));
        }
      }
    });
    if (stop.stop_requested()) return;
    for (Listed& list : listed) {
      for (std::size_t i = 0; i < list.steps.size(); ++i) {
        constexpr std::size_t kAhead = 8;
        if (i + kAhead < list.steps.size()) rows_.prefetch(list.steps[i + kAhead].after);
        const auto& [move, after] = list.steps[i];
        moves_[move.number()] = move;
        edges.push_back({rows_.insert(after), {list.sources[i], move.number()}});
      }
      list.steps.clear();
      list.sources.clear();
    }
  }

  // By row, in the same order: from the last edge to the first, each before those of its row.
  first_incoming_.assign(rows_.size() + 1, 0);
  for (const Edge& edge : edges) ++first_incoming_[edge.row];
  std::partial_sum(first_incoming_.begin(), first_incoming_.end(), first_incoming_.begin());
  incoming_.resize(edges.size());
  for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge)
    incoming_[--first_incoming_[edge->row]] = edge->incoming;
}

std::vector<Bitboard> MatrixPly::list_taken(const Workers& workers,
                                            const std::stop_token& stop) const {
  const std::size_t count = before_.columns.size();
  std::vector<Bitboard> taken(count);
  std::vector<Bitboard> takable(count);  // what can be
  Bitboard somewhere = 0;
  for (std::size_t column = 0; column < count; ++column) {
    const Pieces& pieces = before_.columns[column].pieces;
    takable[column] = pieces.all() ^ pieces.king;
    somewhere |= takable[column];
  }
  ChunkCounter chunks(before_.matrix.chunks.size(), stop);
  workers.run([&](int) {
    while (const auto number = chunks.next()) {
      const RowChunk& chunk = before_.matrix.chunks[*number];
      for (std::size_t i = 0; i < chunk.rows(); ++i) {
        const Bitboard sight =
            sight_of(before_.rows[*number * kChunkRows + i], before_.mover) & somewhere;
        if (sight == 0) continue;
        const RowView row = chunk.row(i);
        for (std::size_t j = 0; j < row.size * kGroupColumns; ++j) {
          if (row.paths[j] == 0) continue;
          const std::size_t column =
              row.groups[j / kGroupColumns] * kGroupColumns + j % kGroupColumns;
          const Bitboard seen = sight & takable[column];
          const std::atomic_ref<Bitboard> known(taken[column]);
          if ((seen & ~known.load(std::memory_order_relaxed)) != 0)
            known.fetch_or(seen, std::memory_order_relaxed);
        }
      }
    }
  });
  return taken;
}

void MatrixPly::place_captures() {
  for (const EnPassantCapture& capture : before_.captures)
    extra_.push_back(
        {rows_.insert(capture.taker), before_.columns.insert(capture.robbed), capture.paths});
  before_.captures = {};
  std::ranges::sort(extra_, {}, &ExtraPaths::row);
  first_incoming_.resize(rows_.size() + 1, incoming_.size());  // rows reached by nothing else
}

void MatrixPly::make_row(std::size_t row, RowSums& sums,
                         std::vector<EnPassantChance>& chances) const {
  const RowStep step{before_.mover, planes_, losses_};
  const std::size_t first_chance = chances.size();
  const std::size_t end_incoming = first_incoming_[row + 1];
  for (std::size_t i = first_incoming_[row]; i < end_incoming; ++i) {
    constexpr std::size_t kAhead = 3;  // rows are short, and come from anywhere
    if (i + kAhead < end_incoming) {
      const RowView later = before_.matrix.row(incoming_[i + kAhead].source);
      __builtin_prefetch(later.groups);
      __builtin_prefetch(later.paths);
    }
    const auto [source, number] = incoming_[i];
    const LoneMove& move = moves_[number];
    const Bitboard own =
        move.kind == LoneMove::Kind::kCastling ? before_.rows[source].pieces.all() : 0;
    kernel_.pull(step, move, own, before_.matrix.row(source), sums, chances);
  }
  const auto [begin, end] =
      std::ranges::equal_range(extra_, static_cast<std::uint32_t>(row), {}, &ExtraPaths::row);
  for (const ExtraPaths& extra : std::span(begin, end)) sums.add(extra.column, extra.paths);
  if (sums.overflows()) throw MatrixDoesNotFit("more than 2^31 paths to one position");
  sums.list_touched();
  kernel_.drop_illegal(step, rows_[row].pieces, sums);
  // A push that leaves the king in check gives nobody any right.
  chances.erase(
      std::remove_if(chances.begin() + static_cast<std::ptrdiff_t>(first_chance), chances.end(),
                     [&](const EnPassantChance& chance) { return sums[chance.column] == 0; }),
      chances.end());
}

std::uint64_t MatrixPly::bytes() const {
  return rows_.bytes() + before_.columns.bytes() + losses_.bytes() +
         incoming_.capacity() * sizeof(Incoming) + moves_.capacity() * sizeof(LoneMove) +
         first_incoming_.capacity() * sizeof(std::size_t) +
         6 * planes_.occupied.capacity() * sizeof(Bitboard);
}

}  // namespace manyply
