#include "parallel/jobs/statistics_details.h"

#include <algorithm>

#include "core/bitboard.h"
#include "core/geometry.h"
#include "core/movegen.h"
#include "parallel/split/root_splitter.h"
#include "parallel/units/unit_queue.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

using KindCounts = std::array<std::uint64_t, kLastPlyKinds>;

/// Returns the number of pawns of side `them` that can step ahead and are not on a line with the
/// king of `them`. Such pawns cannot be pinned.
int free_pawns(const Board& board, Color them) {
  const Pieces& pieces = board.of(them);
  const int king = lowest(pieces.king);
  const Bitboard lines = rook_attacks_by_walking(king, 0) | bishop_attacks_by_walking(king, 0);
  const Bitboard empty = ~board.occupied();
  const Bitboard before_empty = them == Color::kWhite ? empty >> 8 : empty << 8;
  return popcount(pieces.pawns & before_empty & ~lines);
}

/// Adds the move to `counts`. If `looks_on` is false, does not look for stalemate after the move.
void add_move(const Position& position, Move move, bool looks_on, KindCounts& counts) {
  const auto add = [&counts](LastPlyKind kind) { ++counts[static_cast<std::size_t>(kind)]; };
  if (move.kind() == MoveKind::kDoublePush) add(LastPlyKind::kDoubleSteps);
  if (move.kind() == MoveKind::kCastling) {
    const bool king_side = file_of(move.to()) > file_of(move.from());  // the rook's square
    add(king_side ? LastPlyKind::kCastlesKingSide : LastPlyKind::kCastlesQueenSide);
  }
  if (!looks_on) return;
  const Position next = position.after_unchecked(move);
  if (!next.in_check() && legal_moves(next).empty()) add(LastPlyKind::kStalemates);
}

void add_moves(const Position& position, KindCounts& counts) {
  // A move can prevent the steps of at most two free pawns: it captures one and blocks another, or
  // castling blocks two. So if there are three free pawns, the move cannot result in stalemate.
  const bool looks_on = free_pawns(position.board(), ~position.side_to_move()) < 3;
  for (const Move move : legal_moves(position)) add_move(position, move, looks_on, counts);
}

/// Adds the moves of the last ply to `counts`. Returns false after a stop request.
bool add_below(const Position& position, int plies, const std::stop_token& stop,
               KindCounts& counts) {
  if (plies == 1) return add_moves(position, counts), true;
  if (stop.stop_requested()) return false;
  return std::ranges::all_of(legal_moves(position), [&](Move move) {
    return add_below(position.after_unchecked(move), plies - 1, stop, counts);
  });
}

void add_multiple(LastPlyTotals& sum, const KindCounts& unit, NodeCount times) {
  for (std::size_t i = 0; i < kLastPlyKinds; ++i) sum.counts[i] += times * NodeCount(unit[i]);
}

}  // namespace

Result<std::vector<LastPlyEntry>> count_last_ply(const TaskSpec& spec, const std::stop_token& stop,
                                                 Progress* progress) try {
  const Result<Workforce> by = Workforce::of(spec, stop, progress);
  if (!by) return by.error();
  std::vector<LastPlyEntry> entries;
  const int depth = spec.depth.plies();
  if (depth == 0) return entries;
  const Position& root = spec.root.position;
  for (const Move move : legal_moves(root)) entries.push_back({move, {}});
  if (depth == 1) {
    for (LastPlyEntry& entry : entries) {
      KindCounts one{};
      add_move(root, entry.move, true, one);
      add_multiple(entry.totals, one, 1);
    }
    return entries;
  }
  // A unit must include the last ply, so at least one ply must remain.
  const SplitLimits limits{.min_unit_depth = 1};
  const RootSplit split =
      split_root(root, spec.depth, by->kernel(), limits, by->stop(), by->workers());
  if (by->stopped()) return cancelled();
  const int unit_depth = depth - split.ply;
  std::vector<KindCounts> units(split.size());
  by->progress().start(by->count(), split.size());
  auto error =
      for_each_unit(biggest_first(split, by->kernel()), {.by = *by},
                    [&](std::size_t unit, const UnitWorker& worker) -> std::optional<Error> {
                      const Position position = position_unchecked(split.boards[unit]);
                      if (!add_below(position, unit_depth, worker.stop, units[unit]))
                        return cancelled();
                      return std::nullopt;
                    });
  if (error) return *std::move(error);
  for (std::size_t unit = 0; unit < split.size(); ++unit) {
    for (const auto& [root_move, paths] : split.shares_of(unit))
      add_multiple(entries[root_move].totals, units[unit], paths);
  }
  return entries;
} catch (...) {
  return current_exception_as_error();
}

}  // namespace manyply
