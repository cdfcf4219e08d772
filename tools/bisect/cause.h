// The rules of chess that generators break, by name.
#pragma once

#include <string_view>

namespace manyply {

enum class Cause {
  kCastlingThroughAttack,
  kCastlingIntoAttack,
  kCastlingOutOfCheck,
  kCastlingThroughPieces,
  kCastlingUncoversKing,
  kCastlingRightAfterCapture,
  kCastlingRightAfterMove,
  kCastlingWithoutRook,
  kCastlingWithoutRight,
  kCastlingRightLost,
  kCastlingMissedRookAttacked,
  kCastlingMissed,
  kEnPassantOpensRank,
  kEnPassantOpensLine,
  kEnPassantTooLate,
  kEnPassantWithoutDoublePush,
  kEnPassantEvasionMissed,
  kEnPassantBlockMissed,
  kEnPassantPinnedMissed,
  kEnPassantFieldNotRead,
  kEnPassantMissed,
  kPromotionWithoutPiece,
  kUnderpromotionMissed,
  kPromotionMissed,
  kPromotionWrong,
  kPinnedLeavesLine,
  kPinnedPawnMissed,
  kPinnedMissed,
  kKingAlongRay,
  kKingCapturesProtected,
  kKingIntoAttack,
  kKingsAdjacent,
  kCheckIgnored,
  kDoubleCheckIgnored,
  kEvasionMissed,
  kCapturesOwn,
  kCapturesKing,
  kNullMove,
  kWrapsAround,
  kJumps,
  kImpossible,
  kWrongSide,
  kNoPieceThere,
  kDoublePushWrongRank,
  kDoublePushOverPiece,
  kDoublePushMissed,
  kPawnCapturesAhead,
  kPawnMovesDiagonallyWithoutCapture,
  kKingMoveMissed,
  kMoveMissed,
  kNoMovesCounted,
  kStopsAtDraw,
  kStopsEarly,
  kListedTwice,
  kCountAtDepthOne,
  kBulkCount,
  kUndoDamage,
  kMoveListWrong,
  kPlayedWrong,
  // Right answers, but to another question.
  kFenNotTaken,
  kSideNotTaken,
  kMovesNotPlayed,
  kAnotherPosition,
  kAnotherDepth,
  kCountsEveryPly,
  kUnknown,
};

/// A short name for programs, "castling-through-attack", and the rule in words.
[[nodiscard]] std::string_view name_of(Cause cause);
[[nodiscard]] std::string_view rule_of(Cause cause);

}  // namespace manyply
