#include "core/line.h"

#include <charconv>
#include <utility>

#include "core/base/text.h"
#include "core/move_text.h"
#include "core/position_text.h"

namespace manyply {
namespace {

/// Parses a move. If the text is not in UCI notation, parses it as algebraic notation.
Result<Move> parse_move(const NamedPosition& at, std::string_view text) {
  Result<Move> move = parse_uci(at.position, text, at.notation);
  const bool is_uci = move.ok() || move.error().code == ErrorCode::kIllegal;
  return is_uci ? move : parse_san(at.position, text);
}

constexpr int kMostCounted = 100'000;  // parse_fen() accepts smaller counters only

/// Returns `fen` with all six fields, separated by one space each. Adds missing clocks.
std::string completed(std::string_view fen) {
  std::string text;
  int fields = 0;
  for (const TextSpan& field : words_in(TextSpan{fen}))
    (text += fields++ == 0 ? "" : " ") += field.text;
  if (fields < 5) text += " 0";
  if (fields < 6) text += " 1";
  return text;
}

}  // namespace

Line::Line() : fen_(kStartFen), end_{start_} {}

Line::Line(const NamedPosition& start, std::string fen, std::optional<Square> passed)
    : start_(start.position), fen_(std::move(fen)), passed_(passed), end_(start) {}

std::vector<Position> Line::positions() const {
  std::vector<Position> positions{start_};
  for (const Move move : moves_) positions.push_back(positions.back().after_unchecked(move));
  return positions;
}

std::optional<Square> Line::passed_at(std::size_t ply) const {
  if (ply == 0) return passed_;
  const Move move = moves_[ply - 1];
  if (move.kind() != MoveKind::kDoublePush) return std::nullopt;
  return square_at((index(move.from()) + index(move.to())) / 2);
}

void Line::play(Move move) {
  moves_.push_back(move);
  end_.position = here().after_unchecked(move);
}

std::optional<Error> Line::play(std::string_view moves) {
  const std::string played = mainline(moves);
  int place = 0;
  for (const TextSpan& word : words_in(TextSpan{played})) {
    ++place;
    const Result<Move> move = parse_move(end_, word.text);
    if (!move) {
      return Error{move.error().code, "moves", word.column,
                   "move " + std::to_string(place) + ", " + move.error().message};
    }
    play(*move);
  }
  return std::nullopt;
}

Line Line::after(Move move) const {
  Line next = *this;
  next.play(move);
  return next;
}

namespace {

/// Returns the number in field `field` (counted from 0) of a FEN; `otherwise` if the field is not a
/// valid counter.
int counter_of(std::string_view fen, int field, int otherwise) {
  int number = 0;
  for (const TextSpan& word : words_in(TextSpan{fen})) {
    if (number++ != field) continue;
    int value = otherwise;
    const auto [end, error] =
        std::from_chars(word.text.data(), word.text.data() + word.text.size(), value);
    const bool whole = error == std::errc() && end == word.text.data() + word.text.size();
    return whole && value >= 0 && value < kMostCounted ? value : otherwise;
  }
  return otherwise;
}

}  // namespace

int Line::clock_at(std::size_t ply) const {
  int clock = counter_of(fen_, 4, 0);
  const std::vector<Position> past = positions();
  for (std::size_t i = 0; i < ply; ++i) {
    const bool pawn = past[i].piece_on(moves_[i].from())->type == PieceType::kPawn;
    const bool captures =
        moves_[i].kind() != MoveKind::kCastling && past[i].piece_on(moves_[i].to()).has_value();
    clock = pawn || captures ? 0 : clock + 1;
  }
  return clock;
}

std::string Line::fen() const { return fen_at(moves_.size(), here()); }

std::string Line::fen_at(std::size_t ply, const Position& position) const {
  constexpr std::string_view kClocks = "0 1";
  const std::size_t black = start_.side_to_move() == Color::kBlack ? 1 : 0;
  const std::size_t number = static_cast<std::size_t>(counter_of(fen_, 5, 1)) + (ply + black) / 2;
  std::string fen = to_fen(position, notation());
  fen.replace(fen.size() - kClocks.size(), kClocks.size(),
              std::to_string(clock_at(ply)) + ' ' + std::to_string(number));
  return fen;
}

Line Line::from(std::size_t ply) const {
  if (ply == 0) return *this;
  const Position start = positions()[ply];
  const std::optional<Square> passed = passed_at(ply);
  std::string fen = fen_at(ply, start);
  if (passed && start.board().en_passant == 0)  // fen_at() has written "-" for this square
    fen.replace(static_cast<std::size_t>(words_in(TextSpan{fen})[3].column) - 1, 1,
                to_string(*passed));
  Line rest({start, notation()}, std::move(fen), passed);
  for (std::size_t i = ply; i < moves_.size(); ++i) rest.play(moves_[i]);
  return rest;
}

std::vector<std::string> Line::uci_moves() const {
  std::vector<std::string> texts;
  for (const Move move : moves_) texts.push_back(to_uci(move, notation()));
  return texts;
}

Result<Line> parse_line(std::string_view fen, std::string_view moves,
                        std::optional<CastlingNotation> notation) {
  const PositionText written = position_text(fen);
  if (!written.refusal.empty())
    return Error{ErrorCode::kInvalidInput, "FEN", written.fen_column, written.refusal};
  const auto located = [](Error error, int column) {
    if (error.column > 0) error.column += column - 1;
    return error;
  };
  const std::string_view text = fen_of(written.fen);
  const Result<Setup> setup = parse_fen(text);
  if (!setup) return located(setup.error(), written.fen_column);
  Result<NamedPosition> start = named_position(*setup);
  if (!start) return located(start.error(), written.fen_column);
  Line line({start->position, notation.value_or(start->notation)}, completed(text),
            setup->en_passant);
  if (const auto error = line.play(written.moves)) return located(*error, written.moves_column);
  if (auto error = line.play(moves)) return *std::move(error);
  return line;
}

}  // namespace manyply
