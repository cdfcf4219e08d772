#include "parallel/matrix_ply.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "parallel/chunk_counter.h"

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
    append_en_passant_captures(own, other, ~mover, {0, 1, push, 0}, captures);
  }
}

MatrixPly::MatrixPly(MatrixStage before, const RowKernel& kernel, const Workers& workers,
                     const std::stop_token& stop)
    : before_(std::move(before)),
      kernel_(kernel),
      planes_([&] {  // of all columns, those with losses among them
        list_moves(workers, stop);
        losses_.add_to(before_.columns, taken_, stop);
        place_captures();
        return Columns(before_.columns);
      }()) {}

void MatrixPly::list_moves(const Workers& workers, const std::stop_token& stop) {
  const std::size_t sources = before_.rows.size();
  struct Listed {
    std::vector<LoneStep> steps;
    std::vector<std::uint32_t> sources;  // by step
  };
  std::vector<Listed> listed(chunks_of(sources));
  ChunkCounter chunks(listed.size(), stop);
  workers.run([&](int) {
    while (const auto chunk = chunks.next()) {
      Listed& list = listed[*chunk];
      const std::size_t end = std::min(sources, (*chunk + 1) * kChunkRows);
      for (std::size_t source = *chunk * kChunkRows; source < end; ++source) {
        append_lone_moves(before_.rows[source], before_.mover, list.steps);
        list.sources.resize(list.steps.size(), static_cast<std::uint32_t>(source));
      }
    }
  });
  if (stop.stop_requested()) return;

  // Numbers are given in the order of the sources, whoever listed them: neighbours stay neighbours.
  std::size_t count = 0;
  for (const Listed& list : listed) count += list.steps.size();
  std::vector<std::uint32_t> to_row;
  to_row.reserve(count);
  for (const Listed& list : listed) {
    if (stop.stop_requested()) return;
    for (const LoneStep& step : list.steps) {
      to_row.push_back(rows_.insert(step.after));
      taken_ |= step.move.captures();
    }
  }
  first_edge_.assign(rows_.size() + 1, 0);
  for (const std::uint32_t row : to_row) ++first_edge_[row + 1];
  for (std::size_t row = 0; row < rows_.size(); ++row) first_edge_[row + 1] += first_edge_[row];
  std::vector<std::size_t> next(first_edge_.begin(), first_edge_.end() - 1);
  edges_.resize(count);
  auto row = to_row.begin();
  for (const Listed& list : listed) {
    if (stop.stop_requested()) return;
    for (std::size_t i = 0; i < list.steps.size(); ++i)
      edges_[next[*row++]++] = {list.steps[i].move, list.sources[i]};
  }
}

void MatrixPly::place_captures() {
  for (const EnPassantCapture& capture : before_.captures)
    extra_.push_back({rows_.insert(capture.taker), before_.columns.insert(capture.robbed),
                      capture.paths, capture.edge, capture.column});
  before_.captures = {};
  std::ranges::sort(extra_, {}, &ExtraPaths::row);
  first_edge_.resize(rows_.size() + 1, edges_.size());  // rows reached by nothing else
}

void MatrixPly::make_row(std::size_t row, RowSums& sums,
                         std::vector<EnPassantChance>& chances) const {
  const RowStep step{before_.mover, planes_, losses_};
  const std::size_t first_chance = chances.size();
  for (std::size_t i = first_edge_[row]; i < first_edge_[row + 1]; ++i) {
    const Edge& from = edges_[i];
    const std::size_t pushed = chances.size();
    kernel_.pull(step, from.move, before_.rows[from.source].pieces.all(),
                 before_.matrix.row(from.source), sums, chances);
    for (std::size_t chance = pushed; chance < chances.size(); ++chance)
      chances[chance].edge = static_cast<std::uint32_t>(i);
  }
  for (const ExtraPaths& extra : extra_of(row)) sums.add(extra.column, extra.paths);
  kernel_.drop_illegal(step, rows_[row].pieces, sums);
  // A push that leaves the king in check gives nobody any right.
  chances.erase(
      std::remove_if(chances.begin() + static_cast<std::ptrdiff_t>(first_chance), chances.end(),
                     [&](const EnPassantChance& chance) { return sums[chance.column] == 0; }),
      chances.end());
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
  kernel_.carry_back({before_.mover, planes_, losses_}, edge.move,
                     before_.rows[edge.source].pieces.all(), before_.matrix.row(edge.source), below,
                     values);
}

std::uint64_t MatrixPly::bytes() const {
  return rows_.bytes() + before_.columns.bytes() + losses_.bytes() +
         edges_.capacity() * sizeof(Edge) + first_edge_.capacity() * sizeof(std::size_t) +
         6 * planes_.occupied.capacity() * sizeof(Bitboard);
}

}  // namespace manyply
