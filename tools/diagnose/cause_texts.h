// The causes of wrong answers: rules of chess that move generators break, moves that are played or
// undone wrong, and answers to another question. README.md says where a new cause goes.
#pragma once

#include <array>
#include <cstddef>
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
  kCastlingRightMisread,
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
  kPromotionCaptureMissed,
  kPromotionMissed,
  kPromotionWrong,
  kPinnedLeavesLine,
  kPinnedPawnMissed,
  kPinnedMissed,
  kKingAlongRay,
  kKingCapturesProtected,
  kKingIntoAttack,
  kKingsAdjacent,
  kKingLeftInCheck,
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
  // The board is wrong after a move.
  kCastlingRookStays,
  kPromotedStaysPawn,
  kPromotedToQueen,
  kEnPassantVictimStays,
  kCapturedStays,
  kMoverStays,
  kMovePlayedWrong,
  // Right answers to another question.
  kFenNotTaken,
  kSideNotTaken,
  kMovesNotPlayed,
  kAnotherPosition,
  kAnotherDepth,
  kCountsEveryPly,
  kUnknown,
};

/// The name of a cause, and the broken rule or the fault in words. Programs rely on the name, so
/// it never changes.
struct CauseText {
  Cause cause;
  std::string_view name;
  std::string_view rule;
};

inline constexpr auto kCauseTexts = [] {
  using enum Cause;
  return std::to_array<CauseText>({
      {kCastlingThroughAttack, "castling-through-attack",
       "castling, though the king passes over an attacked square"},
      {kCastlingIntoAttack, "castling-into-attack",
       "castling, though the king arrives on an attacked square"},
      {kCastlingOutOfCheck, "castling-out-of-check", "castling, though the king is in check"},
      {kCastlingThroughPieces, "castling-through-men",
       "castling, though a piece stands in the way of king or rook"},
      {kCastlingUncoversKing, "castling-uncovers-king",
       "castling, though moving the rook opens a line onto the king"},
      {kCastlingRightAfterCapture, "castling-right-after-capture",
       "a castling right is kept after its rook was captured"},
      {kCastlingRightAfterMove, "castling-right-after-move",
       "a castling right is kept after king or rook has moved"},
      {kCastlingWithoutRook, "castling-without-rook", "castling with a rook that is gone"},
      {kCastlingWithoutRight, "castling-without-right", "castling without having the right"},
      {kCastlingRightLost, "castling-right-lost", "a castling right is lost too early"},
      {kCastlingRightMisread, "castling-right-misread",
       "the FEN's castling right is read as that of another rook: K, Q, k and q mean the outermost "
       "rook"},
      {kCastlingMissedRookAttacked, "castling-missed-rook-attacked",
       "castling is refused because of an attacked square that the king does not pass: the rook "
       "may be attacked, and may pass over attacked squares"},
      {kCastlingMissed, "castling-missed", "castling is missing"},
      {kEnPassantOpensRank, "en-passant-opens-rank",
       "en passant removes two pawns from the king's rank at once, which discovers check along the "
       "rank"},
      {kEnPassantOpensLine, "en-passant-opens-line",
       "en passant, though it discovers check on the mover's king"},
      {kEnPassantTooLate, "en-passant-too-late",
       "en passant, though the double step was not the last move: the square is kept too long"},
      {kEnPassantWithoutDoublePush, "en-passant-without-double-push",
       "en passant, though no pawn has just made a double step over that square"},
      {kEnPassantEvasionMissed, "en-passant-evasion-missed",
       "in check, the en passant capture that ends the check is missing"},
      {kEnPassantBlockMissed, "en-passant-block-missed",
       "in check, the en passant capture that blocks the line of the check is missing"},
      {kEnPassantPinnedMissed, "en-passant-pinned-missed",
       "an en passant capture is missing: the pawn is pinned on the diagonal along which it "
       "captures, so the capture does not expose the king"},
      {kEnPassantFieldNotRead, "en-passant-field-not-read",
       "the FEN's en passant square is not read: the capture is missing if the FEN contains the "
       "square, and found if the double step is played"},
      {kEnPassantMissed, "en-passant-missed", "an en passant capture is missing"},
      {kPromotionWithoutPiece, "promotion-without-piece",
       "a promotion is listed as one move, not four: each piece is a separate move"},
      {kUnderpromotionMissed, "underpromotion-missed",
       "promotions to some pieces are missing: queen, rook, bishop and knight are each a move"},
      {kPromotionCaptureMissed, "promotion-capture-missed", "a promotion that captures is missing"},
      {kPromotionMissed, "promotion-missed", "a pawn's move onto the last rank is missing"},
      {kPromotionWrong, "promotion-wrong",
       "a promotion on a rank other than the last, or to a piece other than queen, rook, bishop or "
       "knight"},
      {kPinnedLeavesLine, "pinned-leaves-line", "a pinned piece leaves the line of its pin"},
      {kPinnedPawnMissed, "pinned-pawn-missed",
       "a pawn that is pinned on a diagonal may capture the piece that pins it, but does not"},
      {kPinnedMissed, "pinned-missed",
       "a pinned piece may move along the line of its pin, but does not"},
      {kKingAlongRay, "king-along-ray",
       "the king steps back along the line of a checking piece, to a square that this piece "
       "attacks as soon as the king has left its old square"},
      {kKingCapturesProtected, "king-captures-protected", "the king captures a protected piece"},
      {kKingIntoAttack, "king-into-attack", "the king steps onto an attacked square"},
      {kKingsAdjacent, "kings-adjacent", "the king steps next to the other king"},
      {kKingLeftInCheck, "king-left-in-check",
       "moves that leave the mover's own king in check are listed: the generator never tests "
       "whether the king is left in check"},
      {kCheckIgnored, "check-ignored",
       "in check, a move that neither captures the checking piece nor blocks its line"},
      {kDoubleCheckIgnored, "double-check-ignored",
       "in double check, a piece other than the king moves"},
      {kEvasionMissed, "evasion-missed", "in check, a move that ends the check is missing"},
      {kCapturesOwn, "captures-own", "a piece captures a piece of its own side"},
      {kCapturesKing, "captures-king", "a piece captures the king"},
      {kNullMove, "null-move",
       "a move that no piece can make is listed: a king captures the distant enemy king, or a "
       "piece stays on its square"},
      {kWrapsAround, "wraps-around", "a piece leaves the board and comes back on the other side"},
      {kJumps, "jumps", "a sliding piece jumps over another piece"},
      {kImpossible, "impossible", "a piece moves in a way that this kind of piece cannot"},
      {kWrongSide, "wrong-side", "a piece moves although its side is not to move"},
      {kNoPieceThere, "no-man-there",
       "a move from an empty square: the engine's board differs from the true one"},
      {kDoublePushWrongRank, "double-push-wrong-rank",
       "a pawn's double step from a rank other than its starting rank"},
      {kDoublePushOverPiece, "double-push-over-man", "a pawn's double step over or onto a piece"},
      {kDoublePushMissed, "double-push-missed", "a pawn's double step is missing"},
      {kPawnCapturesAhead, "pawn-captures-ahead", "a pawn captures straight ahead"},
      {kPawnMovesDiagonallyWithoutCapture, "pawn-slants-without-capture",
       "a pawn moves diagonally without capturing"},
      {kKingMoveMissed, "king-move-missed", "a legal move of the king is missing"},
      {kMoveMissed, "move-missed", "a legal move is missing"},
      {kNoMovesCounted, "no-moves-counted",
       "a position without legal moves is counted: a path that ends early, in stalemate or "
       "checkmate, must not be counted"},
      {kStopsAtDraw, "stops-at-draw", "the search stops at a draw: perft ignores draws"},
      {kStopsEarly, "stops-early", "no move is found although there are legal moves"},
      {kListedTwice, "listed-twice", "a move is generated twice"},
      {kCountAtDepthOne, "count-at-depth-one", "a move does not count as 1 at depth 1"},
      {kBulkCount, "bulk-count",
       "moves are listed correctly, but counted wrong at the last ply: bulk counting may be wrong "
       "there"},
      {kUndoDamage, "undo-damage",
       "the count of a move is wrong, but the count of the position after the move is right if the "
       "engine is asked for that position: undoing moves may damage the position, a hash table may "
       "return the count of another position, or bulk counting may be wrong"},
      {kMoveListWrong, "move-list-wrong",
       "the engine generates wrong moves in this position; it prints only totals, so print the "
       "moves yourself and check them"},
      {kPlayedWrong, "played-wrong",
       "the count of this position is wrong, but the count of each position after one move is "
       "right if the engine is asked for that position: a move is played wrong (a castling right "
       "or an en passant square left behind) or undone wrong, or bulk counting is wrong"},
      {kCastlingRookStays, "castling-rook-stays", "castling leaves the rook on its square"},
      {kPromotedStaysPawn, "promoted-stays-pawn", "a promoted piece is still a pawn on the board"},
      {kPromotedToQueen, "promoted-to-queen",
       "a promotion to another piece puts a queen on the board"},
      {kEnPassantVictimStays, "en-passant-victim-stays",
       "an en passant capture leaves the captured pawn on the board"},
      {kCapturedStays, "captured-stays",
       "a captured piece still moves, gives check or stands in the way"},
      {kMoverStays, "mover-stays", "a piece that moves stays on its old square, too"},
      {kMovePlayedWrong, "move-played-wrong",
       "a move is played wrong: the engine's position after it differs from the true one"},
      {kFenNotTaken, "fen-not-taken", "the answer is about the start position: the FEN is ignored"},
      {kSideNotTaken, "side-not-taken",
       "the answer is about the other side's moves: the side to move is ignored"},
      {kMovesNotPlayed, "moves-not-played",
       "the answer is about an earlier position: the moves after it are not played"},
      {kAnotherPosition, "another-position", "the answer is about another position"},
      {kAnotherDepth, "another-depth", "these are the counts of another depth"},
      {kCountsEveryPly, "counts-every-ply", "every ply is counted, not only the last"},
      {kUnknown, "unknown", "no rule known to this program explains the difference"},
  });
}();

constexpr bool causes_are_in_order() {
  for (std::size_t i = 0; i < kCauseTexts.size(); ++i) {
    if (static_cast<std::size_t>(kCauseTexts[i].cause) != i) return false;
  }
  return kCauseTexts.size() == static_cast<std::size_t>(Cause::kUnknown) + 1;
}
static_assert(causes_are_in_order());

[[nodiscard]] constexpr std::string_view name_of(Cause cause) {
  return kCauseTexts[static_cast<std::size_t>(cause)].name;
}
[[nodiscard]] constexpr std::string_view rule_of(Cause cause) {
  return kCauseTexts[static_cast<std::size_t>(cause)].rule;
}

}  // namespace manyply
