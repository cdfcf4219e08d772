#include "tools/diagnose/keys/key_source.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "core/base/text.h"
#include "core/bitboard.h"
#include "tools/text/printed_key.h"

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

namespace {

constexpr std::string_view kBlanks = " \t\r\"'`";

std::string_view bare_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Reads a position and its moves.
Result<KeyLine> line_of(std::string_view text) {
  constexpr std::string_view kMoves = " moves";
  const std::size_t at = text.find(kMoves);
  const Result<KeyPosition> start = KeyPosition::parse(bare_text(text.substr(0, at)));
  if (!start) return start.error();
  KeyLine line{*start, {}};
  if (at == std::string_view::npos) return line;
  KeyPosition here = *start;
  std::istringstream words{std::string(text.substr(at + kMoves.size()))};
  for (std::string word; words >> word;) {
    const Result<Move> move = parse_uci(here.position, word, here.notation);
    if (!move) return move.error();
    line.moves.push_back(*move);
    here = here.after(*move);
  }
  return line;
}

}  // namespace

Result<std::unique_ptr<PastedKeys>> PastedKeys::read(const std::string& name,
                                                     std::string_view text) {
  auto pasted = std::make_unique<PastedKeys>();
  std::vector<PrintedKeyNumber> numbers;
  std::vector<std::pair<std::string, std::size_t>> questions;  // each with its line number
  const auto refuse = [&](std::size_t number, Error error) {
    error.code = ErrorCode::kInvalidInput;
    error.message = error.to_string();
    error.field = number == 0 ? name : name + ':' + std::to_string(number);
    error.column = 0;
    return error;
  };
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view row = bare_text(cut_line(text));
    if (row.empty() || row.front() == '#') continue;
    // The key follows the last of these characters, which occur neither in FENs nor in moves.
    const std::size_t at = row.find_last_of(";,|=\t");
    const std::string_view key = at == std::string_view::npos ? "" : bare_text(row.substr(at + 1));
    if (key.empty() && at != std::string_view::npos) continue;
    const std::vector<PrintedKeyNumber> found = key_numbers_of(key);
    if (found.size() != 1) {
      return refuse(number,
                    {ErrorCode::kInvalidInput, "", 0,
                     "expected 'FEN ; KEY' or 'FEN moves e2e4 ; KEY', found " + quote(row)});
    }
    const Result<KeyLine> line = line_of(bare_text(row.substr(0, at)));
    if (!line) return refuse(number, line.error());
    numbers.push_back(found.front());
    questions.emplace_back(to_string(line->question(line->moves.size())), number);
    if (line->moves.empty()) {
      pasted->positions_.push_back(line->start);
    } else {
      pasted->lines_.push_back(*line);
    }
  }
  if (numbers.empty())
    return refuse(0, {ErrorCode::kInvalidInput, "", 0, "no line has a position and its key"});
  const KeyReading reading = how_written(numbers);
  pasted->bits_ = reading.bits;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto value = reading.value(numbers[i]);
    const auto& [question, number] = questions[i];
    if (!value)
      return refuse(number, {ErrorCode::kInvalidInput, "", 0,
                             quote(numbers[i].digits) + " is not a key of at most 128 bits"});
    const auto [known, is_new] = pasted->keys_.emplace(question, *value);
    if (!is_new && known->second != *value)
      return refuse(number, {ErrorCode::kInvalidInput, "", 0,
                             "this position has another key in an earlier line"});
  }
  return pasted;
}

Result<KeySource::Keys> PastedKeys::keys(std::span<const KeyQuestion> questions) {
  Keys keys;
  for (const KeyQuestion& question : questions) {
    const auto found = keys_.find(to_string(question));
    keys.push_back(found == keys_.end() ? std::nullopt : std::optional(found->second));
  }
  return keys;
}

}  // namespace manyply
