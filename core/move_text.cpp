#include "core/move_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>

#include "core/base/text.h"

namespace manyply {
namespace {

// In the order of PieceType.
constexpr std::string_view kSanLetters = "PNBRQK";
constexpr std::string_view kSmallLetters = "pnbrqk";

std::optional<PieceType> piece_of(char letter) {
  const std::size_t found = kSmallLetters.find(to_lower(letter));
  if (found == std::string_view::npos) return std::nullopt;
  return static_cast<PieceType>(found);
}

/// Returns the square on which the king arrives in a castling move.
Square king_arrives(Move castling) {
  const bool king_side = file_of(castling.to()) > file_of(castling.from());
  return square_at(king_side ? 6 : 2, rank_of(castling.from()));
}

// ---------------------------------------------------------------- reading

/// Parses one move from left to right. `at_` is the index of the first character not yet parsed.
class MoveReader {
 public:
  explicit MoveReader(std::string_view text) : text_(text) {}

  /// Tries each form of a move. Returns the move in the first form that fits; nullopt if none fits.
  /// If the text is both a pawn's move and a piece's move, sets or_bishop.
  std::optional<WrittenMove> read() {
    if (const auto castling = whole(&MoveReader::castling)) return castling;
    if (const auto long_form = whole(&MoveReader::long_move)) return long_form;
    const auto pawn = whole(&MoveReader::pawn_move);
    const std::size_t behind_pawn = at_;
    const auto piece = whole(&MoveReader::piece_move);
    if (!pawn) return piece;
    at_ = behind_pawn;
    if (!piece) return pawn;
    WrittenMove either = *pawn;
    either.or_bishop = true;
    return either;
  }

  [[nodiscard]] std::size_t end() const { return at_; }

 private:
  using Shape = std::optional<WrittenMove> (MoveReader::*)();

  /// Parses the beginning of the text with `shape`, a function such as long_move(). Returns nullopt
  /// if the function finds no move, or if a letter or digit directly follows the move.
  std::optional<WrittenMove> whole(Shape shape) {
    at_ = 0;
    std::optional<WrittenMove> move = (this->*shape)();
    if (!move) return std::nullopt;
    skip_comments();
    if (is_letter(here()) || is_digit(here())) return std::nullopt;
    return move;
  }

  [[nodiscard]] char here(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool skip(std::string_view any_of) {
    const bool found = here() != '\0' && any_of.find(here()) != std::string_view::npos;
    if (found) ++at_;
    return found;
  }
  bool skip_word(std::string_view word) {
    if (!equal_ignoring_case(text_.substr(std::min(at_, text_.size()), word.size()), word))
      return false;
    at_ += word.size();
    return true;
  }

  std::optional<WrittenMove> castling() {
    constexpr std::string_view kRings = "Oo0";
    if (!skip(kRings) || !skip("-") || !skip(kRings)) return std::nullopt;
    WrittenMove move;
    move.castling = WrittenMove::Castling::kKingSide;
    if (here() == '-' && kRings.find(here(1)) != std::string_view::npos && here(1) != '\0') {
      at_ += 2;
      move.castling = WrittenMove::Castling::kQueenSide;
    }
    return move;
  }

  /// Parses "e2e4", "Ng1-f3" or "e7xf8=Q". Both squares are given, so any letter may stand for the
  /// piece.
  std::optional<WrittenMove> long_move() {
    for (const bool has_letter : {false, true}) {
      at_ = 0;
      WrittenMove move;
      if (has_letter) {
        if (!is_letter(here())) break;
        move.piece = piece_of(here());
        ++at_;
      }
      if (!read_from(move, true, true)) continue;
      skip("-xX:");
      // "B6g7" is the move of a bishop from the sixth rank.
      const bool bishop = !has_letter && is_capital(text_[0]) && is_small(here());
      if (bishop || !read_target(move)) continue;
      read_promotion(move, true);
      return move;
    }
    return std::nullopt;
  }

  /// Parses "Nf3", "Nbd7" or "R1xa3".
  std::optional<WrittenMove> piece_move() {
    const auto piece = piece_of(here());
    if (!piece || *piece == PieceType::kPawn) return std::nullopt;
    for (const auto& [file, rank] : {std::pair{true, false}, {false, true}, {false, false}}) {
      at_ = 1;
      WrittenMove move;
      move.piece = piece;
      if (!read_from(move, file, rank)) continue;
      skip("-xX");
      if (read_target(move)) return move;
    }
    return std::nullopt;
  }

  /// Parses "e4", "exd6", "ed6" or "e8=Q".
  std::optional<WrittenMove> pawn_move() {
    for (const bool file : {true, false}) {
      at_ = 0;
      WrittenMove move;
      move.piece = PieceType::kPawn;
      if (!read_from(move, file, false)) continue;
      if (file) skip("xX:");
      if (!read_target(move)) continue;
      if (file && std::abs(*move.from_file - file_of(move.to)) != 1) continue;
      const std::string_view read = text_.substr(0, at_);
      const bool capitals = file && std::ranges::none_of(read, is_small);
      // "D4" may be a depth, and "De4" may be a queen's move in German.
      if (is_capital(read[0]) && !capitals) continue;
      read_promotion(move, false);
      return move;
    }
    return std::nullopt;
  }

  static std::optional<int> file_of_letter(char c) {
    c = to_lower(c);
    return c >= 'a' && c <= 'h' ? std::optional(c - 'a') : std::nullopt;
  }
  static std::optional<int> rank_of_digit(char c) {
    return c >= '1' && c <= '8' ? std::optional(c - '1') : std::nullopt;
  }

  bool read_from(WrittenMove& move, bool file, bool rank) {
    if (file) move.from_file = file_of_letter(here());
    if (file && !move.from_file) return false;
    at_ += file ? 1 : 0;
    if (rank) move.from_rank = rank_of_digit(here());
    if (rank && !move.from_rank) return false;
    at_ += rank ? 1 : 0;
    return true;
  }

  bool read_target(WrittenMove& move) {
    const auto file = file_of_letter(here());
    const auto rank = rank_of_digit(here(1));
    if (!file || !rank) return false;
    move.to = square_at(*file, *rank);
    at_ += 2;
    return true;
  }

  /// Parses the piece of a promotion, if there is one. If `any_letter` is true, accepts any letter
  /// as the piece.
  void read_promotion(WrittenMove& move, bool any_letter) {
    const std::size_t start = at_;
    if (skip_word("ep")) return;
    const bool bracket = here() == '(';
    const bool marked = skip("=/(");
    for (const auto& [name, letter] : {std::pair{std::string_view("queen"), 'q'},
                                       {"rook", 'r'},
                                       {"bishop", 'b'},
                                       {"knight", 'n'}}) {
      if (!marked || !skip_word(name)) continue;
      if (!bracket || skip(")")) move.promotion = letter;
      break;
    }
    if (move.promotion != '\0') return;
    const char letter = to_lower(here());
    const bool known = std::string_view("qrbnk").find(letter) != std::string_view::npos;
    if (is_letter(letter) && (known || any_letter) && !is_letter(here(1)) && !is_digit(here(1))) {
      ++at_;
      if (!bracket || skip(")")) {
        move.promotion = letter;
        return;
      }
    }
    at_ = start;
  }

  void skip_comments() {
    while (true) {
      const std::size_t start = at_;
      while (skip("+#!?")) {
      }
      const std::size_t behind_marks = at_;
      while (skip(" \t")) {
      }
      const bool en_passant = skip_word("e.p.") || skip_word("(e.p.)") || skip_word("(ep)") ||
                              skip_word("e.p") || skip_word("ep");
      if (!en_passant || is_letter(here()) || is_digit(here())) at_ = behind_marks;
      if (at_ == start) return;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool means_castling(const WrittenMove& written, Move castling) {
  const bool king_side = file_of(castling.to()) > file_of(castling.from());
  if (written.castling != WrittenMove::Castling::kNone)
    return king_side == (written.castling == WrittenMove::Castling::kKingSide);
  if (written.promotion != '\0') return false;
  if (written.to == king_arrives(castling))
    return written.is_long()
               ? written.from() == castling.from()
               : written.piece == PieceType::kKing && !written.from_file && !written.from_rank;
  return written.is_long() && written.from() == castling.from() && written.to == castling.to();
}

bool means(const Position& position, const WrittenMove& written, Move move) {
  if (move.kind() == MoveKind::kCastling) return means_castling(written, move);
  if (written.castling != WrittenMove::Castling::kNone || written.to != move.to()) return false;
  if (written.from_file && *written.from_file != file_of(move.from())) return false;
  if (written.from_rank && *written.from_rank != rank_of(move.from())) return false;
  const char promotion =
      move.is_promotion() ? kSmallLetters[static_cast<std::size_t>(move.promoted_to())] : '\0';
  if (written.promotion != promotion) return false;
  if (written.is_long()) return true;
  return position.piece_on(move.from())->type == written.piece;
}

}  // namespace

std::optional<WrittenMove> read_written_move(std::string_view& text) {
  MoveReader reader(text);
  const std::optional<WrittenMove> move = reader.read();
  if (move) text.remove_prefix(reader.end());
  return move;
}

std::vector<Move> legal_moves_meant(const Position& position, const WrittenMove& written) {
  std::vector<Move> meant;
  const auto collect = [&](const WrittenMove& wanted) {
    for (const Move move : legal_moves(position)) {
      if (means(position, wanted, move)) meant.push_back(move);
    }
  };
  collect(written);
  if (written.or_bishop && meant.empty()) {
    WrittenMove bishop = written;
    bishop.piece = PieceType::kBishop;
    bishop.from_file.reset();
    collect(bishop);
  }
  return meant;
}

Result<Move> parse_san(const Position& position, std::string_view text) {
  const auto refuse = [&](ErrorCode code, std::string why) {
    return Error{code, "move", 0, quote(text) + " " + std::move(why)};
  };
  std::string_view rest = text;
  const std::optional<WrittenMove> written = read_written_move(rest);
  if (!written || !rest.empty())
    return refuse(ErrorCode::kInvalidInput, "is not a move such as Nf3, exd5, e8=Q, O-O or e2e4");
  std::vector<Move> meant = legal_moves_meant(position, *written);
  if (meant.empty()) return refuse(ErrorCode::kIllegal, "is not legal here");
  const auto is_castling = [](Move move) { return move.kind() == MoveKind::kCastling; };
  std::ranges::stable_partition(meant, std::not_fn(is_castling));
  if (meant.size() > 1 && !is_castling(meant[1])) {
    return refuse(ErrorCode::kInvalidInput,
                  "is ambiguous: " + to_uci(meant[0], CastlingNotation::kStandard) + " or " +
                      to_uci(meant[1], CastlingNotation::kStandard));
  }
  return meant.front();
}

std::string to_san(const Position& position, Move move) {
  std::string text;
  if (move.kind() == MoveKind::kCastling) {
    text = file_of(move.to()) > file_of(move.from()) ? "O-O" : "O-O-O";
  } else {
    const PieceType piece = position.piece_on(move.from())->type;
    const bool pawn = piece == PieceType::kPawn;
    const std::string from = to_string(move.from());
    const bool captures =
        position.piece_on(move.to()).has_value() || move.kind() == MoveKind::kEnPassant;
    if (pawn) {
      if (captures) text += from[0];
    } else {
      text += kSanLetters[static_cast<std::size_t>(piece)];
      bool others = false;
      bool same_file = false;
      bool same_rank = false;
      for (const Move other : legal_moves(position)) {
        if (other.kind() == MoveKind::kCastling || other.to() != move.to() ||
            other.from() == move.from() || position.piece_on(other.from())->type != piece)
          continue;
        others = true;
        same_file |= file_of(other.from()) == file_of(move.from());
        same_rank |= rank_of(other.from()) == rank_of(move.from());
      }
      if (others && (!same_file || same_rank)) text += from[0];
      if (same_file) text += from[1];
    }
    if (captures) text += 'x';
    text += to_string(move.to());
    if (move.is_promotion())
      text += std::string("=") + kSanLetters[static_cast<std::size_t>(move.promoted_to())];
  }
  const Position next = position.after_unchecked(move);
  if (next.in_check()) text += legal_moves(next).empty() ? '#' : '+';
  return text;
}

namespace {

bool is_blank(char c) { return kSpace.find(c) != std::string_view::npos; }

/// Replaces the characters from `begin` to `end` - 1 by blanks.
void blank(std::string& text, std::size_t begin, std::size_t end) {
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin),
            text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
}

/// Returns `text` with blanks in place of comments, variations and commas. An attacker may have
/// written `text`, so the function takes linear time even if brackets are not closed.
std::string without_remarks(std::string_view text) {
  std::string plain(text);
  std::vector<std::size_t> variations;
  bool braces_close = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool begins_word = at == 0 || is_blank(text[at - 1]);
    const bool begins_line = at == 0 || text[at - 1] == '\n';
    if (c == ';' || (c == '%' && begins_line)) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      blank(plain, at, end);
      at = end - 1;
    } else if (c == '{' && braces_close) {
      const std::size_t end = text.find('}', at);
      braces_close = end != std::string_view::npos;
      if (braces_close) blank(plain, at, end + 1), at = end;
    } else if (c == '(' && (begins_word || !variations.empty())) {  // not the bracket of e8(Q)
      variations.push_back(at);
    } else if (c == ')' && !variations.empty()) {
      if (variations.size() == 1) blank(plain, variations[0], at + 1);
      variations.pop_back();
    } else if (c == ',') {
      plain[at] = ' ';
    }
  }
  return plain;
}

/// Returns the number of characters at the beginning of `word` that are not part of a move.
/// Examples: "12...", "$1", "e.p.", and the "1." of "1.e4".
std::size_t unplayed(std::string_view word) {
  if (word == "e.p.") return word.size();
  const bool is_glyph = word.starts_with('$');
  const std::size_t number = is_glyph ? 1 : 0;
  const std::size_t digits = std::min(word.find_first_not_of("0123456789", number), word.size());
  if (is_glyph) return digits == word.size() ? digits : 0;
  const std::size_t dots = std::min(word.find_first_not_of('.', digits), word.size());
  return dots > digits ? dots : 0;
}

}  // namespace

std::string mainline(std::string_view text) {
  std::string moves = without_remarks(text);
  std::size_t last = 0;
  for (const TextSpan& word : words_in(TextSpan{moves})) {
    last = static_cast<std::size_t>(word.column) - 1;
    blank(moves, last, last + unplayed(word.text));
  }
  constexpr std::array<std::string_view, 4> kResults{"1-0", "0-1", "1/2-1/2", "*"};
  const std::size_t end = std::max(moves.find_last_not_of(kSpace) + 1, last);
  if (std::ranges::count(kResults, std::string_view(moves).substr(last, end - last)) > 0)
    blank(moves, last, end);
  return moves;
}

bool is_movetext(std::string_view text) {
  const std::string moves = mainline(text);
  const std::vector<TextSpan> words = words_in(TextSpan{moves});
  return !words.empty() && std::ranges::all_of(words, [](const TextSpan& word) {
    std::string_view rest = word.text;
    return read_written_move(rest) && rest.empty();
  });
}

}  // namespace manyply
