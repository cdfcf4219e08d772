#include "tools/diagnose/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <utility>

#include "core/geometry.h"

namespace manyply {
namespace {

void add(std::vector<Finding>& findings, Verdict verdict, const std::string& move) {
  // Moves that end a check in different ways belong to different findings.
  const bool each_way = verdict.cause == Cause::kEvasionMissed;
  auto found = std::ranges::find_if(findings, [&](const Finding& finding) {
    return finding.cause == verdict.cause && (!each_way || finding.detail == verdict.detail);
  });
  if (found == findings.end()) {
    findings.push_back({verdict.cause, std::move(verdict.detail)});
    found = findings.end() - 1;
  }
  found->moves.push_back(move);
}

/// Judges a missed move. Judges a promotion together with all other promotions of the same pawn to
/// the same square.
Verdict missed_move(Move move, const Line& line, const Observation& observation) {
  const auto judged = [&] {
    return judge_missed(line, move, observation.right_as_fen.value_or(false));
  };
  if (!move.is_promotion()) return judged();
  const std::string bare = to_uci(move, line.notation()).substr(0, 4);
  if (std::ranges::count(observation.invented, bare) != 0)
    return {Cause::kPromotionWithoutPiece, "the move does not name the piece"};
  const auto missing = std::ranges::count_if(observation.missed, [&](Move other) {
    return other.is_promotion() && other.from() == move.from() && other.to() == move.to();
  });
  const std::string of_four = std::to_string(missing) + " of the 4 pieces are missing for " + bare;
  if (missing < 4) return {Cause::kUnderpromotionMissed, of_four};
  if (Verdict verdict = judged(); verdict.cause == Cause::kPinnedPawnMissed) return verdict;
  const bool captures = (line.here().board().occupied() & bit(move.to())) != 0;
  return {captures ? Cause::kPromotionCaptureMissed : Cause::kPromotionMissed, of_four};
}

void add_missed(std::vector<Finding>& findings, const Line& line, const Observation& observation) {
  for (const Move move : observation.missed)
    add(findings, missed_move(move, line, observation), to_uci(move, line.notation()));
}

/// Returns a verdict with a detail such as "it is listed 2 times, not 4, with the counts 9, 8:
/// these may be g2g1q, g2g1n".
Verdict few_promotions(const FewPromotions& few) {
  std::vector<std::string> counts;
  for (const NodeCount count : few.counts) counts.push_back(count.to_string());
  return {Cause::kUnderpromotionMissed,
          fmt::format("it is listed {} times, not 4, with the counts {}: these may be {}",
                      few.counts.size(), fmt::join(counts, ", "), fmt::join(few.could_be, ", "))};
}

std::string count_text(const CountDifference& row) {
  std::string text = row.move + " counts as " + row.engine.to_string();
  if (!row.could_be.empty())
    text += fmt::format(" and is listed without its piece: it could be {}",
                        fmt::join(row.could_be, ", "));
  return text;
}

/// Returns the common cause of all missed moves. Returns nullopt if there are several causes, or if
/// the cause is so general that it fits any missing move. Precondition: the engine lists no moves.
std::optional<Finding> common_cause(const Line& line, const Observation& observation) {
  std::vector<Finding> findings;
  add_missed(findings, line, observation);
  if (findings.size() != 1) return std::nullopt;
  const Cause cause = findings[0].cause;
  const bool any_move = cause == Cause::kMoveMissed || cause == Cause::kKingMoveMissed ||
                        (cause == Cause::kEvasionMissed && observation.missed.size() > 1);
  return any_move ? std::nullopt : std::optional(findings[0]);
}

}  // namespace

std::string draw_reason(const Line& line) {
  const std::vector<Position> past = line.positions();
  if (std::ranges::count(past, line.here()) > 1) return "the position has occurred before";
  const auto few = [&](Color color) {
    const Pieces& pieces = line.here().board().of(color);
    return pieces.pawns == 0 && pieces.rooks_queens == 0 && popcount(pieces.all()) <= 2;
  };
  if (few(Color::kWhite) && few(Color::kBlack)) return "there are too few pieces for a checkmate";
  constexpr int kFiftyMoves = 100;
  if (line.halfmove_clock() >= kFiftyMoves) {
    return fmt::format(
        "the fifty-move rule allows a draw: {} half-moves without a capture or pawn move",
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
    if ((checkers & sliders) == 0)
      return "two pieces give check, and neither is a bishop, rook or queen";
    const auto king = static_cast<std::size_t>(lowest(board.of(board.side_to_move).king));
    Bitboard rest = checkers;
    const auto one = static_cast<std::size_t>(pop_lowest(rest));
    const auto other = static_cast<std::size_t>(lowest(rest));
    if ((checkers & ~sliders) == 0 && (kBetween[one][other] & bit(static_cast<int>(king))) != 0)
      return "two pieces give check along one line, from opposite sides of the king";
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
    if (pawns > 8) return "one side has more promoted pieces than missing pawns";
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
                    draw.empty() ? "the engine lists no move at all" : draw};
    for (const Move move : observation.missed)
      finding.moves.push_back(to_uci(move, line.notation()));
    if (common && draw.empty()) finding = *common;
    findings.push_back(std::move(finding));
  } else {
    add_missed(findings, line, observation);
  }
  for (const FewPromotions& few : observation.few) add(findings, few_promotions(few), few.move);
  for (const std::string& text : observation.repeated)
    add(findings, {Cause::kListedTwice, text + " is listed more than once"}, text);
  for (const CountDifference& row : observation.counts) {
    const bool over = row.ours == NodeCount(0);
    add(findings,
        over ? Verdict{Cause::kNoMovesCounted, "the right count of " + row.move +
                                                   " is 0, but the engine counts " +
                                                   row.engine.to_string()}
             : Verdict{Cause::kCountAtDepthOne, count_text(row)},
        row.move);
  }
  merge_explained(findings, line);
  // The finding that explains the greatest number of moves comes first.
  std::ranges::stable_sort(findings, std::greater(),
                           [](const Finding& finding) { return finding.moves.size(); });
  return findings;
}

namespace {

Square from_of(const std::string& move) { return square_at(move[0] - 'a', move[1] - '1'); }
Square to_of(const std::string& move) { return square_at(move[2] - 'a', move[3] - '1'); }

bool is_of(const Position& position, const std::string& move, PieceType type) {
  const auto piece = position.piece_on(from_of(move));
  return piece && piece->type == type;
}
bool is_capture(const Position& position, const std::string& move) {
  return (position.board().occupied() & bit(to_of(move))) != 0;
}
bool is_of_king(const Position& position, const std::string& move) {
  return is_of(position, move, PieceType::kKing);
}
bool is_in_check(const Position& position, const std::string&) { return position.in_check(); }
bool is_promotion(const Position& position, const std::string& move) {
  return is_of(position, move, PieceType::kPawn) && (move[3] == '8' || move[3] == '1');
}
bool is_promotion_capture(const Position& position, const std::string& move) {
  return is_promotion(position, move) && is_capture(position, move);
}
bool is_en_passant(const Position& position, const std::string& move) {
  return is_of(position, move, PieceType::kPawn) && move[0] != move[2] &&
         !is_capture(position, move);
}
bool is_double_push(const Position& position, const std::string& move) {
  return is_of(position, move, PieceType::kPawn) && std::abs(move[1] - move[3]) == 2;
}

constexpr const char* kPinned = "5r1k/8/8/b7/8/8/3N4/4K3 w - - 0 1";
constexpr const char* kChecked = "4r2k/8/8/8/8/8/8/N3K3 w - - 0 1";

}  // namespace

std::span<const GeneralCause> general_causes() {
  using enum Cause;
  static const std::vector<GeneralCause> kTable{
      {kKingLeftInCheck,
       {kCheckIgnored, kDoubleCheckIgnored, kPinnedLeavesLine, kKingIntoAttack, kKingAlongRay,
        kKingCapturesProtected, kKingsAdjacent, kEnPassantOpensRank, kEnPassantOpensLine,
        kCapturesKing},
       {{kPinned, "", "d2b3", true}, {kPinned, "", "e1f2", true}, {kChecked, "", "a1b3", true}}},
      {kKingIntoAttack,
       {kKingsAdjacent, kKingAlongRay, kKingCapturesProtected},
       {{kPinned, "", "e1f2", true}}},
      {kCheckIgnored,
       {kDoubleCheckIgnored, kPinnedLeavesLine},
       {{kChecked, "", "a1b3", true}},
       is_in_check},
      {kKingCapturesProtected,
       {kKingAlongRay},
       {{"4k3/8/8/8/8/2n5/4p3/4K3 w - - 0 1", "", "e1e2", true}},
       is_capture},
      {kEnPassantMissed,
       {kEnPassantEvasionMissed, kEnPassantBlockMissed, kEnPassantPinnedMissed, kEvasionMissed,
        kEnPassantFieldNotRead},
       {{"4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", "d2d4", "e4d3", false}},
       is_en_passant},
      {kPawnMovesDiagonallyWithoutCapture,
       {kEnPassantWithoutDoublePush, kEnPassantTooLate},
       {{"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "", "e2d3", true}},
       is_en_passant},
      {kMoverStays,
       {kEnPassantWithoutDoublePush, kPromotedStaysPawn, kPromotedToQueen, kCapturedStays,
        kEnPassantVictimStays, kMovePlayedWrong, kUndoDamage},
       {{"4k3/8/8/8/8/8/8/1N2K3 w - - 0 1", "b1c3 e8d8", "b1a3", true}}},
      {kEvasionMissed,
       {kPromotionMissed, kPromotionCaptureMissed, kStopsEarly},
       {{"4r2k/8/8/8/8/8/8/4K1N1 w - - 0 1", "", "g1e2", false}},
       is_in_check},
      {kKingMoveMissed, {kStopsEarly, kEvasionMissed}, {}, is_of_king},
      {kMoveMissed, {kStopsEarly}, {}},
      {kPromotionMissed,
       {kPinnedPawnMissed, kPinnedMissed, kEvasionMissed, kPromotionCaptureMissed},
       {{"8/P6k/8/8/8/8/8/K7 w - - 0 1", "", "a7a8q", false}},
       is_promotion},
      {kPromotionCaptureMissed,
       {kPinnedPawnMissed, kPinnedMissed, kEvasionMissed, kPromotionMissed},
       {{"1n6/P6k/8/8/8/8/8/K7 w - - 0 1", "", "a7b8q", false}},
       is_promotion_capture},
      {kUnderpromotionMissed,
       {kEvasionMissed, kPinnedMissed, kPinnedPawnMissed},
       {{"8/P6k/8/8/8/8/8/K7 w - - 0 1", "", "a7a8n", false}},
       is_promotion},
      {kDoublePushMissed,
       {kEvasionMissed, kPinnedMissed},
       {{"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "", "e2e4", false}},
       is_double_push},
      // The next two causes can explain the same moves, and no test position distinguishes them. So
      // the report gives the cause that is found first.
      {kEnPassantOpensLine,
       {kEnPassantOpensRank, kPinnedLeavesLine, kCheckIgnored},
       {},
       is_en_passant},
      {kEnPassantOpensRank,
       {kEnPassantOpensLine, kPinnedLeavesLine, kCheckIgnored},
       {},
       is_en_passant},
      {kPinnedMissed,
       {kPinnedPawnMissed, kEnPassantPinnedMissed},
       {{"4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1", "", "e2e3", false}}},
      {kPromotedToQueen, {kPromotedStaysPawn}, {}},
      {kPromotedStaysPawn, {kPromotedToQueen, kNoMovesCounted}, {}, is_promotion},
      // A program that undoes moves wrong may by chance have the same counts as one that plays a
      // move wrong. So kUndoDamage replaces the causes of moves that are played wrong.
      {kUndoDamage,
       {kNoMovesCounted, kCapturedStays, kMoverStays, kEnPassantVictimStays, kMovePlayedWrong},
       {}},
  };
  return kTable;
}

bool may_be(const GeneralCause& general, const Finding& finding, const Line& line) {
  return !finding.moves.empty() && std::ranges::count(general.special, finding.cause) != 0 &&
         (general.is_about == nullptr ||
          std::ranges::all_of(finding.moves, [&](const std::string& move) {
            return general.is_about(line.here(), move);
          }));
}

bool explains(Cause cause, const Finding& finding, const Line& line) {
  return std::ranges::any_of(general_causes(), [&](const GeneralCause& general) {
    return general.general == cause && may_be(general, finding, line);
  });
}

void merge_explained(std::vector<Finding>& findings, const Line& line) {
  for (std::size_t general = 0; general < findings.size(); ++general) {
    for (std::size_t i = findings.size(); i-- > 0;) {
      if (i == general || !explains(findings[general].cause, findings[i], line)) continue;
      std::ranges::move(findings[i].moves, std::back_inserter(findings[general].moves));
      findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(i));
      if (i < general) --general;
    }
  }
}

}  // namespace manyply
