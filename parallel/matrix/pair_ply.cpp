#include "parallel/matrix/pair_ply.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <span>

#include "core/geometry.h"
#include "parallel/chunk_queue.h"
#include "parallel/matrix/insert_all.h"

namespace manyply {
namespace {

/// Number of rows between two checks for a stop.
constexpr std::size_t kSourcesAtOnce = 4096;

/// Returns whether the move is a promotion or a capture by a pawn. Only these moves lead to a
/// configuration of another kind.
bool changes_kind(const LoneStep& step, Color mover) {
  return step.move.kind == LoneMove::Kind::kPawnCapture ||
         (step.move.kind == LoneMove::Kind::kPush && (bit(step.move.to) & back_rank(~mover)) != 0);
}

/// Returns the move of `mover` that has this LoneMove::number().
LoneMove move_of(std::uint16_t number, Color mover) {
  LoneMove move{.path = 0,
                .from = static_cast<std::uint8_t>(number >> 6 & 63),
                .to = static_cast<std::uint8_t>(number & 63),
                .kind = static_cast<LoneMove::Kind>(number >> 12)};
  switch (move.kind) {
    case LoneMove::Kind::kPiece:
      move.path = kBetween[move.from][move.to];
      break;
    case LoneMove::Kind::kPush:
      move.path = bit(move.to);
      break;
    case LoneMove::Kind::kDoublePush:
      move.path = bit(move.passed()) | bit(move.to);
      break;
    case LoneMove::Kind::kPawnCapture:
      break;
    case LoneMove::Kind::kCastling:
      move.path = castling_path(mover, move.from, move.to).empty;
      break;
  }
  return move;
}

/// Collects edges in the order of their sources, and sorts them by row.
struct EdgeList {
  std::vector<std::uint32_t> rows;
  std::vector<PairRows::Edge> edges;

  void sort_into(PairRows& into) const {
    into.first.assign(into.set.size() + 1, 0);
    for (const std::uint32_t row : rows) ++into.first[row + 1];
    for (std::size_t row = 0; row < into.set.size(); ++row) into.first[row + 1] += into.first[row];
    std::vector<std::size_t> next(into.first.begin(), into.first.end() - 1);
    into.edges.resize(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) into.edges[next[rows[i]]++] = edges[i];
  }

  [[nodiscard]] std::uint64_t bytes() const {
    return rows.capacity() * sizeof(rows[0]) + edges.capacity() * sizeof(edges[0]);
  }
  /// Returns the additional bytes that sort_into() takes.
  [[nodiscard]] std::uint64_t sorting_bytes(const PairRows& into) const {
    return edges.size() * sizeof(edges[0]) + 2 * (into.set.size() + 1) * sizeof(std::size_t);
  }
};

}  // namespace

PairStage::PairStage(const Board& root) : mover(root.side_to_move) {
  rows.insert(configuration_of(root, mover));
  columns.insert(configuration_of(root, ~mover));
  PairChunk only;
  only.begin = {0, 1};
  only.blocks = {0};
  only.words = {1, 0, 0, 0, 0, 0, 0, 0};
  matrix.chunks.push_back(std::move(only));
  if (root.en_passant != 0) {
    const int up = mover == Color::kWhite ? -8 : 8;  // from the passed square to the pawn
    rights.push_back({0, 0, static_cast<std::uint8_t>(lowest(root.en_passant) + up)});
  }
}

PairPly::PairPly(PairStage before, const Kernel& kernel, const Workers& workers,
                 const std::stop_token& stop, MatrixBudget& budget, const Wanted& wanted)
    : kernel_(kernel),
      pairs_(pair_kernel_for(kernel)),
      budget_(budget),
      before_(std::move(before)),
      share_(budget),
      planes_([&] {  // the planes of all columns, including those that have lost a piece
        const std::uint64_t columns_before = before_.columns.bytes();
        list_kinds(workers, stop);
        add_losses(workers, stop, wanted);
        place_en_passant_captures(stop);
        share_.set(before_.columns.bytes() - columns_before + losses_.bytes() +
                   captures_.capacity() * sizeof(EnPassantCapture) +
                   PairPlanes::bytes_for(before_.columns.size()));
        return PairPlanes(before_.columns, ~before_.mover);
      }()) {
  for_each_chunk(planes_.blocks(), workers, stop,
                 [this](std::size_t block) { planes_.fill(block); });
}

void PairPly::list_kinds(const Workers& workers, const std::stop_token& stop) {
  const ConfigurationSet& rows = before_.rows;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const ConfigurationKind kind = kind_of(rows[row]);
    if (sources_.empty() || sources_.back().kind != kind) sources_.push_back({kind, row, row, 0});
    sources_.back().end = row + 1;
    sources_.back().blocks += before_.matrix.row(row).size;
  }
  // For each kind, find the kinds to which moves lead. Also find the squares where the mover may
  // capture.
  std::vector<std::map<ConfigurationKind, std::vector<std::size_t>>> leads_to(
      static_cast<std::size_t>(workers.count()));
  std::atomic<Bitboard> taken{0};
  ChunkQueue ranges(sources_.size(), stop);
  ranges.run_on(workers, [&](int worker) {
    auto& targets = leads_to[static_cast<std::size_t>(worker)];
    std::vector<LoneStep> steps;
    Bitboard own_taken = 0;
    while (const auto number = ranges.next()) {
      const Sources& sources = sources_[*number];
      targets[sources.kind].push_back(*number);
      for (std::size_t source = sources.begin; source < sources.end; ++source) {
        if (source % kSourcesAtOnce == 0 && stop.stop_requested()) return;
        steps.clear();
        append_lone_moves(rows[source], mover(), steps);
        for (const LoneStep& step : steps) {
          own_taken |= step.move.captures();
          if (!changes_kind(step, mover())) continue;
          std::vector<std::size_t>& from = targets[kind_of(step.after)];
          if (from.empty() || from.back() != *number) from.push_back(*number);
        }
      }
    }
    taken.fetch_or(own_taken, std::memory_order_relaxed);
  });
  taken_ = taken.load(std::memory_order_relaxed);
  std::map<ConfigurationKind, std::vector<std::size_t>> all;
  for (auto& targets : leads_to) {
    for (auto& [kind, from] : targets) {
      auto& sources = all[kind];
      sources.insert(sources.end(), from.begin(), from.end());
    }
  }
  for (auto& [kind, from] : all) {
    std::ranges::sort(from);
    kinds_.push_back({kind, std::move(from)});
  }
}

double PairPly::weight(std::size_t number) const {
  // A source of this kind has about 20 moves. A source of another kind leads to this kind only by
  // few promotions and captures by pawns.
  constexpr double kOtherKind = 0.1;
  double weight = 0;
  for (const std::size_t s : kinds_[number].sources) {
    const double blocks = static_cast<double>(sources_[s].blocks);
    weight += sources_[s].kind == kinds_[number].kind ? blocks : kOtherKind * blocks;
  }
  return weight;
}

void PairPly::add_losses(const Workers& workers, const std::stop_token& stop,
                         const Wanted& wanted) {
  std::vector<Bitboard> taken(before_.columns.size());
  for (std::size_t column = 0; column < taken.size(); ++column) {
    const Pieces& pieces = before_.columns[column].pieces;
    taken[column] = pieces.all() & ~pieces.king & taken_;
  }
  // Each piece that may be captured can lead to a new column. The number of new columns is known
  // only afterwards, so reserve memory for the fraction kNew of these pieces. kNew was measured in
  // ply 9 of the start position, where 25 M pieces in 11.6 M columns could be captured.
  constexpr double kNew = 0.6;
  std::uint64_t pieces = 0;
  for (const Bitboard squares : taken) pieces += static_cast<std::uint64_t>(popcount(squares));
  const std::size_t columns =
      taken.size() + (wanted ? 0 : static_cast<std::size_t>(kNew * static_cast<double>(pieces)));
  constexpr std::uint64_t kBytesOfColumn = sizeof(Configuration) + 2 * sizeof(std::uint32_t);
  share_.set(pieces * sizeof(std::uint32_t) + taken.size() * (3 * sizeof(Bitboard)) +
             (columns - taken.size()) * kBytesOfColumn + PairPlanes::bytes_for(columns));
  before_.columns.reserve(columns);
  std::vector<Configuration> needed;
  std::vector<std::uint32_t> numbers;
  const auto insert = [&](std::span<const Configuration> items, std::span<std::uint32_t> to) {
    if (!wanted) return insert_all(before_.columns, items, to, workers);
    needed.clear();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool is_needed = wanted(items[i]);
      to[i] = is_needed ? static_cast<std::uint32_t>(needed.size()) : Losses::kNobody;
      if (is_needed) needed.push_back(items[i]);
    }
    numbers.resize(needed.size());
    insert_all(before_.columns, needed, numbers, workers);
    for (std::uint32_t& number : to) {
      if (number != Losses::kNobody) number = numbers[number];
    }
  };
  losses_.add_to(before_.columns, taken, insert, on_all(workers, {}), stop);
}

/// Lists the en passant captures of this ply. The rows cannot find them, because configurations
/// have no en passant rights. add_extra() later adds the results of these captures to the rows.
void PairPly::place_en_passant_captures(const std::stop_token& stop) {
  const Color pusher = ~mover();
  const int up = pusher == Color::kWhite ? 8 : -8;
  for (const PairRight& right : before_.rights) {
    if (stop.stop_requested()) return;
    const int passed = right.to - up;
    const std::uint32_t robbed =
        before_.columns.insert(without(before_.columns[right.column], right.to));
    const Bitboard pawns = before_.rows[right.row].pieces.pawns;
    for (Bitboard from = pawn_attacks_of(pusher, passed) & pawns; from != 0;) {
      captures_.push_back({right.row, static_cast<std::uint8_t>(pop_lowest(from)),
                           static_cast<std::uint8_t>(passed), robbed});
    }
  }
  before_.rights = {};
  std::ranges::sort(captures_, {}, &EnPassantCapture::source);
}

PairRows PairPly::rows_of(std::size_t number, const std::stop_token& stop, Scratch& scratch) const {
  const Kind& kind = kinds_[number];
  PairRows rows;
  rows.share = BudgetShare(budget_);
  EdgeList list;
  for (const std::size_t s : kind.sources) {
    const Sources& sources = sources_[s];
    const bool same_kind = sources.kind == kind.kind;
    const MovesToKind moves(sources.kind, kind.kind);  // not used if the kinds are the same
    for (auto source = static_cast<std::uint32_t>(sources.begin); source < sources.end; ++source) {
      if (source % kSourcesAtOnce == 0) {
        if (stop.stop_requested()) return PairRows();
        rows.share.set(list.bytes() + rows.set.bytes());
      }
      if (before_.matrix.row(source).size == 0) continue;
      const Configuration& configuration = before_.rows[source];
      scratch.steps.clear();
      if (same_kind) {
        append_moves_within_kind(configuration, mover(), scratch.steps);
      } else {
        moves.append(configuration, mover(), scratch.steps);
      }
      for (const LoneStep& step : scratch.steps) {
        const std::uint32_t row = rows.set.insert(step.after);
        list.rows.push_back(row);
        list.edges.push_back({source, step.move.number()});
        if (step.move.kind == LoneMove::Kind::kPawnCapture) add_extra(source, step.move, row, rows);
      }
    }
  }
  rows.share.set(list.bytes() + rows.bytes() + list.sorting_bytes(rows));
  list.sort_into(rows);
  std::ranges::sort(rows.extra, {}, &PairRows::Extra::row);
  list = {};
  rows.share.set(rows.bytes());
  return rows;
}

void PairPly::add_extra(std::uint32_t source, const LoneMove& move, std::uint32_t row,
                        PairRows& rows) const {
  const auto [begin, end] =
      std::ranges::equal_range(captures_, source, {}, &EnPassantCapture::source);
  for (const EnPassantCapture& capture : std::span(begin, end)) {
    if (capture.from == move.from && capture.to == move.to)
      rows.extra.push_back({row, capture.column});
  }
}

void PairPly::make_row(const PairRows& rows, std::size_t row, Scratch& scratch) const {
  const PairStep step{mover(), planes_, losses_};
  for (std::size_t i = rows.first[row]; i < rows.first[row + 1]; ++i) {
    const auto [source, move] = rows.edges[i];
    pairs_.pull(step, move_of(move, mover()), before_.rows[source].pieces.all(),
                before_.matrix.row(source), scratch.row, scratch.pushed);
  }
  const auto [begin, end] = std::ranges::equal_range(rows.extra, static_cast<std::uint32_t>(row),
                                                     {}, &PairRows::Extra::row);
  for (const PairRows::Extra& extra : std::span(begin, end)) scratch.row.add(extra.column);
  const Pieces& pieces = rows.set[row].pieces;
  pairs_.drop_illegal(step, pieces, scratch.row);
  pairs_.drop_illegal_pushes(step, pieces, scratch.pushed.data(), scratch.pushed.size());
  settle_pushes(rows, row, scratch);
}

/// Empties scratch.pushed, which has the pairs after double pushes. Moves each pair to
/// scratch.rights if an en passant capture is legal, otherwise to scratch.row.
void PairPly::settle_pushes(const PairRows& rows, std::size_t row, Scratch& scratch) const {
  for (const PushedPairs& pushed : scratch.pushed) {
    const LoneMove& push = pushed.push;
    const Configuration before = with_pawn_moved(rows.set[row], push.to, push.from);
    const Move move(square_at(push.from), square_at(push.to), MoveKind::kDoublePush);
    for (std::size_t word = 0; word < kBlockWords; ++word) {
      for (std::uint64_t bits = pushed.words[word]; bits != 0;) {
        const auto column = static_cast<std::uint32_t>(pushed.block * kPairBlock + word * 64 +
                                                       static_cast<std::size_t>(pop_lowest(bits)));
        const Board board = board_of(before, columns()[column], mover());
        if (kernel_.make_unchecked(board, move).en_passant != 0) {
          scratch.rights.push_back({static_cast<std::uint32_t>(row), column, push.to});
        } else {
          scratch.row.add(column);
        }
      }
    }
  }
  scratch.pushed.clear();
}

std::uint64_t PairPly::bytes() const {
  return before_.bytes() + losses_.bytes() + captures_.capacity() * sizeof(EnPassantCapture) +
         planes_.bytes();
}

std::uint64_t count_rows(const PairPly& ply, std::size_t kind,
                         const std::function<bool(const Configuration&)>& wanted,
                         const std::uint64_t* counted, const std::stop_token& stop,
                         PairPly::Scratch& scratch) {
  const PairRows rows = ply.rows_of(kind, stop, scratch);
  std::uint64_t distinct = 0;
  for (std::size_t row = 0; row < rows.set.size(); ++row) {
    if (row % kPairChunkRows == 0 && stop.stop_requested()) return 0;
    if (wanted && !wanted(rows.set[row])) continue;
    ply.make_row(rows, row, scratch);
    distinct += ply.count(scratch.row, counted);
    for (const PairRight& right : scratch.rights) {
      const bool is_counted =
          counted == nullptr || (counted[right.column / 64] >> right.column % 64 & 1) != 0;
      distinct += is_counted ? 1 : 0;
    }
    scratch.rights.clear();
    scratch.row.clear();
  }
  return distinct;
}

}  // namespace manyply
