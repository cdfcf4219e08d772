#include "tools/diagnose/keys/pasted_keys.h"

#include <sstream>
#include <utility>

#include "core/quote.h"
#include "tools/text/printed_key.h"

namespace manyply {
namespace {

constexpr std::string_view kBlanks = " \t\r\"'`";

std::string_view bare_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// The line's position and its moves.
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
                                                     const std::vector<std::string>& lines) {
  auto pasted = std::make_unique<PastedKeys>();
  std::vector<PrintedKeyNumber> numbers;
  std::vector<std::pair<std::string, std::size_t>> questions;  // with their line's number
  const auto refuse = [&](std::size_t number, Error error) {
    error.code = ErrorCode::kInvalidInput;
    error.message = error.to_string();
    error.field = number == 0 ? name : name + ':' + std::to_string(number);
    error.column = 0;
    return error;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view text = bare_text(lines[i]);
    const std::size_t number = i + 1;
    if (text.empty() || text.front() == '#') continue;
    // FENs have none of these, and moves have none either.
    const std::size_t at = text.find_last_of(";,|=\t");
    const std::string_view key = at == std::string_view::npos ? "" : bare_text(text.substr(at + 1));
    if (key.empty() && at != std::string_view::npos) continue;
    const std::vector<PrintedKeyNumber> found = key_numbers_of(key);
    if (found.size() != 1) {
      return refuse(number, {ErrorCode::kInvalidInput, "", 0,
                             "no 'FEN ; KEY' or 'FEN moves e2e4 ; KEY': " + quote(text)});
    }
    const Result<KeyLine> line = line_of(bare_text(text.substr(0, at)));
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
                             quote(numbers[i].digits) + " is no key of 128 bits or fewer"});
    const auto [known, is_new] = pasted->keys_.emplace(question, *value);
    if (!is_new && known->second != *value)
      return refuse(number, {ErrorCode::kInvalidInput, "", 0,
                             "the same position as in a line before, with another key"});
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
