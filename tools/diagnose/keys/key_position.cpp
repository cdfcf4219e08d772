#include "tools/diagnose/keys/key_position.h"

#include <algorithm>
#include <charconv>

#include "core/base/text_span.h"
#include "core/bitboard.h"

namespace manyply {
namespace {

int number_in(const std::vector<TextSpan>& fields, std::size_t place, int otherwise) {
  int number = otherwise;
  if (place < fields.size()) {
    const std::string_view text = fields[place].text;
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  return number;
}

bool is_pawn(const Position& position, Square square, Color color) {
  return position.piece_on(square) == Piece{color, PieceType::kPawn};
}

}  // namespace

std::string to_string(const KeyQuestion& question) {
  return question.moves.empty() ? question.fen : question.fen + " moves " + question.moves;
}

Result<KeyPosition> KeyPosition::parse(std::string_view fen) {
  const std::string_view text = fen_of(fen);
  const Result<Setup> setup = parse_fen(text);
  if (!setup) return setup.error();
  const Result<NamedPosition> named = named_position(*setup);
  if (!named) return named.error();
  const auto fields = words_in(TextSpan{text});
  return KeyPosition{named->position, named->notation, setup->en_passant,
                     std::max(0, number_in(fields, 4, 0)), std::max(1, number_in(fields, 5, 1))};
}

KeyPosition KeyPosition::after(Move move) const {
  KeyPosition next{position.after_unchecked(move), notation};
  const bool takes = move.kind() == MoveKind::kEnPassant ||
                     (move.kind() != MoveKind::kCastling && position.piece_on(move.to()));
  const bool pawn = position.piece_on(move.from())->type == PieceType::kPawn;
  next.clock = takes || pawn ? 0 : clock + 1;
  next.number = number + (position.side_to_move() == Color::kBlack ? 1 : 0);
  if (move.kind() == MoveKind::kDoublePush)
    next.passed = square_at((index(move.from()) + index(move.to())) / 2);
  return next;
}

PassedSquare KeyPosition::passed_kind() const {
  if (!passed) return PassedSquare::kNone;
  if (position.board().en_passant != 0) return PassedSquare::kUsable;
  const Color us = position.side_to_move();
  const int rank = rank_of(*passed) + (us == Color::kWhite ? -1 : 1);
  for (const int file : {file_of(*passed) - 1, file_of(*passed) + 1}) {
    if (file >= 0 && file < 8 && is_pawn(position, square_at(file, rank), us))
      return PassedSquare::kPinned;
  }
  return PassedSquare::kAlone;
}

std::string KeyPosition::fen(bool with_passed) const {
  const std::string canonical = to_fen(position, notation);
  const auto fields = words_in(TextSpan{canonical});
  const bool written = with_passed && passed.has_value();
  std::string text;
  for (std::size_t i = 0; i < 3; ++i) (text += fields[i].text) += ' ';
  text += written ? to_string(*passed) : "-";
  return text + ' ' + std::to_string(clock) + ' ' + std::to_string(number);
}

std::string MoveSpelling::text(Move move, CastlingNotation notation) const {
  std::string text = to_uci(move, notation);
  if (move.kind() == MoveKind::kCastling) {
    const bool short_side = file_of(move.to()) > file_of(move.from());
    switch (castling) {
      case Castling::kKing:
        break;
      case Castling::kRook:
        return to_string(move.from()) + to_string(move.to());
      case Castling::kLetters:
        return short_side ? "O-O" : "O-O-O";
      case Castling::kDigits:
        return short_side ? "0-0" : "0-0-0";
    }
  } else if (move.is_promotion()) {
    const char piece = text.back();
    const char capital = static_cast<char>(piece - 'a' + 'A');
    text.pop_back();
    const bool equals = promotion == Promotion::kEquals || promotion == Promotion::kEqualsSmall;
    const bool small = promotion == Promotion::kSmall || promotion == Promotion::kEqualsSmall;
    text += equals ? "=" : "";
    text += small ? piece : capital;
  }
  return text;
}

KeyQuestion KeyLine::question(std::size_t plies) const {
  KeyQuestion question = start.set_up();
  for (std::size_t i = 0; i < plies; ++i) {
    if (i > 0) question.moves += ' ';
    question.moves += spelling.text(moves[i], start.notation);
  }
  return question;
}

std::vector<KeyPosition> KeyLine::positions() const {
  std::vector<KeyPosition> all{start};
  for (const Move move : moves) all.push_back(all.back().after(move));
  return all;
}

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
