#include "parallel/device/device_tables.h"

#include <algorithm>
#include <tuple>

#include "core/geometry.h"
#include "parallel/chunk_queue.h"
#include "parallel/matrix/last_rows.h"

namespace manyply::device {
namespace {

/// A move of the columns' side. MovedGroup::sort() makes `after` an index into its result.
struct LoneWay {
  std::uint32_t after;  // number of the column after the move, in MovedGroup::set
  std::uint32_t source;
  Bitboard path;
  LoneMove move;
};

/// The configurations of the columns' side after all captures on one square, or after all quiet
/// moves.
struct MovedGroup {
  ConfigurationSet set;
  std::vector<LoneWay> ways;

  void add(const LoneStep& step, std::uint32_t source, Bitboard path) {
    ways.push_back({set.insert(step.after), source, path, step.move});
  }
  /// Returns the columns, sorted so that neighbours have much in common. Sorts `ways` in the same
  /// order.
  [[nodiscard]] std::vector<Configuration> sort() {
    std::vector<std::uint32_t> order(set.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto key = [this](std::uint32_t i) {
      const Pieces& pieces = set[i].pieces;
      return std::tuple(pieces.king, pieces.bishops_queens, pieces.all(), i);
    };
    std::ranges::sort(order, {}, key);
    std::vector<std::uint32_t> place(order.size());
    std::vector<Configuration> items;
    for (const std::uint32_t i : order) {
      place[i] = static_cast<std::uint32_t>(items.size());
      items.push_back(set[i]);
    }
    for (LoneWay& way : ways) way.after = place[way.after];
    std::ranges::stable_sort(ways, {}, &LoneWay::after);
    return items;
  }
};

}  // namespace

Castling castling_of(const MatrixPly& ply, const MatrixPly::Edge& edge, Turn turn) {
  const LoneMove& move = ply.move_of(edge);
  const CastlingPath path = castling_path(ply.mover(), move.from, move.to);
  const Bitboard king = bit(move.from);
  return {turn(path.safe | king), turn(ply.before().rows[edge.source].pieces.all() ^ king)};
}

std::vector<std::uint64_t> planes_of(std::span<const Configuration> items, Turn turn) {
  const std::size_t stride = whole_tiles(items.size());
  std::vector<std::uint64_t> planes(stride * kPlanes);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Pieces& pieces = items[i].pieces;
    const Bitboard sets[] = {pieces.pawns,        pieces.knights, pieces.bishops_queens,
                             pieces.rooks_queens, pieces.king,    items[i].castling};
    for (std::size_t plane = 0; plane < std::size(sets); ++plane)
      planes[plane * stride + i] = turn(sets[plane]);
  }
  return planes;
}

Dense::Dense(const ConfigurationSet& set, const Configuration* root) : number(set.size(), kNone) {
  if (root == nullptr) return;
  const Ordinary kind(*root);
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!kind.includes(set[i])) continue;
    number[i] = static_cast<std::uint32_t>(items.size());
    items.push_back(set[i]);
  }
}

ColumnTables::ColumnTables(const MatrixPly& ply, const Dense& dense, Turn turn) {
  const ConfigurationSet& set = ply.columns();
  std::vector<Configuration> items;
  for (std::size_t column = 0; column < set.size(); ++column) {
    items.push_back(set[column]);
    const std::uint64_t squares = turn(ply.losses().squares_of(column));
    losses.push_back({squares, static_cast<std::uint32_t>(loss_to.size()),
                      dense.number[column] != kNone ? 1U : 0U});
    for (std::uint64_t left = squares; left != 0;) {
      const auto square = static_cast<int>(turn.square(pop_lowest(left)));
      loss_to.push_back(ply.losses().of(column, square));
    }
  }
  planes = planes_of(items, turn);
}

MovedColumns::MovedColumns(std::span<const Configuration> columns, Color side, Turn turn,
                           const Workers& workers, StopView stop) {
  std::vector<std::vector<LoneStep>> steps(columns.size());
  constexpr std::size_t kAtOnce = 256;
  for_each_range(columns.size(), kAtOnce, workers, stop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) append_lone_moves(columns[c], side, steps[c]);
  });
  std::array<MovedGroup, kNoSquare + 1> made;  // by square, not turned
  std::array<std::vector<Configuration>, kNoSquare + 1> sorted;
  for_each_chunk(made.size(), workers, stop, [&](std::size_t group) {
    const bool is_quiet = group == kNoSquare;
    for (std::uint32_t c = 0; c < steps.size(); ++c) {
      for (const LoneStep& step : steps[c]) {
        const LoneMove& move = step.move;
        if (is_quiet && move.kind != LoneMove::Kind::kPawnCapture)
          made[group].add(step, c, move.path | move.captures());
        if (!is_quiet && move.captures() == bit(static_cast<int>(group)))
          made[group].add(step, c, move.path);
      }
    }
    sorted[group] = made[group].sort();
  });
  if (stop.stop_requested()) return;
  std::vector<Configuration> items;
  for (std::size_t square = 0; square < made.size(); ++square) {
    if (sorted[square].empty()) continue;
    Group& group = groups[square == kNoSquare ? square : turn.square(static_cast<int>(square))];
    const auto first = static_cast<std::uint32_t>(items.size());
    group = {first / kLanes, whole_tiles(sorted[square].size()) / kLanes};
    items.insert(items.end(), sorted[square].begin(), sorted[square].end());
    items.resize(whole_tiles(items.size()), items.back());  // the added ones have no ways
    first_way.resize(items.size() + 1);
    for (const LoneWay& way : made[square].ways) {
      const bool castles = way.move.kind == LoneMove::Kind::kCastling;
      ways.push_back({turn(way.path), way.source, castles ? 1U : 0U});
      ++first_way[first + way.after + 1];
      if (way.move.kind == LoneMove::Kind::kDoublePush)
        pushes.push_back(
            {turn(way.path), way.source, first + way.after, turn.square(way.move.passed()), 0});
    }
  }
  for (std::size_t i = 1; i < first_way.size(); ++i) first_way[i] += first_way[i - 1];
  size = static_cast<std::uint32_t>(items.size());
  planes = planes_of(items, turn);
}

RowBatches::RowBatches(const MatrixPly& ply, const Dense& rows, const Dense& sources,
                       std::uint32_t width, Turn turn)
    : ply_(ply),
      rows_(rows),
      sources_(sources),
      width_(width),
      turn_(turn),
      source_at_(ply.before().rows.size(), kNone) {
  for (std::size_t row = 0; row < ply.rows().size(); ++row) weight_ += weight_of(row);
}

std::uint64_t RowBatches::weight_of(std::size_t row) const {
  std::uint64_t weight = 2;  // so that dense and other pairs each have a unit of progress
  const auto [begin, end] = ply_.edges_of(row);
  for (std::size_t i = begin; i < end; ++i)
    weight += ply_.before().matrix.row(ply_.edge(i).source).size;
  return weight;
}

RowBatch RowBatches::next(std::uint32_t most_rows, std::uint64_t most_bytes,
                          std::uint64_t most_buffer_bytes) {
  constexpr std::uint64_t kOfRow = kPlanes * 8 + kPlanBytes + std::uint64_t{8} * 4;
  constexpr std::uint64_t kOfGroup = (1 + kGroupColumns) * 4;
  RowBatch batch;
  std::vector<std::size_t> dense;
  std::vector<std::size_t> other;
  std::uint64_t bytes = std::uint64_t{4} * kLanes * kPlanes * 8;  // for rounding up
  std::uint64_t groups = 0;
  std::uint64_t dense_sources = 0;
  const std::size_t first = next_;
  for (; !at_end() && next_ - first < most_rows; ++next_) {
    const auto [begin, end] = ply_.edges_of(next_);
    std::vector<std::uint32_t> added;
    std::uint64_t more_groups = 0;
    std::uint64_t more_dense = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t source = ply_.edge(i).source;
      if (source_at_[source] != kNone) continue;
      source_at_[source] = 0;
      added.push_back(source);
      more_groups += ply_.before().matrix.row(source).size;
      more_dense += sources_.number[source] != kNone ? 1 : 0;
    }
    const auto lists = static_cast<std::uint64_t>(popcount(ply_.rows()[next_].pieces.all())) + 2;
    const std::uint64_t more = kOfRow + lists * 4 + (end - begin) * (sizeof(Edge) + sizeof(Push)) +
                               ply_.extra_of(next_).size() * 8 + added.size() * 8 +
                               more_groups * kOfGroup + more_dense * width_ * 4;
    const std::uint64_t matrix = (dense_sources + more_dense) * width_ * 4;
    const std::uint64_t paths = (groups + more_groups) * kGroupColumns * 4;
    constexpr std::uint64_t kMostWords = std::uint64_t{1} << 32;  // in a buffer
    constexpr std::uint64_t kWord = sizeof(std::uint32_t);
    const bool fits =
        bytes + more <= most_bytes &&
        std::max(matrix, paths) <= std::min(most_buffer_bytes, (kMostWords - 1) * kWord);
    if (!fits && next_ > first) {
      for (const std::uint32_t source : added) source_at_[source] = kNone;
      break;
    }
    bytes += more;
    groups += more_groups;
    dense_sources += more_dense;
    sources_used_.insert(sources_used_.end(), added.begin(), added.end());
    (rows_.number[next_] != kNone ? dense : other).push_back(next_);
  }
  for (const std::uint32_t source : sources_used_) source_at_[source] = kNone;
  sources_used_.clear();
  for (const std::size_t row : dense) append_row(row, batch);
  batch.dense = static_cast<std::uint32_t>(dense.size());
  for (const std::size_t row : other) append_row(row, batch);
  for (const std::uint32_t source : sources_used_) source_at_[source] = kNone;
  sources_used_.clear();
  return batch;
}

void RowBatches::append_row(std::size_t row, RowBatch& batch) {
  const auto number = static_cast<std::uint32_t>(batch.rows.size());
  batch.rows.push_back(ply_.rows()[row]);
  batch.weight += weight_of(row);
  const auto [begin, end] = ply_.edges_of(row);
  for (std::size_t i = begin; i < end; ++i) {
    const MatrixPly::Edge& edge = ply_.edge(i);
    const LoneMove& move = ply_.move_of(edge);
    std::uint32_t castling = 0;
    if (move.kind == LoneMove::Kind::kCastling) {
      batch.castlings.push_back(castling_of(ply_, edge, turn_));
      castling = static_cast<std::uint32_t>(batch.castlings.size());
    }
    const std::uint32_t source = source_in(edge.source, batch);
    const int to = move.captures() != 0 ? static_cast<int>(turn_.square(move.to)) : kNoSquare;
    batch.edges.push_back({turn_(move.path), source, castling, static_cast<std::uint32_t>(to),
                           move.kind == LoneMove::Kind::kPawnCapture ? 1U : 0U});
    if (move.kind == LoneMove::Kind::kDoublePush)
      batch.pushes.push_back({turn_(move.path), source, number, turn_.square(move.passed()), 0});
  }
  batch.first_edge.push_back(static_cast<std::uint32_t>(batch.edges.size()));
  for (const MatrixPly::ExtraPaths& extra : ply_.extra_of(row)) {
    batch.extra.push_back(extra.column);
    batch.extra.push_back(extra.paths);
  }
  batch.first_extra.push_back(static_cast<std::uint32_t>(batch.extra.size() / 2));
}

std::uint32_t RowBatches::source_in(std::uint32_t source, RowBatch& batch) {
  std::uint32_t& at = source_at_[source];
  if (at != kNone) return at;
  at = static_cast<std::uint32_t>(batch.dense_source.size());
  sources_used_.push_back(source);
  const RowView row = ply_.before().matrix.row(source);
  batch.groups.insert(batch.groups.end(), row.groups, row.groups + row.size);
  append_unpacked(row, batch.paths);
  batch.row_begin.push_back(static_cast<std::uint32_t>(batch.groups.size()));
  const bool dense = sources_.number[source] != kNone;
  batch.dense_source.push_back(dense ? batch.dense_sources++ : kNone);
  return at;
}

}  // namespace manyply::device
