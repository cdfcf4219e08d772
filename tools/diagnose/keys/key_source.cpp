#include "tools/diagnose/keys/key_source.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>
#include <utility>

#include "core/base/text.h"
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
      "king moves that lose castling rights",
      "rook moves that lose a castling right",
      "captures of rooks that have a castling right",
      "promotions to a piece other than a queen"};
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

namespace {

constexpr std::size_t kPortion = 128;  // number of questions between two reports of progress
/// Decoy questions, asked between the questions of a proof. The positions in a proof never have the
/// same pieces as a decoy.
constexpr const char* kDecoys[] = {"8/1k6/8/2bqnr2/8/3RB3/5K2/2N1Q3 w - - 0 1",
                                   "n1n5/1k2q3/8/5N2/1B6/6R1/2K5/7b b - - 0 1"};

}  // namespace

KeyAnswers::KeyAnswers(KeySource& source, const KeyBudget& budget,
                       std::function<void(std::size_t)> on_asked)
    : source_(source), budget_(budget), on_asked_(std::move(on_asked)) {}

bool KeyAnswers::is_spent() const {
  if (asked_ >= budget_.questions) return true;
  return budget_.seconds && std::chrono::steady_clock::now() - begin_ >= *budget_.seconds;
}

std::optional<Error> KeyAnswers::ask(std::span<const KeyQuestion> questions) {
  std::vector<KeyQuestion> open;
  std::unordered_set<std::string> seen;
  for (const KeyQuestion& question : questions) {
    const std::string text = to_string(question);
    if (!keys_.contains(text) && seen.insert(text).second) open.push_back(question);
  }
  for (std::size_t from = 0; from < open.size(); from += kPortion) {
    const auto some = std::span(open).subspan(from, std::min(kPortion, open.size() - from));
    const auto keys = source_.keys(some);
    if (!keys) return keys.error();
    for (std::size_t i = 0; i < some.size(); ++i) keys_.emplace(to_string(some[i]), keys->at(i));
    asked_ += some.size();
    if (on_asked_) on_asked_(asked_);
  }
  return std::nullopt;
}

std::optional<ZobristKey> KeyAnswers::key(const KeyQuestion& question) const {
  const auto found = keys_.find(to_string(question));
  return found == keys_.end() ? std::nullopt : found->second;
}

Result<KeySource::Keys> KeyAnswers::fresh(std::span<const KeyQuestion> questions) {
  std::vector<KeyQuestion> all;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    all.push_back({kDecoys[i % 2], {}});
    all.push_back(questions[i]);
  }
  Result<KeySource::Keys> keys = source_.keys(all);
  if (!keys) return keys;
  KeySource::Keys answers;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto& decoy = keys->at(2 * i);
    const auto& answer = keys->at(2 * i + 1);
    answers.push_back(decoy && answer == decoy ? std::nullopt : answer);
  }
  return answers;
}

Result<Standing> KeyAnswers::stands(std::span<const KeyQuestion> questions) {
  // A pasted list has no answers to decoy questions, and its answers never change.
  if (!source_.answers_anything()) return Standing::kSame;
  const Result<KeySource::Keys> answers = fresh(questions);
  if (!answers) return answers.error();
  Standing standing = Standing::kSame;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (!answers->at(i)) return Standing::kRefused;
    if (answers->at(i) != key(questions[i])) standing = Standing::kChanged;
  }
  return standing;
}

Result<std::size_t> KeyAnswers::ask_again(std::span<const KeyQuestion> questions) {
  std::size_t changed = 0;
  if (!source_.answers_anything()) return changed;
  for (std::size_t from = 0; from < questions.size(); from += kPortion) {
    const auto some = questions.subspan(from, std::min(kPortion, questions.size() - from));
    const Result<KeySource::Keys> second = fresh(some);
    if (!second) return second.error();
    std::vector<KeyQuestion> open;
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (second->at(i) != key(some[i])) open.push_back(some[i]);
    }
    const Result<KeySource::Keys> third = fresh(open);
    if (!third) return third.error();
    for (std::size_t i = 0, at = 0; i < some.size(); ++i) {
      auto& known = keys_[to_string(some[i])];
      if (second->at(i) == known) continue;
      const auto& last = third->at(at++);
      if (last == known) {
        ++changed;
      } else if (last == second->at(i)) {
        changed += last ? 1U : 0U;
        known = last;
      } else {
        ++changed;
        known.reset();
      }
    }
  }
  return changed;
}

KeyLines::KeyLines(std::vector<KeyPosition> more) {
  constexpr std::array kStarts{
      "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
      // Positions for castling, for moves of kings and rooks that lose castling rights, and for
      // captures of rooks in their corners.
      "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
      "r3k2r/p6p/8/8/8/8/P6P/R3K2R w Kq - 3 9", "r3k2r/p6p/8/8/8/8/P6P/R3K2R b Qk - 3 9",
      "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
      "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
      "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", "r3k2r/7b/8/8/8/8/1B4BQ/R3K2R b KQkq - 0 1",
      // Promotions, some of which capture a rook with a castling right.
      "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1",
      "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R b KQkq - 0 1",
      "1n1n4/P1P1P2k/8/8/8/8/p1p1p2K/1N1N4 w - - 0 1",
      "1n1n4/P1P1P2k/8/8/8/8/p1p1p2K/1N1N4 b - - 0 1",
      // Double pushes with and without an enemy pawn beside them; en passant captures, some
      // illegal.
      "4k3/1p1p1p1p/8/P1P1P1P1/1p1p1p1p/8/P1P1P1P1/4K3 w - - 0 1",
      "4k3/1p1p1p1p/8/P1P1P1P1/1p1p1p1p/8/P1P1P1P1/4K3 b - - 0 1",
      "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
      "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 b - - 0 1",
      "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
      "rnbqkbnr/pppp1ppp/8/8/3PpP2/8/PPP1P1PP/RNBQKBNR b KQkq f3 0 3",
      "8/2p1p3/8/KP1P3r/1R3p1k/8/4P1P1/8 w - - 0 1", "8/2p1p3/8/KP1P3r/1R3p1k/8/4P1P1/8 b - - 0 1",
      // Positions for captures: pieces of each kind take, and pieces of each kind are taken.
      "3k4/2q1r3/1n1b1n2/2P1p3/2p1P3/1N1B1N2/2Q1R3/3K4 w - - 5 20",
      "3k4/2q1r3/1n1b1n2/2P1p3/2p1P3/1N1B1N2/2Q1R3/3K4 b - - 5 20",
      "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"};
  for (const char* fen : kStarts) starts_.push_back(*KeyPosition::parse(fen));
  starts_.insert(starts_.end(), more.begin(), more.end());
}

Move KeyLines::choose(const KeyPosition& position) {
  const MoveList moves = legal_moves(position.position);
  Move move = moves[below(moves.size())];
  const bool quiet = move.kind() == MoveKind::kNormal && !position.position.piece_on(move.to());
  return quiet && below(3) == 0 ? moves[below(moves.size())] : move;
}

void KeyLines::refill() {
  constexpr std::size_t kPairs = 3;  // number of replies to each move of each position
  constexpr std::size_t kGamePlies = 80;
  const std::size_t round = round_++;
  if (round <= kPairs) {
    for (const KeyPosition& start : starts_) {
      for (const Move move : legal_moves(start.position)) {
        KeyLine line{start, {move}};
        const KeyPosition next = start.after(move);
        if (round > 0 && !legal_moves(next.position).empty()) line.moves.push_back(choose(next));
        waiting_.push_back(std::move(line));
      }
    }
  } else {
    KeyPosition position = starts_[below(starts_.size())];
    for (std::size_t ply = 0; ply < kGamePlies; ++ply) {
      KeyLine line{position, {}};
      KeyPosition next = position;
      while (line.moves.size() < kSteps && !legal_moves(next.position).empty()) {
        line.moves.push_back(choose(next));
        next = next.after(line.moves.back());
      }
      if (line.moves.empty()) break;
      position = position.after(line.moves.front());
      waiting_.push_back(std::move(line));
    }
  }
  std::ranges::reverse(waiting_);
}

KeyLine KeyLines::next() {
  while (waiting_.empty()) refill();
  KeyLine line = std::move(waiting_.back());
  waiting_.pop_back();
  return line;
}

std::vector<KeyPosition> random_positions(std::size_t count) {
  KeyLines lines;
  std::vector<KeyPosition> all;
  for (std::size_t i = 0; all.size() < count; ++i) {
    KeyPosition last = lines.next().positions().back();
    // The first lines start from the same few positions. So one line in five is enough.
    if (all.size() < count / 2 && i % 5 != 0) continue;
    if (last.passed_kind() != PassedSquare::kUsable) last.passed.reset();
    last.clock = 0;
    last.number = 1;
    all.push_back(last);
  }
  return all;
}

}  // namespace manyply
