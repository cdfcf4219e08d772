#include "tools/diagnose/keys/key_flaw.h"

#include <array>

#include "core/check.h"

namespace manyply {
namespace {

struct FaultWords {
  KeyFlaw fault;
  std::string_view name;
  std::string_view rule;
};

constexpr std::array kFaultWords{
    FaultWords{KeyFlaw::kSideNotChanged, "side-not-changed",
               "after a move the side to move is still the old one in the key"},
    FaultWords{KeyFlaw::kPieceLeftBehind, "piece-left-behind",
               "the piece that moved is still on its old square in the key, too"},
    FaultWords{KeyFlaw::kPieceNotPut, "piece-not-put",
               "the piece that moved is not put on its new square in the key"},
    FaultWords{KeyFlaw::kPieceNotMoved, "piece-not-moved",
               "the piece that moved is still on its old square in the key"},
    FaultWords{KeyFlaw::kCaptureKept, "capture-kept", "a captured piece stays in the key"},
    FaultWords{KeyFlaw::kCaptureWrongPiece, "capture-wrong-piece",
               "another piece than the captured one is taken out of the key"},
    FaultWords{KeyFlaw::kEnPassantPawnKept, "en-passant-pawn-kept",
               "a pawn that was captured en passant stays in the key"},
    FaultWords{KeyFlaw::kEnPassantPawnWrongSquare, "en-passant-pawn-wrong-square",
               "a pawn that was captured en passant is taken out of the key on another square than "
               "its own"},
    FaultWords{KeyFlaw::kCastledRookLeftBehind, "castled-rook-left-behind",
               "after castling the rook is still in its corner in the key, too"},
    FaultWords{KeyFlaw::kCastledRookNotPut, "castled-rook-not-put",
               "after castling the rook is not put beside the king in the key"},
    FaultWords{KeyFlaw::kCastledRookNotMoved, "castled-rook-not-moved",
               "after castling the rook is still in its corner in the key"},
    FaultWords{KeyFlaw::kCastledRookWrongSquare, "castled-rook-wrong-square",
               "after castling the rook is on a wrong square in the key"},
    FaultWords{KeyFlaw::kPromotionAsPawn, "promotion-as-pawn",
               "after a promotion there is a pawn on the last rank in the key"},
    FaultWords{KeyFlaw::kPromotionWrongPiece, "promotion-wrong-piece",
               "after a promotion there is another piece than the chosen one in the key"},
    FaultWords{KeyFlaw::kPromotionPawnKept, "promotion-pawn-kept",
               "after a promotion the pawn is still on its old square in the key, too"},
    FaultWords{KeyFlaw::kRightKeptAfterKingMove, "right-kept-after-king-move",
               "a castling right stays in the key after the king has moved"},
    FaultWords{KeyFlaw::kRightKeptAfterCastling, "right-kept-after-castling",
               "a castling right stays in the key after castling"},
    FaultWords{KeyFlaw::kRightKeptAfterRookMove, "right-kept-after-rook-move",
               "a castling right stays in the key after its rook has moved"},
    FaultWords{KeyFlaw::kRightKeptAfterRookCapture, "right-kept-after-rook-capture",
               "a castling right stays in the key after its rook was captured"},
    FaultWords{KeyFlaw::kRightLostWithoutCause, "right-lost-without-cause",
               "a castling right is taken out of the key that is still there"},
    FaultWords{KeyFlaw::kRightComesBack, "right-comes-back",
               "a castling right that is gone comes back into the key"},
    FaultWords{KeyFlaw::kEnPassantKept, "en-passant-kept",
               "the en passant square of the move before stays in the key"},
    FaultWords{KeyFlaw::kEnPassantNotSet, "en-passant-not-set",
               "after a double step that can be captured en passant nothing of that is in the key"},
    FaultWords{KeyFlaw::kEnPassantWrongSquare, "en-passant-wrong-square",
               "after a double step a wrong en passant square is in the key"},
    FaultWords{KeyFlaw::kEnPassantWithoutDoublePush, "en-passant-without-double-push",
               "an en passant square comes into the key without a double step"},
    FaultWords{KeyFlaw::kOtherPiece, "other-piece",
               "a piece that the move has nothing to do with changes in the key"},
    FaultWords{KeyFlaw::kNotUpdated, "key-not-updated",
               "the program plays the move, and its key stays as it was"},
    FaultWords{KeyFlaw::kNoSquareNumber, "no-en-passant-number",
               "the number that means 'no en passant square' stays in the key beside a square, or "
               "does not come back after it"},
    FaultWords{KeyFlaw::kLastRightNumber, "last-right-number",
               "when the last castling right goes, one number too many or too few is in the key"},
    FaultWords{KeyFlaw::kUnexplained, "unexplained-after-move",
               "after this kind of move the key is not that of the position"},
    FaultWords{KeyFlaw::kSideIgnored, "side-ignored", "keys do not say who is to move"},
    FaultWords{KeyFlaw::kCastlingIgnored, "castling-ignored", "keys know no castling rights"},
    FaultWords{KeyFlaw::kRightIgnored, "right-ignored", "a castling right does not count in keys"},
    FaultWords{KeyFlaw::kRightsAlike, "rights-alike", "different castling rights have one key"},
    FaultWords{KeyFlaw::kEnPassantIgnored, "en-passant-ignored",
               "keys do not know that a pawn can be captured en passant"},
    FaultWords{KeyFlaw::kEnPassantFilesAlike, "en-passant-files-alike",
               "en passant captures on different files have one key"},
    FaultWords{KeyFlaw::kColoursAlike, "colours-alike",
               "keys do not tell white pieces from black ones"},
    FaultWords{KeyFlaw::kPiecesAlike, "pieces-alike", "keys do not tell two kinds of pieces apart"},
    FaultWords{KeyFlaw::kSquaresAlike, "squares-alike",
               "keys do not tell some squares of the board apart"},
    FaultWords{KeyFlaw::kPieceIgnored, "piece-ignored", "a kind of piece does not count in keys"},
    FaultWords{KeyFlaw::kZeroNumber, "zero-number", "a piece on a square does not count in keys"},
    FaultWords{KeyFlaw::kEqualNumbers, "equal-numbers", "two features have one number"},
    FaultWords{KeyFlaw::kDependentNumbers, "dependent-numbers",
               "some numbers cancel each other, so that different positions have one key"},
    FaultWords{KeyFlaw::kShortNumbers, "short-numbers",
               "the numbers have too few bits: many are equal or cancel each other"},
    FaultWords{KeyFlaw::kOneKey, "one-key", "two different positions have one key"},
    FaultWords{
        KeyFlaw::kSideNotSetUp, "side-not-set-up",
        "the side to move is not in the key of a position that is set up, and is after moves"},
    FaultWords{KeyFlaw::kCastlingNotSetUp, "castling-not-set-up",
               "castling rights are not in the key of a position that is set up, and matter after "
               "moves"},
    FaultWords{KeyFlaw::kEnPassantNotSetUp, "en-passant-not-set-up",
               "the en passant square is not in the key of a position that is set up, and is after "
               "moves"},
};

const FaultWords& words_of_fault(KeyFlaw fault) {
  const FaultWords& words = kFaultWords.at(static_cast<std::size_t>(fault));
  MANYPLY_CHECK(words.fault == fault);
  return words;
}

}  // namespace

std::string_view name_of(KeyFlaw fault) { return words_of_fault(fault).name; }
std::string_view rule_of(KeyFlaw fault) { return words_of_fault(fault).rule; }

}  // namespace manyply
