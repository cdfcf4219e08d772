#include "tools/diagnose/general_cause.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace manyply {
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

const std::vector<GeneralCause>& table() {
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
      // Found first, each explains the other; no position tells them apart.
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
      {kPromotedStaysPawn, {kPromotedToQueen}, {}},
      // A count that is wrong by chance may be that of a move played wrong.
      {kUndoDamage,
       {kNoMovesCounted, kCapturedStays, kMoverStays, kEnPassantVictimStays, kMovePlayedWrong},
       {}},
  };
  return kTable;
}

}  // namespace

std::span<const GeneralCause> general_causes() { return table(); }

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
