#include "tools/diagnose/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/geometry.h"
#include "tools/diagnose/general_cause.h"
#include "tools/diagnose/judge.h"

namespace manyply {
namespace {

void add(std::vector<Finding>& findings, Verdict verdict, const std::string& move) {
  // Different ways to end a check are different findings.
  const bool each_way = verdict.cause == Cause::kEvasionMissed;
  auto found = std::ranges::find_if(findings, [&](const Finding& finding) {
    return finding.cause == verdict.cause && (!each_way || finding.detail == verdict.detail);
  });
  if (found == findings.end()) {
    findings.push_back({verdict.cause, std::move(verdict.detail), {}});
    found = findings.end() - 1;
  }
  found->moves.push_back(move);
}

/// Judges a promotion, together with those of the same pawn to the same square.
std::optional<Verdict> missed_promotion(Move move, const Line& line,
                                        const Observation& observation) {
  if (!move.is_promotion()) return std::nullopt;
  const std::string bare = to_uci(move, line.notation()).substr(0, 4);
  if (std::ranges::count(observation.invented, bare) != 0)
    return Verdict{Cause::kPromotionWithoutPiece, "the move says not to which piece"};
  const auto missing = std::ranges::count_if(observation.missed, [&](Move other) {
    return other.is_promotion() && other.from() == move.from() && other.to() == move.to();
  });
  const std::string of_four = std::to_string(missing) + " of the 4 pieces are missing for " + bare;
  if (missing < 4) return Verdict{Cause::kUnderpromotionMissed, of_four};
  Verdict verdict = judge_missed(line, move, observation.right_as_fen.value_or(false));
  if (verdict.cause == Cause::kPinnedPawnMissed) return verdict;
  const bool captures = (line.here().board().occupied() & bit(move.to())) != 0;
  return Verdict{captures ? Cause::kPromotionCaptureMissed : Cause::kPromotionMissed, of_four};
}

/// Example: "it stands there 2 times, not 4, with the counts 9, 8: these may be g2g1q, g2g1n".
Verdict few_promotions(const FewPromotions& few) {
  std::vector<std::string> counts;
  for (const NodeCount count : few.counts) counts.push_back(count.to_string());
  return {Cause::kUnderpromotionMissed,
          fmt::format("it stands there {} times, not 4, with the counts {}: these may be {}",
                      few.counts.size(), fmt::join(counts, ", "), fmt::join(few.could_be, ", "))};
}

std::string count_text(const CountDifference& row) {
  std::string text = row.move + " counts as " + row.engine.to_string();
  if (!row.could_be.empty())
    text += fmt::format(", and names no piece: it could be {}", fmt::join(row.could_be, ", "));
  return text;
}

/// Returns what all missed moves have in common if the engine lists no moves; nullopt if that is
/// not more specific than that they are moves.
std::optional<Finding> common_cause(const Line& line, const Observation& observation) {
  std::vector<Finding> findings;
  for (const Move move : observation.missed) {
    auto verdict = missed_promotion(move, line, observation);
    if (!verdict) verdict = judge_missed(line, move, observation.right_as_fen.value_or(false));
    add(findings, *std::move(verdict), to_uci(move, line.notation()));
  }
  if (findings.size() != 1) return std::nullopt;
  const Cause cause = findings[0].cause;
  const bool any_move = cause == Cause::kMoveMissed || cause == Cause::kKingMoveMissed ||
                        (cause == Cause::kEvasionMissed && observation.missed.size() > 1);
  return any_move ? std::nullopt : std::optional(findings[0]);
}

}  // namespace

std::string draw_reason(const Line& line) {
  const std::vector<Position> past = line.positions();
  if (std::ranges::count(past, line.here()) > 1) return "the position stood on the board before";
  const auto few = [&](Color color) {
    const Pieces& pieces = line.here().board().of(color);
    return pieces.pawns == 0 && pieces.rooks_queens == 0 && popcount(pieces.all()) <= 2;
  };
  if (few(Color::kWhite) && few(Color::kBlack)) return "there are too few pieces for a checkmate";
  constexpr int kFiftyMoves = 100;
  if (line.halfmove_clock() >= kFiftyMoves) {
    return fmt::format(
        "the fifty-move rule allows a draw: {} half-moves without a capture or pawn "
        "move",
        line.halfmove_clock());
  }
  return "";
}

std::string unreachable_reason(const Position& position) {
  const Board& board = position.board();
  const Pieces& theirs = board.of(~board.side_to_move);
  const Bitboard checkers = position.checkers();
  if (popcount(checkers) > 2) return "more than two pieces give check";
  if (popcount(checkers) == 2) {
    const Bitboard sliders = theirs.bishops_queens | theirs.rooks_queens;
    if ((checkers & sliders) == 0) return "no move uncovers the check of a pawn or knight";
    const auto king = static_cast<std::size_t>(lowest(board.of(board.side_to_move).king));
    Bitboard rest = checkers;
    const auto one = static_cast<std::size_t>(pop_lowest(rest));
    const auto other = static_cast<std::size_t>(lowest(rest));
    if ((checkers & ~sliders) == 0 && (kBetween[one][other] & bit(static_cast<int>(king))) != 0)
      return "two pieces give check on one line, from both of its sides";
    const Bitboard bishops = theirs.bishops_queens & ~theirs.rooks_queens;
    if ((checkers & ~bishops) == 0) return "two bishops give check at once";
  }
  for (const Color color : {Color::kWhite, Color::kBlack}) {
    const Pieces& own = board.of(color);
    const Bitboard queens = own.bishops_queens & own.rooks_queens;
    const auto beyond = [](Bitboard set, int first) { return std::max(0, popcount(set) - first); };
    const int pawns = popcount(own.pawns) + beyond(own.knights, 2) + beyond(queens, 1) +
                      beyond(own.bishops_queens & ~queens, 2) +
                      beyond(own.rooks_queens & ~queens, 2);
    if (pawns > 8) return "one side has more promoted pieces than pawns are gone";
  }
  return "";
}

std::vector<Finding> diagnose(const Line& line, const Observation& observation) {
  std::vector<Finding> findings;
  for (const std::string& text : observation.invented)
    add(findings, judge_invented(line, text), text);
  if (observation.lists_nothing && !observation.missed.empty()) {
    const std::string draw = draw_reason(line);
    const std::optional<Finding> common = common_cause(line, observation);
    Finding finding{draw.empty() ? Cause::kStopsEarly : Cause::kStopsAtDraw,
                    draw.empty() ? "the engine lists no move at all" : draw,
                    {}};
    for (const Move move : observation.missed)
      finding.moves.push_back(to_uci(move, line.notation()));
    if (common && draw.empty()) finding = *common;
    findings.push_back(std::move(finding));
  } else {
    for (const Move move : observation.missed) {
      auto verdict = missed_promotion(move, line, observation);
      if (!verdict) verdict = judge_missed(line, move, observation.right_as_fen.value_or(false));
      add(findings, *std::move(verdict), to_uci(move, line.notation()));
    }
  }
  for (const FewPromotions& few : observation.few) add(findings, few_promotions(few), few.move);
  for (const std::string& text : observation.repeated)
    add(findings, {Cause::kListedTwice, text + " stands more than once in the engine's list"},
        text);
  for (const CountDifference& row : observation.counts) {
    const bool over = row.ours == NodeCount(0);
    add(findings,
        over ? Verdict{Cause::kNoMovesCounted,
                       "after " + row.move + " there is no legal move, yet the engine counts " +
                           row.engine.to_string()}
             : Verdict{Cause::kCountAtDepthOne, count_text(row)},
        row.move);
  }
  merge_explained(findings, line);
  // Findings that explain most of the differences come first.
  std::ranges::stable_sort(findings, std::greater(),
                           [](const Finding& finding) { return finding.moves.size(); });
  return findings;
}

}  // namespace manyply
