#include "tools/text/moves_in_line.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace manyply {
namespace {

bool is_castling(Move move) { return move.kind() == MoveKind::kCastling; }

bool is_piece(char letter) { return std::string_view("pnbrqk").find(letter) != std::string::npos; }

std::string squares(Square from, Square to) { return to_string(from) + to_string(to); }

/// Finds the illegal move that a short form such as `Nf3` means. Precondition: no legal move
/// matches the form. Succeeds only if exactly one piece of the named type reaches the square, or if
/// the form means castling.
class Inventor {
 public:
  Inventor(const WrittenMove& written, const NamedPosition& where)
      : written_(written),
        position_(where.position),
        chess960_(where.notation == CastlingNotation::kChess960),
        us_(position_.side_to_move()) {}

  [[nodiscard]] std::optional<std::string> move() const {
    if (written_.castling != WrittenMove::Castling::kNone)
      return castling(written_.castling == WrittenMove::Castling::kKingSide);
    if (written_.or_bishop || !written_.piece) return std::nullopt;
    if (*written_.piece == PieceType::kPawn) return pawn_move();
    std::optional<Square> from;
    for (int i = 0; i < kSquares; ++i) {
      const Square square = square_at(i);
      const auto piece = position_.piece_on(square);
      if (piece != Piece{us_, *written_.piece} || !is_origin(square)) continue;
      if ((reach(piece->type, square, position_.board().occupied()) & bit(written_.to)) == 0)
        continue;
      if (from) return std::nullopt;
      from = square;
    }
    if (from) return squares(*from, written_.to);
    return king_written_castling();
  }

 private:
  [[nodiscard]] bool is_origin(Square square) const {
    return (!written_.from_file || *written_.from_file == file_of(square)) &&
           (!written_.from_rank || *written_.from_rank == rank_of(square));
  }
  [[nodiscard]] Square king() const { return square_at(lowest(position_.board().of(us_).king)); }
  [[nodiscard]] int home_rank() const { return us_ == Color::kWhite ? 0 : 7; }

  /// Returns the castling move; nullopt if it is impossible. In standard chess, the king must be on
  /// its home square. In Chess960, the rook is the outermost rook on the given side.
  [[nodiscard]] std::optional<std::string> castling(bool king_side) const {
    if (rank_of(king()) != home_rank()) return std::nullopt;
    if (!chess960_) {
      if (file_of(king()) != 4) return std::nullopt;
      return squares(king(), square_at(king_side ? 6 : 2, home_rank()));
    }
    const int step = king_side ? -1 : 1;
    for (int file = king_side ? 7 : 0; file != file_of(king()); file += step) {
      const Square square = square_at(file, home_rank());
      if (position_.piece_on(square) == Piece{us_, PieceType::kRook})
        return squares(king(), square);
    }
    return std::nullopt;
  }

  /// Returns the castling move for "Kg1" with the king on e1.
  [[nodiscard]] std::optional<std::string> king_written_castling() const {
    const bool home = *written_.piece == PieceType::kKing && !chess960_ && is_origin(king()) &&
                      rank_of(written_.to) == home_rank();
    if (!home || (file_of(written_.to) != 6 && file_of(written_.to) != 2)) return std::nullopt;
    return castling(file_of(written_.to) == 6);
  }

  [[nodiscard]] std::optional<std::string> pawn_move() const {
    const int back = us_ == Color::kWhite ? -1 : 1;
    const int rank = rank_of(written_.to) + back;
    std::optional<Square> from;
    const auto try_from = [&](int from_rank) {
      const bool on_board = from_rank > 0 && from_rank < 7;
      if (from || !on_board) return;
      const Square square = square_at(written_.from_file.value_or(file_of(written_.to)), from_rank);
      if (position_.piece_on(square) == Piece{us_, PieceType::kPawn}) from = square;
    };
    try_from(rank);
    const int second = us_ == Color::kWhite ? 1 : 6;
    if (!written_.from_file && rank + back == second) try_from(second);
    if (!from) return std::nullopt;
    std::string text = squares(*from, written_.to);
    if (written_.promotion != '\0') text += written_.promotion;
    return text;
  }

  const WrittenMove& written_;
  const Position& position_;
  bool chess960_;
  Color us_;
};

/// Returns the meaning of `written` in `where`. Two squares ("e2e4") mean the move between them,
/// legal or not. A shorter form ("Nf3", "O-O") means the only legal move that fits. If no legal
/// move fits, the shorter form means an illegal move in two cases:
/// - Exactly one piece of the named type reaches the target square.
/// - The form is castling ("O-O"; in standard chess also "Kg1"), and the king stands on its home
///   square (in Chess960, on its home rank).
MoveMeaning meaning_of(const WrittenMove& written, const NamedPosition& where) {
  std::vector<Move> meant = legal_moves_meant(where.position, written);
  const auto text = [&](Move move) { return to_uci(move, where.notation); };
  if (written.is_long()) {  // prefer a move that has these squares in this notation
    const std::string exact = squares(written.from(), written.to);
    std::ranges::stable_partition(meant, [&](Move move) { return text(move).starts_with(exact); });
    if (!meant.empty()) return {text(meant[0]), "", true, meant.size() > 1};
    if (written.promotion == '\0') return {exact, ""};
    // In two cases, only the promotion letter is wrong. First: without a letter, the move is legal.
    // Second: the letter names no piece, and with 'q' the move is legal.
    WrittenMove other = written;
    for (const char promotion : {'\0', 'q'}) {
      const bool known = promotion != '\0' && is_piece(written.promotion);
      other.promotion = promotion;
      if (!known && !legal_moves_meant(where.position, other).empty()) {
        return {"", exact + " is legal, but not with the '" + std::string(1, written.promotion) +
                        "' after it"};
      }
    }
    return {exact + written.promotion, ""};
  }
  std::ranges::stable_partition(meant, std::not_fn(is_castling));
  if (meant.size() > 1 && !is_castling(meant[1]))
    return {"", "may be " + text(meant[0]) + " or " + text(meant[1])};
  if (!meant.empty()) {
    bool doubtful = meant.size() > 1;
    if (written.castling !=
        WrittenMove::Castling::kNone)  // some programs write castling on both sides in the same way
      doubtful = std::ranges::count_if(legal_moves(where.position), is_castling) > 1;
    if (written.or_bishop) {
      WrittenMove bishop = written;
      bishop.piece = PieceType::kBishop;
      bishop.from_file.reset();
      for (const Move move : legal_moves_meant(where.position, bishop))
        doubtful |= move != meant[0];
    }
    return {text(meant[0]), "", true, doubtful};
  }
  if (auto move = Inventor(written, where).move()) return {*std::move(move), ""};
  return {"", "is not a possible move here"};
}

using Kind = Token::Kind;

/// Words that may join two squares.
constexpr std::string_view kJoints =
    " to dst dest destination target end into x sq square tosquare tosq ";
/// Words that may precede the piece of a promotion.
constexpr std::string_view kBeforePiece = " to into some piece piecetype type kind ";
/// Words used in place of a piece if the move is no promotion.
constexpr std::string_view kNothing = " none null nil false nothing no empty ";

bool is_promotion_word(const Token& token) {
  constexpr std::string_view kStem = "prom";
  return token.is(Kind::kWord) && equal_ignoring_case(token.text.substr(0, kStem.size()), kStem);
}

/// Returns 'q' for "queen" or "Q"; '\0' if the token is no piece that a pawn can become.
char piece_named(const Token& token) {
  if (!token.is(Kind::kWord)) return '\0';
  if (token.is_word(" knight ")) return 'n';
  return token.is_word(" queen rook bishop q r b n ") ? to_lower(token.text[0]) : '\0';
}

/// Destination of a move, and its promotion if there is one: "e4", "E4", "e4+", "h8=Q".
struct Target {
  Square to;
  char promotion = '\0';
};
std::optional<Target> target_named(const Token& token) {
  if (token.square) return Target{*token.square};
  if (!token.is(Kind::kMove)) return std::nullopt;
  const WrittenMove& move = *token.move;
  if (move.castling != WrittenMove::Castling::kNone || move.piece != PieceType::kPawn ||
      move.from_file)
    return std::nullopt;
  return Target{move.to, move.promotion};
}

/// The second square of a move that is written as two squares: "e4" in `e2 -> e4`.
struct Joint {
  std::size_t second;
  Target target;
  bool is_space;  ///< only a space separates the squares
};
std::optional<Joint> joint_at(const Tokens& tokens, std::size_t first) {
  if (!tokens[first].square) return std::nullopt;
  std::size_t next = first + 1;
  while (token_at(tokens, next).is(Kind::kMark) || token_at(tokens, next).is_word(kJoints)) ++next;
  const std::optional<Target> target = target_named(token_at(tokens, next));
  if (!target) return std::nullopt;
  return Joint{next, *target, next == first + 1};
}

class MoveFinder {
 public:
  MoveFinder(const Tokens& tokens, const NamedPosition& where) : tokens_(tokens), where_(where) {}

  std::vector<MentionedMove> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (auto found = two_squares_at(i)) {
        i = found->last;
        add(*std::move(found));
      } else if (tokens_[i].is(Kind::kMove)) {
        MentionedMove one = one_word_at(i);
        i = one.last;
        add(std::move(one));
      }
    }
    if (found_.size() == 1) complete_promotion(found_.front());
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::optional<Piece> own_piece(Square square) const {
    const std::optional<Piece> piece = where_.position.piece_on(square);
    return piece && piece->color == where_.position.side_to_move() ? piece : std::nullopt;
  }

  [[nodiscard]] MentionedMove mention(const WrittenMove& written, std::size_t first,
                                      std::size_t last) const {
    return {meaning_of(written, where_), written.is_long(), written.to, first, last};
  }

  [[nodiscard]] std::optional<MentionedMove> two_squares_at(std::size_t first) const {
    const std::optional<Joint> joint = joint_at(tokens_, first);
    if (!joint || !own_piece(*tokens_[first].square)) return std::nullopt;
    WrittenMove written;
    written.from_file = file_of(*tokens_[first].square);
    written.from_rank = rank_of(*tokens_[first].square);
    written.to = joint->target.to;
    written.promotion = joint->target.promotion;
    MentionedMove found = with_promotion(written, first, joint->second);
    if (joint->is_space && !found.meaning.legal) {
      found.meaning.move.clear();
      found.meaning.why_not = "are two squares, but not a legal move";
    }
    return found;
  }

  [[nodiscard]] MentionedMove one_word_at(std::size_t at) const {
    const WrittenMove& written = *tokens_[at].move;
    if (written.castling != WrittenMove::Castling::kNone) return mention(written, at, at);
    return with_promotion(written, at, at);
  }

  /// Returns the move in the tokens from `first` to `last`. If a promotion piece follows these
  /// tokens, includes it.
  [[nodiscard]] MentionedMove with_promotion(WrittenMove written, std::size_t first,
                                             std::size_t last) const {
    MentionedMove bare = mention(written, first, last);
    const bool last_rank = rank_of(written.to) == 7 || rank_of(written.to) == 0;
    if (bare.meaning.legal || written.promotion != '\0' || !last_rank) return bare;
    if (written.is_long()) {
      const std::optional<Piece> piece = own_piece(written.from());
      if (piece && piece->type != PieceType::kPawn) return bare;
    }
    const auto joins = [](const Token& token) {
      return token.is(Kind::kMark) || token.is_word(kBeforePiece) || is_promotion_word(token);
    };
    std::size_t at = last + 1;
    while (joins(token_at(tokens_, at))) ++at;
    const bool marked = at > last + 1;
    written.promotion = piece_named(token_at(tokens_, at));
    if (written.promotion == '\0') return bare;
    MentionedMove whole = mention(written, first, at);
    // A single small letter directly after an illegal move is ignored: it may have any meaning.
    const bool sure = marked || tokens_[at].text.size() > 1 || is_capital(tokens_[at].text[0]);
    return whole.meaning.legal || (sure && !whole.meaning.move.empty()) ? whole : bare;
  }

  /// If a pawn moves to the last rank and has no promotion piece yet, looks for the piece in the
  /// whole line. Precondition: the line has no other move, so a promotion word belongs to this
  /// move.
  void complete_promotion(MentionedMove& found) const {
    if (found.meaning.legal || found.meaning.move.size() != 4 || !found.is_long) return;
    WrittenMove written;
    written.from_file = found.meaning.move[0] - 'a';
    written.from_rank = found.meaning.move[1] - '1';
    written.to = found.to;
    const std::optional<Piece> piece = own_piece(written.from());
    if (!piece || piece->type != PieceType::kPawn ||
        (rank_of(found.to) != 7 && rank_of(found.to) != 0))
      return;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!is_promotion_word(tokens_[i])) continue;
      std::size_t at = i + 1;
      while (token_at(tokens_, at).is(Kind::kMark) || token_at(tokens_, at).is_word(kBeforePiece))
        ++at;
      if (at >= tokens_.size() || tokens_[at].is_word(kNothing)) continue;
      written.promotion = piece_named(tokens_[at]);
      found.meaning = written.promotion != '\0' ? meaning_of(written, where_)
                                                : MoveMeaning{"", "promotes to an unknown piece"};
      return;
    }
  }

  void add(MentionedMove move) {
    const bool again =
        !found_.empty() && !has_kind(tokens_, found_.back().last, move.first, Kind::kNumber);
    if (!again) return found_.push_back(std::move(move));
    MentionedMove& before = found_.back();
    const bool long_tells = move.is_long != before.is_long && move.to == before.to &&
                            !(before.meaning.legal && move.meaning.legal);
    if (before.meaning.move == move.meaning.move && !move.meaning.move.empty()) {
      before.last = move.last;
    } else if (long_tells) {
      if (move.is_long) before.meaning = std::move(move.meaning);
      before.is_long = true;
      before.last = move.last;
    } else {
      found_.push_back(std::move(move));
    }
  }

  const Tokens& tokens_;
  const NamedPosition& where_;
  std::vector<MentionedMove> found_;
};

/// Returns whether the text has the form of a move, even if the squares do not exist: "e2e9",
/// "i2-i4".
bool has_shape_of_move(const Tokens& tokens, std::size_t at) {
  if (!tokens[at].is(Kind::kWord)) return false;
  const std::string_view word = tokens[at].text;
  const auto is_square = [](std::string_view text) {
    return text.size() >= 2 && is_letter(text[0]) && is_digit(text[1]);
  };
  if (!is_square(word)) return false;
  if (word.size() == 4 || word.size() == 5)
    return is_square(word.substr(2)) && (word.size() == 4 || is_letter(word[4]));
  const bool dash = word.size() == 2 && token_at(tokens, at + 1).is_mark("-");
  return dash && is_square(token_at(tokens, at + 2).text);
}

}  // namespace

std::vector<MentionedMove> moves_in(const Tokens& tokens, const NamedPosition& where) {
  return MoveFinder(tokens, where).run();
}

bool resembles_move(const Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is(Kind::kMove) || joint_at(tokens, i) || has_shape_of_move(tokens, i))
      return true;
  }
  return false;
}

}  // namespace manyply
