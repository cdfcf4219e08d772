#include <algorithm>

#include "core/base/check.h"
#include "core/bitboard.h"
#include "tools/diagnose/keys/key_check.h"

namespace manyply {
namespace {

struct FaultWords {
  KeyFlaw fault;
  std::string_view name;
  std::string_view rule;
};

constexpr auto kFaultWords = [] {
  using enum KeyFlaw;
  return std::to_array<FaultWords>({
      {kSideNotChanged, "side-not-changed",
       "after a move, the key still contains the previous side to move"},
      {kPieceLeftBehind, "piece-left-behind",
       "the key has the moved piece both on its old square and on its new one"},
      {kPieceNotPut, "piece-not-put", "the key lacks the moved piece on its new square"},
      {kPieceNotMoved, "piece-not-moved",
       "the key has the moved piece on its old square, not on its new one"},
      {kCaptureKept, "capture-kept", "a captured piece stays in the key"},
      {kCaptureWrongPiece, "capture-wrong-piece",
       "a piece other than the captured one is removed from the key"},
      {kEnPassantPawnKept, "en-passant-pawn-kept",
       "a pawn that was captured en passant stays in the key"},
      {kEnPassantPawnWrongSquare, "en-passant-pawn-wrong-square",
       "after an en passant capture, the key loses a pawn on a wrong square"},
      {kCastledRookLeftBehind, "castled-rook-left-behind",
       "after castling, the key has the rook in its corner and beside the king"},
      {kCastledRookNotPut, "castled-rook-not-put",
       "after castling, the key has the rook neither in its corner nor beside the king"},
      {kCastledRookNotMoved, "castled-rook-not-moved",
       "after castling, the key has the rook in its corner, not beside the king"},
      {kCastledRookWrongSquare, "castled-rook-wrong-square",
       "after castling, the key has the rook on a wrong square"},
      {kPromotionAsPawn, "promotion-as-pawn",
       "after a promotion, the key has a pawn on the last rank"},
      {kPromotionWrongPiece, "promotion-wrong-piece",
       "after a promotion the key contains a piece other than the chosen one"},
      {kPromotionPawnKept, "promotion-pawn-kept",
       "after a promotion, the key still has the pawn on its old square"},
      {kRightKeptAfterKingMove, "right-kept-after-king-move",
       "a castling right stays in the key after the king has moved"},
      {kRightKeptAfterCastling, "right-kept-after-castling",
       "a castling right stays in the key after castling"},
      {kRightKeptAfterRookMove, "right-kept-after-rook-move",
       "a castling right stays in the key after its rook has moved"},
      {kRightKeptAfterRookCapture, "right-kept-after-rook-capture",
       "a castling right stays in the key after its rook was captured"},
      {kRightLostWithoutCause, "right-lost-without-cause",
       "a castling right that still exists is removed from the key"},
      {kRightComesBack, "right-comes-back", "a lost castling right returns to the key"},
      {kEnPassantKept, "en-passant-kept",
       "the en passant square of the previous move stays in the key"},
      {kEnPassantNotSet, "en-passant-not-set",
       "after a double step that can be captured en passant, the key contains no en passant "
       "square"},
      {kEnPassantWrongSquare, "en-passant-wrong-square",
       "after a double step, the key has a wrong en passant square"},
      {kEnPassantWithoutDoublePush, "en-passant-without-double-push",
       "the key contains an en passant square although there was no double step"},
      {kOtherPiece, "other-piece",
       "the key changes as if a piece that does not move were put or removed"},
      {kNotUpdated, "key-not-updated", "the program plays the move, but its key does not change"},
      {kNoSquareNumber, "no-en-passant-number",
       "the number that means 'no en passant square' stays in the key although there is a square, "
       "or is missing although there is none"},
      {kLastRightNumber, "last-right-number",
       "when the last castling right ends, the key contains one number too many or too few"},
      {kUnexplained, "unexplained-after-move",
       "after this kind of move the key differs from the key of the same position set up from a "
       "FEN"},
      {kSideIgnored, "side-ignored", "keys ignore the side to move"},
      {kCastlingIgnored, "castling-ignored", "keys ignore castling rights"},
      {kRightIgnored, "right-ignored", "keys ignore a castling right"},
      {kRightsAlike, "rights-alike", "positions with different castling rights have equal keys"},
      {kEnPassantIgnored, "en-passant-ignored",
       "keys ignore that a pawn can be captured en passant"},
      {kEnPassantFilesAlike, "en-passant-files-alike",
       "positions with en passant captures on different files have equal keys"},
      {kColoursAlike, "colours-alike", "keys do not distinguish white pieces from black ones"},
      {kPiecesAlike, "pieces-alike", "keys do not distinguish two kinds of pieces"},
      {kSquaresAlike, "squares-alike", "keys do not distinguish some squares of the board"},
      {kPieceIgnored, "piece-ignored", "keys ignore a kind of piece"},
      {kZeroNumber, "zero-number", "keys ignore a piece on a square"},
      {kEqualNumbers, "equal-numbers", "two features have equal numbers"},
      {kDependentNumbers, "dependent-numbers",
       "some numbers cancel each other, so that different positions have equal keys"},
      {kShortNumbers, "short-numbers",
       "the numbers have too few bits: many are equal or cancel each other"},
      {kOneKey, "one-key", "two different positions have equal keys"},
      {kSideNotSetUp, "side-not-set-up",
       "the side to move is in keys after moves, but not in the key of a position given as a FEN"},
      {kCastlingNotSetUp, "castling-not-set-up",
       "castling rights are in keys after moves, but not in the key of a position given as a FEN"},
      {kEnPassantNotSetUp, "en-passant-not-set-up",
       "the en passant square is in keys after moves, but not in the key of a position given as a "
       "FEN"},
  });
}();

const FaultWords& words_of_fault(KeyFlaw fault) {
  const FaultWords& words = kFaultWords.at(static_cast<std::size_t>(fault));
  MANYPLY_CHECK(words.fault == fault);
  return words;
}

}  // namespace

std::string_view name_of(KeyFlaw fault) { return words_of_fault(fault).name; }
std::string_view rule_of(KeyFlaw fault) { return words_of_fault(fault).rule; }

namespace {

constexpr std::size_t kMostNumbers = 4;

enum class AtomKind : std::uint8_t { kSide, kPiece, kKing, kRights, kEnPassant };

/// An element of an explanation: one number, or the XOR of a wrong number and the right number that
/// it replaces.
struct Atom {
  AtomKind kind;
  FeatureSet features;
  ZobristKey value{};
  std::optional<Piece> piece{};
  std::optional<Square> square{};
  unsigned mask = 0;  ///< the rights in the wrong key, if the kind is kRights
};

class KeyExplanation {
 public:
  KeyExplanation(const KeyTable& table, const KeyPosition& before, Move move,
                 const KeyPosition& after, std::optional<Square> en_passant)
      : table_(table),
        before_(before),
        move_(move),
        after_(after),
        en_passant_(en_passant),
        mover_(*before.position.piece_on(move.from())),
        side_(after.position.side_to_move()) {
    if (const auto features = features_of(after.position, en_passant)) is_there_ = *features;
    if (move.kind() != MoveKind::kCastling) taken_ = before.position.piece_on(move.to());
    collect();
  }

  [[nodiscard]] std::optional<WrongKey> of(const ZobristKey& wrong) {
    for (std::size_t size = 1; size <= kMostNumbers; ++size) {
      chosen_.clear();
      if (search(0, size, wrong)) {
        WrongKey result;
        result.numbers = size;
        judge(result);
        return result;
      }
    }
    return std::nullopt;
  }

 private:
  // ------------------------------------------------------------ numbers that may be wrong

  void add(Atom atom) {
    const auto value = table_.value(atom.features, side_);
    // A feature whose number is unknown or 0 cannot explain a difference.
    if (!value || *value == ZobristKey{}) return;
    if (std::ranges::count(atoms_, *value, &Atom::value) != 0) return;
    atom.value = *value;
    atoms_.push_back(atom);
  }
  void add_piece(Piece piece, Square square) {
    if (piece.type == PieceType::kKing) return;  // only the XOR of two king numbers is known
    add({.kind = AtomKind::kPiece,
         .features = {KeyFeature::piece(piece, square)},
         .piece = piece,
         .square = square});
  }
  void add_rights() {
    const auto true_rights = rights_of(after_.position);
    const auto old_rights = rights_of(before_.position);
    if (!true_rights || !old_rights) return;
    std::vector<unsigned> masks{*old_rights};
    for (unsigned mask = 0; mask < 16; ++mask) masks.push_back(mask);
    for (const unsigned mask : masks) {
      if (mask == *true_rights) continue;
      Atom atom{.kind = AtomKind::kRights, .features = {}, .mask = mask};
      if (mask != 0) atom.features.flip(KeyFeature::rights(mask));
      if (*true_rights != 0) atom.features.flip(KeyFeature::rights(*true_rights));
      add(atom);
    }
  }
  void add_en_passant(Square square) {
    add({.kind = AtomKind::kEnPassant,
         .features = {KeyFeature::en_passant(square)},
         .square = square});
  }

  /// Collects the numbers that may be wrong in the key. The numbers that are most likely to be
  /// wrong come first. If two numbers are equal, the first one is used.
  void collect() {
    add({AtomKind::kSide, {KeyFeature::kSide}});
    if (after_.passed) add_en_passant(*after_.passed);
    if (before_.passed) add_en_passant(*before_.passed);
    add_rights();
    add_piece(mover_, move_.from());
    if (move_.kind() == MoveKind::kCastling) {
      const int rank = rank_of(move_.to());
      const bool short_side = file_of(move_.to()) > file_of(move_.from());
      const Piece rook{mover_.color, PieceType::kRook};
      add_piece(rook, move_.to());
      add_piece(rook, square_at(short_side ? 5 : 3, rank));
      for (int file = 0; file < 8; ++file) add_piece(rook, square_at(file, rank));
      add_king(move_.from(), square_at(short_side ? 6 : 2, rank));
    } else if (mover_.type == PieceType::kKing) {
      add_king(move_.from(), move_.to());
    }
    if (move_.is_promotion()) add_piece({mover_.color, move_.promoted_to()}, move_.to());
    add_piece(mover_, move_.to());
    if (taken_) add_piece(*taken_, move_.to());
    if (move_.kind() == MoveKind::kEnPassant) {
      const Piece pawn{~mover_.color, PieceType::kPawn};
      const int back = mover_.color == Color::kWhite ? -8 : 8;
      add_piece(pawn, square_at(index(move_.to()) + back));
      add_piece(pawn, move_.to());
      if (const int other = index(move_.to()) - back; other >= 0 && other < kSquares)
        add_piece(pawn, square_at(other));
    }
    for (const Color color : {mover_.color, ~mover_.color}) {
      for (int type = 0; type < index(PieceType::kKing); ++type) {
        if (move_.is_promotion() || taken_)
          add_piece({color, static_cast<PieceType>(type)}, move_.to());
      }
    }
    for (int number = 0; number < 16; ++number)
      add_en_passant(square_at(number % 8, number < 8 ? 2 : 5));
    // The program may confuse the colours.
    add_piece({~mover_.color, mover_.type}, move_.from());
    add_piece({~mover_.color, mover_.type}, move_.to());
  }
  void add_king(Square from, Square to) {
    const Piece king{mover_.color, PieceType::kKing};
    add({AtomKind::kKing, {KeyFeature::piece(king, from), KeyFeature::piece(king, to)}});
  }

  bool search(std::size_t from, std::size_t left, const ZobristKey& wrong) {
    if (left == 0) return wrong == ZobristKey{};
    for (std::size_t i = from; i + left <= atoms_.size(); ++i) {
      if (left == 1 && atoms_[i].value != wrong) continue;
      chosen_.push_back(&atoms_[i]);
      if (search(i + 1, left - 1, wrong ^ atoms_[i].value)) return true;
      chosen_.pop_back();
    }
    return false;
  }

  // ------------------------------------------------------------ faults by their numbers

  /// Removes and returns the first chosen number for which `matches` is true; null if there is
  /// none.
  template <typename Matches>
  const Atom* take_first(const Matches& matches) {
    const auto at = std::ranges::find_if(chosen_, [&](const Atom* atom) { return matches(*atom); });
    if (at == chosen_.end()) return nullptr;
    const Atom* const taken = *at;
    chosen_.erase(at);
    return taken;
  }
  const Atom* take(AtomKind kind) {
    return take_first([&](const Atom& atom) { return atom.kind == kind; });
  }
  /// If the number of this piece on this square is among the chosen numbers, moves it to `part` and
  /// returns true.
  bool take(Piece piece, Square square, WrongKey::Part& part) {
    const Atom* const taken = take_first([&](const Atom& atom) {
      return atom.kind == AtomKind::kPiece && atom.piece == piece && atom.square == square;
    });
    if (taken != nullptr) note(*taken, part);
    return taken != nullptr;
  }
  /// Like take(), but takes only a number that the right key lacks, because the piece is not on the
  /// square. If `piece` or `square` is nullopt, any piece or any square matches.
  bool take_false(std::optional<Piece> piece, std::optional<Square> square, WrongKey::Part& part) {
    const Atom* const taken = take_first([&](const Atom& atom) {
      return atom.kind == AtomKind::kPiece && (!piece || atom.piece == piece) &&
             (!square || atom.square == square) && !is_there_.has(atom.features.first());
    });
    if (taken != nullptr) note(*taken, part);
    return taken != nullptr;
  }
  void note(const Atom& atom, WrongKey::Part& part) const {
    const std::size_t feature = atom.features.first();
    (is_there_.has(feature) ? part.missing : part.too_much).push_back(name_of_feature(feature));
  }
  static void keep(WrongKey& result, KeyFlaw fault, WrongKey::Part part) {
    part.fault = fault;
    result.parts.push_back(std::move(part));
  }

  void judge(WrongKey& result) {
    judge_side_and_king(result);
    judge_rights(result);
    judge_en_passant(result);
    if (move_.kind() == MoveKind::kCastling) judge_castled_rook(result);
    judge_captured(result);
    if (move_.is_promotion()) judge_promotion(result);
    judge_mover(result);
    for (const Atom* atom : chosen_) {
      WrongKey::Part part{};
      note(*atom, part);
      keep(result, KeyFlaw::kOtherPiece, std::move(part));
    }
  }

  void judge_side_and_king(WrongKey& result) {
    if (take(AtomKind::kSide) != nullptr) {
      WrongKey::Part part{};
      part.missing.push_back(side_ == Color::kBlack ? "black to move" : "white to move");
      part.too_much.push_back(side_ == Color::kBlack ? "white to move" : "black to move");
      keep(result, KeyFlaw::kSideNotChanged, std::move(part));
    }
    if (const Atom* atom = take(AtomKind::kKing)) {
      WrongKey::Part part{};
      const std::size_t first = atom->features.first();
      for (const std::size_t feature : {first, atom->features.first(first + 1)})
        (is_there_.has(feature) ? part.missing : part.too_much).push_back(name_of_feature(feature));
      keep(result, KeyFlaw::kPieceNotMoved, std::move(part));
    }
  }

  void judge_rights(WrongKey& result) {
    const Atom* atom = take(AtomKind::kRights);
    if (atom == nullptr) return;
    const unsigned truth = *rights_of(after_.position);
    const unsigned old = *rights_of(before_.position);
    std::array<unsigned, 6> reasons{};  // the castling rights of each fault
    static constexpr std::array kFaults{
        KeyFlaw::kRightKeptAfterCastling, KeyFlaw::kRightKeptAfterKingMove,
        KeyFlaw::kRightKeptAfterRookMove, KeyFlaw::kRightKeptAfterRookCapture,
        KeyFlaw::kRightComesBack,         KeyFlaw::kRightLostWithoutCause};
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned one = 1U << i;
      if (((atom->mask ^ truth) & one) == 0) continue;
      const Square corner = kRightCorners[i];
      const bool own = (i < 2) == (mover_.color == Color::kWhite);
      if ((truth & one) != 0) {
        reasons[5] |= one;
      } else if ((old & one) == 0) {
        reasons[4] |= one;
      } else if (own && move_.kind() == MoveKind::kCastling) {
        reasons[0] |= one;
      } else if (own && mover_.type == PieceType::kKing) {
        reasons[1] |= one;
      } else if (own && move_.from() == corner) {
        reasons[2] |= one;
      } else {
        reasons[3] |= one;
      }
    }
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if (reasons[i] == 0) continue;
      WrongKey::Part part{};
      const std::string text = "castling " + rights_text(reasons[i]);
      (i == 5 ? part.missing : part.too_much).push_back(text);
      keep(result, kFaults[i], std::move(part));
    }
  }

  void judge_en_passant(WrongKey& result) {
    std::vector<const Atom*> squares;
    for (const Atom* atom : chosen_) {
      if (atom->kind == AtomKind::kEnPassant) squares.push_back(atom);
    }
    if (squares.empty()) return;
    std::erase_if(chosen_, [](const Atom* atom) { return atom->kind == AtomKind::kEnPassant; });
    // The moving pawn may be on the file of the previous double step. If en passant numbers depend
    // only on the file, the difference then does not show which en passant square is wrong in the
    // key: the previous one, or the one of this move.
    result.is_ambiguous = squares.size() == 1 && before_.passed &&
                          mover_.type == PieceType::kPawn &&
                          file_of(*before_.passed) == file_of(move_.from()) &&
                          file_of(*squares.front()->square) == file_of(move_.from());
    WrongKey::Part missing{};
    WrongKey::Part kept{};
    WrongKey::Part strange{};
    for (const Atom* atom : squares) {
      const std::string name = name_of_feature(atom->features.first());
      if (atom->square == en_passant_) {
        missing.missing.push_back(name);
      } else if (atom->square == before_.passed) {
        kept.too_much.push_back(name);
      } else {
        strange.too_much.push_back(name);
      }
    }
    if (!kept.too_much.empty()) keep(result, KeyFlaw::kEnPassantKept, std::move(kept));
    if (!strange.too_much.empty()) {
      strange.missing = std::move(missing.missing);
      missing.missing.clear();
      keep(result,
           after_.passed ? KeyFlaw::kEnPassantWrongSquare : KeyFlaw::kEnPassantWithoutDoublePush,
           std::move(strange));
    }
    if (!missing.missing.empty()) keep(result, KeyFlaw::kEnPassantNotSet, std::move(missing));
  }

  void judge_castled_rook(WrongKey& result) {
    const Piece rook{mover_.color, PieceType::kRook};
    const bool short_side = file_of(move_.to()) > file_of(move_.from());
    WrongKey::Part part{};
    const bool stays = take(rook, move_.to(), part);
    const bool absent = take(rook, square_at(short_side ? 5 : 3, rank_of(move_.to())), part);
    const bool elsewhere = take_false(rook, {}, part);
    if (elsewhere) {
      keep(result, KeyFlaw::kCastledRookWrongSquare, std::move(part));
    } else if (stays && absent) {
      keep(result, KeyFlaw::kCastledRookNotMoved, std::move(part));
    } else if (stays) {
      keep(result, KeyFlaw::kCastledRookLeftBehind, std::move(part));
    } else if (absent) {
      keep(result, KeyFlaw::kCastledRookNotPut, std::move(part));
    }
  }

  void judge_captured(WrongKey& result) {
    WrongKey::Part part{};
    if (move_.kind() == MoveKind::kEnPassant) {
      const Piece pawn{~mover_.color, PieceType::kPawn};
      const int back = mover_.color == Color::kWhite ? -8 : 8;
      const bool stays = take(pawn, square_at(index(move_.to()) + back), part);
      if (take_false(pawn, {}, part)) {
        keep(result, KeyFlaw::kEnPassantPawnWrongSquare, std::move(part));
      } else if (stays) {
        keep(result, KeyFlaw::kEnPassantPawnKept, std::move(part));
      }
      return;
    }
    if (!taken_ || !take(*taken_, move_.to(), part)) return;
    // The program may have removed another piece from the key instead of the captured piece. For
    // example, this piece may be of the captured kind, but in the mover's colour.
    const Piece twin{mover_.color, taken_->type};
    const bool other =
        take(twin, move_.to(), part) || (!move_.is_promotion() && take_false({}, move_.to(), part));
    keep(result, other ? KeyFlaw::kCaptureWrongPiece : KeyFlaw::kCaptureKept, std::move(part));
  }

  void judge_promotion(WrongKey& result) {
    WrongKey::Part part{};
    const bool absent = take({mover_.color, move_.promoted_to()}, move_.to(), part);
    if (take(mover_, move_.to(), part)) {
      keep(result, KeyFlaw::kPromotionAsPawn, std::move(part));
    } else if (absent && take_false({}, move_.to(), part)) {
      keep(result, KeyFlaw::kPromotionWrongPiece, std::move(part));
    } else if (absent) {
      keep(result, KeyFlaw::kPieceNotPut, std::move(part));
    }
    WrongKey::Part kept{};
    if (take(mover_, move_.from(), kept))
      keep(result, KeyFlaw::kPromotionPawnKept, std::move(kept));
  }

  void judge_mover(WrongKey& result) {
    if (move_.is_promotion()) return;
    WrongKey::Part part{};
    const bool stays = take(mover_, move_.from(), part);
    const bool absent = take(mover_, move_.to(), part);
    if (stays && absent) {
      keep(result, KeyFlaw::kPieceNotMoved, std::move(part));
    } else if (stays) {
      keep(result, KeyFlaw::kPieceLeftBehind, std::move(part));
    } else if (absent) {
      keep(result, KeyFlaw::kPieceNotPut, std::move(part));
    }
  }

  const KeyTable& table_;
  const KeyPosition& before_;
  const Move move_;
  const KeyPosition& after_;
  const std::optional<Square> en_passant_;
  const Piece mover_;
  const Color side_;
  std::optional<Piece> taken_;
  FeatureSet is_there_;
  std::vector<Atom> atoms_;
  std::vector<const Atom*> chosen_;
};

}  // namespace

std::optional<WrongKey> explain_wrong_key(const KeyTable& table, const KeyPosition& before,
                                          Move move, const KeyPosition& after,
                                          std::optional<Square> en_passant,
                                          const ZobristKey& wrong) {
  if (!table.is_linear()) return std::nullopt;
  return KeyExplanation(table, before, move, after, en_passant).of(wrong);
}

}  // namespace manyply
