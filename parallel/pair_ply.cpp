#include "parallel/pair_ply.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "parallel/chunk_counter.h"

namespace manyply {
namespace {

constexpr std::size_t kSourcesBetweenLooks = 1024;

/// Gives moves numbers: two are the same if kind and squares are.
class MoveNumbers {
 public:
  explicit MoveNumbers(std::vector<LoneMove>& moves) : moves_(moves) { numbers_.fill(kNone); }

  std::uint16_t of(const LoneMove& move) {
    std::uint16_t& number =
        numbers_[(static_cast<std::size_t>(move.kind) * 64 + move.from) * 64 + move.to];
    if (number == kNone) {
      number = static_cast<std::uint16_t>(moves_.size());
      moves_.push_back(move);
    }
    return number;
  }

 private:
  static constexpr std::uint16_t kNone = std::numeric_limits<std::uint16_t>::max();
  static constexpr std::size_t kKinds = 5;
  static_assert(kKinds * 64 * 64 < kNone);

  std::vector<LoneMove>& moves_;
  std::array<std::uint16_t, kKinds * 64 * 64> numbers_;
};

}  // namespace

MoveGraph::MoveGraph(const ConfigurationSet& sources, Color mover, StopView stop)
    : sources_(sources), mover_(mover) {
  MoveNumbers numbers(moves_);
  std::vector<LoneStep> steps;
  std::vector<std::uint32_t> targets;
  std::vector<Edge> edges;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    if (source % kSourcesBetweenLooks == 0 && stop.stop_requested()) return;
    steps.clear();
    append_lone_moves(sources[source], mover, steps);
    for (const LoneStep& step : steps) {
      targets.push_back(targets_.insert(step.after));
      edges.push_back({static_cast<std::uint32_t>(source), numbers.of(step.move)});
      taken_ |= step.move.captures();
    }
  }
  first_.assign(targets_.size() + 1, 0);
  for (const std::uint32_t target : targets) ++first_[target + 1];
  for (std::size_t target = 0; target < targets_.size(); ++target)
    first_[target + 1] += first_[target];
  std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
  edges_.resize(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) edges_[next[targets[i]]++] = edges[i];
}

std::uint64_t MoveGraph::bytes() const {
  return targets_.bytes() + first_.capacity() * sizeof(first_[0]) +
         edges_.capacity() * sizeof(Edge);
}

PairPly::PairPly(const MoveGraph& graph, PairStage before, const Kernel& kernel,
                 const Workers& workers, const std::stop_token& stop)
    : graph_(graph),
      kernel_(kernel),
      pairs_(pair_kernel_for(kernel)),
      before_(std::move(before)),
      planes_([&] {  // of all columns, those with losses among them
        add_losses(stop);
        place_en_passant_captures();
        return PairPlanes(before_.columns, ~graph.mover());
      }()) {
  ChunkCounter blocks(planes_.blocks(), stop);
  workers.run([&](int) {
    while (const auto block = blocks.next()) planes_.fill(*block);
  });
}

void PairPly::add_losses(StopView stop) { losses_.add_to(before_.columns, graph_.taken(), stop); }

/// A right to capture en passant belongs to no configuration: the positions after such captures are
/// added to what the rows before would make.
void PairPly::place_en_passant_captures() {
  const Color pusher = ~graph_.mover();
  const int up = pusher == Color::kWhite ? 8 : -8;
  for (const PairRight& right : before_.rights) {
    const int passed = right.to - up;
    const Configuration& taker = graph_.sources()[right.row];
    const std::uint32_t robbed =
        before_.columns.insert(without(before_.columns[right.column], right.to));
    for (Bitboard from = pawn_attacks_of(pusher, passed) & taker.men.pawns; from != 0;) {
      // A step that the taker's moves by itself have, too.
      const auto row = graph_.targets().find(with_pawn_moved(taker, pop_lowest(from), passed));
      MANYPLY_CHECK(row.has_value());
      extra_.push_back({*row, robbed});
    }
  }
  before_.rights = {};
  std::ranges::sort(extra_, {}, &ExtraPair::row);
}

void PairPly::make_row(std::size_t row, Scratch& scratch) const {
  const PairStep step{graph_.mover(), planes_, losses_};
  for (std::size_t i = graph_.first(row); i < graph_.first(row + 1); ++i) {
    const MoveGraph::Edge& edge = graph_.edge(i);
    const PairRowView source = before_.matrix.row(edge.source);
    if (source.size == 0) continue;
    pairs_.pull(step, graph_.move(edge), graph_.sources()[edge.source].men.all(), source,
                scratch.row, scratch.pushed);
  }
  const auto [begin, end] =
      std::ranges::equal_range(extra_, static_cast<std::uint32_t>(row), {}, &ExtraPair::row);
  for (const ExtraPair& extra : std::span(begin, end)) scratch.row.add(extra.column);
  const Men& men = graph_.targets()[row].men;
  pairs_.drop_illegal(step, men, scratch.row);
  pairs_.drop_illegal_pushes(step, men, scratch.pushed.data(), scratch.pushed.size());
  settle_pushes(row, scratch);
}

/// A right that no legal capture can use is none: such pairs are like all others.
void PairPly::settle_pushes(std::size_t row, Scratch& scratch) const {
  for (const PushedPairs& pushed : scratch.pushed) {
    const LoneMove& push = pushed.push;
    const Configuration before =
        with_pawn_moved(graph_.targets()[row], push.to, push.from);
    const Move move(square_at(push.from), square_at(push.to), MoveKind::kDoublePush);
    for (std::size_t word = 0; word < kBlockWords; ++word) {
      for (std::uint64_t bits = pushed.words[word]; bits != 0;) {
        const auto column = static_cast<std::uint32_t>(pushed.block * kBlockColumns + word * 64 +
                                                       static_cast<std::size_t>(pop_lowest(bits)));
        const Board board = board_of(before, columns()[column], graph_.mover());
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
  return before_.bytes() + losses_.bytes() + extra_.capacity() * sizeof(ExtraPair) +
         planes_.bytes();
}

}  // namespace manyply
