#include "tools/diagnose/keys/move_class.h"

#include "core/bitboard.h"

namespace manyply {

std::string_view name_of(MoveClass kind) {
  static constexpr std::array<std::string_view, kMoveClasses> kNames{
      "quiet moves",
      "double pushes",
      "double pushes that can be captured",
      "captures",
      "en passant captures",
      "castling",
      "promotions",
      "promotions with capture",
      "king moves that lose rights",
      "rook moves that lose a right",
      "captures of a rook with its right",
      "promotions to another piece than a queen"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<MoveClass> classes_of(const KeyPosition& before, Move move, const KeyPosition& after) {
  std::vector<MoveClass> classes;
  const bool takes =
      move.kind() != MoveKind::kCastling && before.position.piece_on(move.to()).has_value();
  switch (move.kind()) {
    case MoveKind::kDoublePush:
      classes.push_back(after.passed_kind() == PassedSquare::kUsable ? MoveClass::kCapturablePush
                                                                     : MoveClass::kDoublePush);
      break;
    case MoveKind::kEnPassant:
      classes.push_back(MoveClass::kEnPassant);
      break;
    case MoveKind::kCastling:
      return {MoveClass::kCastling};
    case MoveKind::kNormal:
      classes.push_back(takes ? MoveClass::kCapture : MoveClass::kQuiet);
      break;
    default:
      classes.push_back(takes ? MoveClass::kCapturingPromotion : MoveClass::kPromotion);
  }
  if (move.is_promotion() && move.promoted_to() != PieceType::kQueen)
    classes.push_back(MoveClass::kUnderpromotion);
  const Bitboard rights = before.position.board().castling;
  const Bitboard lost = rights & ~after.position.board().castling;
  if (lost == 0) return classes;
  const PieceType mover = before.position.piece_on(move.from())->type;
  if (mover == PieceType::kKing) classes.push_back(MoveClass::kKingLosesRights);
  if ((lost & bit(move.from())) != 0) classes.push_back(MoveClass::kRookLosesRight);
  if ((lost & bit(move.to())) != 0) classes.push_back(MoveClass::kRookCaptured);
  return classes;
}

}  // namespace manyply
