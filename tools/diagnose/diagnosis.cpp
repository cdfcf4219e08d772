#include "tools/diagnose/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "core/geometry.h"
#include "core/position.h"

namespace manyply {
namespace {

constexpr std::size_t kBare = 4;    // characters of a move without its promotion piece
constexpr std::size_t kPieces = 4;  // number of promotion pieces

/// Our promotions of one pawn to one square, and the rows in which the engine lists these
/// promotions without naming the piece.
struct Promotions {
  std::vector<DivideEntry> ours;
  std::vector<std::size_t> rows;  ///< indices into the engine's rows
};

/// Returns the promotions that the engine lists without the piece, indexed by the move without the
/// piece, such as "g2g1".
std::map<std::string, Promotions> unnamed_promotions(const std::vector<EngineRow>& theirs,
                                                     const Line& line,
                                                     const std::vector<DivideEntry>& ours) {
  std::map<std::string, Promotions> all;
  for (const DivideEntry& entry : ours) {
    if (entry.move.is_promotion())
      all[to_uci(entry.move, line.notation()).substr(0, kBare)].ours.push_back(entry);
  }
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    if (const auto of = all.find(theirs[i].move); of != all.end()) of->second.rows.push_back(i);
  }
  std::erase_if(all, [](const auto& of) { return of.second.rows.empty(); });
  return all;
}

/// Gives the rows of `promotions` different pieces. If our count for a piece equals the count of a
/// row, the row gets this piece. The other rows get the pieces that are left.
void name_pieces(std::vector<EngineRow>& theirs, const Promotions& promotions, const Line& line) {
  std::vector<DivideEntry> left = promotions.ours;
  std::vector<std::size_t> unmatched;
  const auto take = [&](std::size_t row, std::vector<DivideEntry>::iterator piece) {
    theirs[row].move = to_uci(piece->move, line.notation());
    left.erase(piece);
  };
  for (const std::size_t row : promotions.rows) {
    const auto piece = std::ranges::find(left, theirs[row].nodes, &DivideEntry::nodes);
    if (piece != left.end()) {
      take(row, piece);
    } else {
      unmatched.push_back(row);
    }
  }
  for (const std::size_t row : unmatched) {
    if (!left.empty()) take(row, left.begin());
  }
}

std::vector<EngineRow> with_pieces(std::vector<EngineRow> theirs, const Line& line,
                                   const std::vector<DivideEntry>& ours) {
  for (const auto& [move, promotions] : unnamed_promotions(theirs, line, ours)) {
    if (promotions.rows.size() >= kPieces) name_pieces(theirs, promotions, line);
  }
  return theirs;
}

/// Returns whether at least half of the counts are near our counts (see are_near()).
bool looks_like(const std::vector<EngineRow>& theirs, const Line& line,
                const std::vector<DivideEntry>& ours) {
  std::vector<EngineRow> right;
  for (const auto& [move, nodes] : ours) right.push_back({to_uci(move, line.notation()), nodes});
  return are_alike(theirs, right);
}

}  // namespace

EngineAnswer settled(EngineAnswer theirs, const Line& line, const std::vector<DivideEntry>& ours) {
  theirs.rows = with_pieces(std::move(theirs.rows), line, ours);
  if (theirs.has_other_numbers && !looks_like(theirs.rows, line, ours)) {
    for (const EngineRow& row : theirs.rows)
      theirs.unread.push_back({row.line, "it is ambiguous which number is the count"});
  }
  return theirs;
}

bool Comparison::same_moves() const {
  return invented.empty() && repeated.empty() &&
         std::ranges::all_of(rows, [](const Row& row) { return row.engine.has_value(); });
}

bool Comparison::agrees() const { return same_moves() && std::ranges::all_of(rows, &Row::agrees); }

std::vector<Comparison::Row> Comparison::wrong_below() const {
  std::vector<Row> wrong;
  for (const Row& row : rows) {
    if (row.engine && !row.agrees() && row.ours != NodeCount(0)) wrong.push_back(row);
  }
  std::ranges::stable_sort(wrong, {}, &Row::ours);
  return wrong;
}

namespace {

/// Sets `could_be` of those rows of `promotions` that have a wrong count. The engine's answer does
/// not tell to which promotion such a count belongs.
void find_uncertain_pieces(std::vector<Comparison::Row>& rows, const Promotions& promotions) {
  const auto of_these = [&](const Comparison::Row& row) {
    return std::ranges::count(promotions.ours, row.move, &DivideEntry::move) != 0;
  };
  std::set<NodeCount> missing;  // our counts that no row of the engine has
  for (const Comparison::Row& row : rows) {
    if (of_these(row) && row.engine && !row.agrees()) missing.insert(row.ours);
  }
  std::vector<Move> could_be;
  for (const Comparison::Row& row : rows) {
    if (of_these(row) && missing.contains(row.ours)) could_be.push_back(row.move);
  }
  if (could_be.size() < 2) return;
  for (Comparison::Row& row : rows) {
    if (of_these(row) && !row.agrees()) row.could_be = could_be;
  }
}

FewPromotions few_promotions(const std::string& move, const Promotions& promotions,
                             const std::vector<EngineRow>& theirs, const Line& line) {
  FewPromotions few{move, {}, {}};
  for (const std::size_t row : promotions.rows) few.counts.push_back(theirs[row].nodes);
  for (const bool whatever : {false, true}) {
    for (const auto& [piece, nodes] : promotions.ours) {
      if (whatever || std::ranges::count(few.counts, nodes) != 0)
        few.could_be.push_back(to_uci(piece, line.notation()));
    }
    if (few.could_be.size() >= promotions.rows.size()) break;
    few.could_be.clear();
  }
  return few;
}

}  // namespace

Comparison compare(const Line& line, const std::vector<DivideEntry>& ours,
                   const EngineAnswer& theirs) {
  Comparison comparison;
  for (const auto& [move, nodes] : ours) comparison.rows.push_back({move, nodes, std::nullopt});
  comparison.lists_nothing = theirs.rows.empty();
  const std::vector<EngineRow> rows = with_pieces(theirs.rows, line, ours);
  const auto unnamed = unnamed_promotions(theirs.rows, line, ours);
  const auto times_unnamed = [&](const std::string& text) {
    const auto of = unnamed.find(text);
    return of == unnamed.end() ? 0 : of->second.rows.size();
  };
  for (const auto& [text, nodes, printed] : rows) {
    const auto found = std::ranges::find_if(comparison.rows, [&](const Comparison::Row& row) {
      return to_uci(row.move, line.notation()) == text;
    });
    if (found != comparison.rows.end() && !found->engine) {
      found->engine = nodes;
    } else if (found != comparison.rows.end() || times_unnamed(text) > kPieces) {
      comparison.repeated.push_back(text);
    } else if (times_unnamed(text) < 2 && std::ranges::count(comparison.invented, text) == 0) {
      comparison.invented.push_back(text);
    }
  }
  for (const auto& [move, promotions] : unnamed) {
    if (promotions.rows.size() >= kPieces) {
      find_uncertain_pieces(comparison.rows, promotions);
    } else if (promotions.rows.size() > 1) {
      comparison.few.push_back(few_promotions(move, promotions, rows, line));
    }
  }
  std::ranges::sort(comparison.invented);
  return comparison;
}

std::optional<Observation> observe(const Line& line, Depth depth, const Comparison& compared) {
  const bool deepest = depth.plies() == 1;
  const bool has_dead_end = std::ranges::any_of(compared.rows, [](const Comparison::Row& row) {
    return row.ours == NodeCount(0) && row.engine && !row.agrees();
  });
  const bool shows = !compared.same_moves() || has_dead_end || (deepest && !compared.agrees());
  if (!shows) return std::nullopt;
  Observation observation;
  observation.invented = compared.invented;
  observation.repeated = compared.repeated;
  observation.few = compared.few;
  observation.lists_nothing = compared.lists_nothing;
  const auto is_of_few = [&](const std::string& move) {
    return std::ranges::count(compared.few, move.substr(0, kBare), &FewPromotions::move) != 0;
  };
  for (const auto& [move, ours, engine, could_be] : compared.rows) {
    const std::string text = to_uci(move, line.notation());
    if (!engine) {
      if (!is_of_few(text)) observation.missed.push_back(move);
    } else if (*engine != ours && (deepest || ours == NodeCount(0))) {
      CountDifference& wrong =
          observation.counts.emplace_back(CountDifference{text, ours, *engine});
      if (could_be.empty()) continue;
      wrong.move = text.substr(0, kBare);
      for (const Move other : could_be) wrong.could_be.push_back(to_uci(other, line.notation()));
    }
  }
  return observation;
}

std::set<std::string> legal_texts(const Position& position, CastlingNotation notation) {
  std::set<std::string> texts;
  for (const Move move : legal_moves(position)) texts.insert(to_uci(move, notation));
  return texts;
}

std::set<std::string> legal_texts(const Line& line) {
  return legal_texts(line.here(), line.notation());
}

std::set<std::string> listed_texts(const Line& line, const Comparison& compared) {
  std::set<std::string> listed(compared.invented.begin(), compared.invented.end());
  for (const Comparison::Row& row : compared.rows) {
    if (row.engine) listed.insert(to_uci(row.move, line.notation()));
  }
  return listed;
}

std::string told(const Line& line) {
  std::string text = line.start_fen();
  if (!line.moves().empty()) text += fmt::format(" moves {}", fmt::join(line.uci_moves(), " "));
  return text;
}

std::optional<Error> incomplete_answer(AskedProgram& program, const Line& line, Depth depth,
                                       const EngineAnswer& answer) {
  if (answer.ended) return std::nullopt;
  const Result<EngineAnswer> again = program.divide(line, Depth(1));
  if (!again) return again.error();
  if (!again->unread.empty()) return std::nullopt;
  const std::set<std::string> legal = legal_texts(line);
  const auto lists = [](const EngineAnswer& of, const std::string& move) {
    return std::ranges::count(of.rows, move, &EngineRow::move) != 0;
  };
  const std::string list =
      depth.plies() == 1 ? "its list when it is asked again" : "its list at depth 1";
  const auto differs = [&](const std::string& what, const std::string& move, const char* how) {
    return Error{ErrorCode::kUnavailable, "engine", 0,
                 fmt::format("{}: {} is {} {}, and no total proves that the answer "
                             "for depth {} is complete; position: {}",
                             what, move, how, list, depth.plies(), told(line))};
  };
  for (const EngineRow& row : again->rows) {
    if (legal.contains(row.move) && !lists(answer, row.move))
      return differs("incomplete answer", row.move, "only in");
  }
  for (const EngineRow& row : answer.rows) {
    if (!legal.contains(row.move) && !lists(*again, row.move))
      return differs("the program mixes two answers, or answers the same question differently",
                     row.move, "not in");
  }
  return std::nullopt;
}

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
      // A fault in undoing moves can by chance give the same counts as a fault in playing a move.
      // So if kUndoDamage is found, it replaces causes about moves that are played wrong.
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
