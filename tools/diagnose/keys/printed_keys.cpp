#include "tools/diagnose/keys/printed_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <utility>

#include "core/base/text.h"
#include "tools/engine/engine_protocol.h"

namespace manyply {
namespace {

constexpr std::size_t kMostDigits = 40;  // 2^128 in decimal has 39 digits
constexpr std::size_t kMostWords = 4;    // maximum length of a label
/// Numbers that are below this limit in every position are usually counts, scores or clocks. They
/// are read as keys only if their label contains a word for keys.
constexpr ZobristKey kLeastWide{1U << 20, 0};

bool is_hex(char c) { return hex_digit(c) >= 0; }

/// A printed number that may be a key: "8F8F01D4562F59FB", "0x…", decimal, or negative.
struct PrintedKeyNumber {
  std::string label;   ///< the words beside the number, in small letters: "key", "info string hash"
  std::string digits;  ///< digits without prefix, suffix and separators
  bool marked_hex = false;
  bool negative = false;
};

/// Returns the number in `run`; nullopt if `run` is no number. `run` consists of letters, digits
/// and underscores.
std::optional<PrintedKeyNumber> number_of(std::string_view run) {
  PrintedKeyNumber number;
  if (run.size() > 2 && run[0] == '0' && to_lower(run[1]) == 'x') {
    number.marked_hex = true;
    run.remove_prefix(2);
  } else if (!is_hex(run[0])) {
    return std::nullopt;
  }
  // Suffixes of number literals: ULL, n, h.
  while (!run.empty() && !is_hex(run.back())) {
    if (std::string_view("ulnh").find(to_lower(run.back())) == std::string_view::npos)
      return std::nullopt;
    number.marked_hex |= to_lower(run.back()) == 'h';
    run.remove_suffix(1);
  }
  for (const char c : run) {
    if (c == '_') continue;
    if (!is_hex(c)) return std::nullopt;
    number.digits += to_lower(c);
  }
  const bool digit = std::ranges::any_of(number.digits, is_digit);
  // Words such as "added", "beef" and "bad" look like hexadecimal numbers.
  if (!number.marked_hex && !digit && number.digits.size() < 8) return std::nullopt;
  if (number.digits.empty() || number.digits.size() > kMostDigits) return std::nullopt;
  return number;
}

struct Run {
  std::string_view text;
  char before;  ///< the character before it, or a space
};

std::vector<Run> runs_of(std::string_view line) {
  std::vector<Run> runs;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && (is_letter(line[end]) || is_digit(line[end]) || line[end] == '_'))
      ++end;
    if (end > at) runs.push_back({line.substr(at, end - at), at > 0 ? line[at - 1] : ' '});
    at = std::max(end, at + 1);
  }
  return runs;
}

std::string label_of(const std::vector<std::string>& words, std::size_t from, std::size_t to) {
  std::string label;
  for (std::size_t i = to - std::min(to - from, kMostWords); i < to; ++i)
    label += (label.empty() ? "" : " ") + words[i];
  return label;
}

/// Parses `digits` in `base`. Returns nullopt if a digit does not exist in the base, or if
/// the value exceeds 2^128 - 1.
std::optional<ZobristKey> parse_digits(std::string_view digits, unsigned base) {
  __extension__ using Wide = unsigned __int128;
  Wide value = 0;
  for (const char c : digits) {
    const auto digit = static_cast<unsigned>(hex_digit(c));
    if (digit >= base) return std::nullopt;
    const Wide next = value * base + digit;
    if ((next - digit) / base != value) return std::nullopt;
    value = next;
  }
  return ZobristKey{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)};
}

/// Returns -`key` as a two's complement of `bits` bits.
ZobristKey negated(ZobristKey key, int bits) {
  ZobristKey result{~key.low + 1, ~key.high + (key.low == 0 ? 1U : 0U)};
  if (bits <= 64) result.high = 0;
  if (bits < 64) result.low &= (std::uint64_t{1} << bits) - 1;
  return result;
}

/// Returns all numbers of a line from left to right, including small ones.
std::vector<PrintedKeyNumber> key_numbers_of(std::string_view line) {
  std::vector<std::string> words;
  std::vector<PrintedKeyNumber> numbers;
  std::vector<std::size_t> places;  // for each number: the number of words before it
  for (const Run& run : runs_of(line)) {
    if (auto number = number_of(run.text)) {
      number->negative = run.before == '-' && !number->marked_hex;
      numbers.push_back(*std::move(number));
      places.push_back(words.size());
    } else {
      words.push_back(to_lower(run.text));
    }
  }
  places.push_back(words.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t place = places[i];
    numbers[i].label = place > 0 || i > 0
                           ? label_of(words, i > 0 ? places[i - 1] : 0, place)
                           : label_of(words, place, std::min(places[i + 1], place + kMostWords));
  }
  return numbers;
}

/// Returns the value of `number`; nullopt if it exceeds 128 bits or has digits of another base.
std::optional<ZobristKey> value_of(const PrintedKeyNumber& number, const KeyReading& reading) {
  const auto value = parse_digits(number.digits, reading.hex ? 16 : 10);
  if (!value) return std::nullopt;
  return number.negative ? negated(*value, reading.bits) : *value;
}

using Place = std::pair<std::string, std::size_t>;  // label, ordinal

std::map<Place, PrintedKeyNumber> places_of(std::span<const std::string> lines) {
  std::map<Place, PrintedKeyNumber> places;
  std::map<std::string, std::size_t> seen;
  for (const std::string& line : lines) {
    for (PrintedKeyNumber& number : key_numbers_of(line)) {
      std::string label = number.label;
      const std::size_t ordinal = seen[label]++;
      places.emplace(Place{std::move(label), ordinal}, std::move(number));
    }
  }
  return places;
}

int bits_of(std::span<const PrintedKeyNumber> numbers, const KeyReading& reading) {
  std::size_t longest = 0;
  std::size_t shortest = kMostDigits;
  bool negative = false;
  ZobristKey most;
  for (const PrintedKeyNumber& number : numbers) {
    longest = std::max(longest, number.digits.size());
    shortest = std::min(shortest, number.digits.size());
    negative |= number.negative;
    const auto value = parse_digits(number.digits, reading.hex ? 16 : 10);
    if (value && std::pair(value->high, value->low) > std::pair(most.high, most.low)) most = *value;
  }
  // If all numbers are equally long, they are probably padded with leading zeros. Then their length
  // shows the width.
  if (reading.hex && longest == shortest && longest >= 8 && longest <= 32)
    return static_cast<int>(4 * longest);
  if (most.high != 0) return 128;
  const std::uint64_t half = negative ? std::uint64_t{1} << 31 : std::uint64_t{1} << 32;
  return most.low < half ? 32 : 64;
}

/// Returns the base and the width of keys, derived from some printed keys.
KeyReading how_written(std::span<const PrintedKeyNumber> numbers) {
  KeyReading reading;
  reading.hex = std::ranges::any_of(numbers, [](const PrintedKeyNumber& number) {
    return number.marked_hex || !std::ranges::all_of(number.digits, is_digit);
  });
  reading.bits = bits_of(numbers, reading);
  return reading;
}

bool called_key(const std::string& label) {
  return std::ranges::any_of(std::array{"key", "hash", "zobrist"}, [&](const char* word) {
    return label.find(word) != std::string::npos;
  });
}

std::string listed(const std::vector<KeyReading>& readings) {
  std::string text;
  for (const KeyReading& reading : readings) {
    const std::string& label = reading.label.empty() ? "(no label)" : reading.label;
    text += (text.empty() ? "" : ", ") + quote(label);
  }
  return text;
}

}  // namespace

std::optional<ZobristKey> KeyReading::read(std::span<const std::string> lines) const {
  std::size_t seen = 0;
  const std::string_view word = std::string_view(label).substr(label.rfind(' ') + 1);
  for (const std::string& line : lines) {
    // Most lines show the board; skip them.
    if (to_lower(line).find(word) == std::string::npos) continue;
    for (const PrintedKeyNumber& number : key_numbers_of(line)) {
      if (number.label == label && seen++ == ordinal) return value_of(number, *this);
    }
  }
  return std::nullopt;
}

std::vector<KeyReading> readings_of(std::span<const ShownPosition> answers) {
  std::map<Place, std::vector<PrintedKeyNumber>> common;
  for (const ShownPosition& answer : answers) {
    for (auto& [place, number] : places_of(answer.lines))
      common[place].push_back(std::move(number));
  }
  std::erase_if(common, [&](const auto& of) { return of.second.size() < answers.size(); });

  std::vector<KeyReading> readings;
  std::set<std::vector<ZobristKey>> seen;
  for (const bool called : {true, false}) {
    for (const auto& [place, numbers] : common) {
      if (called_key(place.first) != called) continue;
      KeyReading reading = how_written(numbers);
      reading.label = place.first;
      reading.ordinal = place.second;
      std::map<int, ZobristKey> by_position;
      std::set<ZobristKey> different;
      std::vector<ZobristKey> values;
      bool steady = true;
      bool wide = called;
      for (std::size_t i = 0; i < answers.size() && steady; ++i) {
        const auto value = value_of(numbers[i], reading);
        steady = value && by_position.emplace(answers[i].position, *value).first->second == *value;
        if (!steady) break;
        wide |= *value >= kLeastWide || value->high != 0;
        different.insert(*value);
        values.push_back(*value);
      }
      // Require different numbers for at least three quarters of the positions, not for all: a
      // program with a fault may give two positions the same key.
      const bool changes = 4 * different.size() >= 3 * by_position.size() && different.size() > 1;
      if (steady && wide && changes && seen.insert(values).second) readings.push_back(reading);
    }
  }
  return readings;
}

Result<KeyReading> chosen_reading(std::span<const ShownPosition> answers, std::string_view label) {
  std::vector<KeyReading> readings = readings_of(answers);
  if (readings.empty()) {
    return Error{
        ErrorCode::kUnavailable, "engine", 0,
        "prints nothing that can be a key; a key differs between positions, but is the same "
        "each time a position is printed"};
  }
  const auto refuse = [](std::string message) {
    return Error{ErrorCode::kInvalidInput, "--label", 0, std::move(message)};
  };
  if (!label.empty()) {
    const std::string wanted = to_lower(label);
    const std::string all = listed(readings);
    std::erase_if(readings, [&](const KeyReading& reading) {
      return reading.label.find(wanted) == std::string::npos;
    });
    if (readings.empty())
      return refuse("prints no key with the label " + quote(label) + "; the labels are " + all);
  } else if (called_key(readings.front().label)) {
    std::erase_if(readings, [](const KeyReading& reading) { return !called_key(reading.label); });
  }
  if (readings.size() > 1)
    return refuse("prints several numbers that may be the key, with the labels " +
                  listed(readings) + "; choose one with --label");
  return readings.front();
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
    const auto value = value_of(numbers[i], reading);
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

namespace {

using Clock = ChildProcess::Clock;
using Read = ChildProcess::Read;

/// Commands that show a position, the most common first.
constexpr std::array kUsualAsks{"d", "display", "print", "show", "board", "key", "hash", "zobrist"};
/// Number of questions that are sent before an answer is read.
constexpr std::size_t kAtOnce = 64;

/// Positions that show which number is the key. The first four positions have the same pawns on the
/// same squares, and equally many pieces of each kind. So a number that depends only on pawns or
/// only on the number of pieces does not change between them.
constexpr std::array kSamples{
    "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 1",
    "r2qk1nr/pppp1ppp/b1n5/2b1p3/2B1P3/1QN4N/PPPP1PPP/R1B1K2R w KQkq - 0 1",
    "1rbqk1nr/ppppbppp/5n2/4p3/4P3/N4N2/PPPPBPPP/1RBQK2R w Kk - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p2q/4P3/Q7/PPPP1PPP/RNB1KBNR w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/8/3b4/8/8/2N5/8/4K3 w - - 0 1",
    "2r3k1/5ppp/8/8/3Q4/8/5PPP/6K1 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"};

}  // namespace

KeyProgram::KeyProgram(KeyProgramSpec spec, const std::stop_token& stop,
                       const EnginePatience& patience)
    : spec_(std::move(spec)),
      stop_(stop),
      patience_(patience),
      runs_(has_place(spec_.command, kFenPlace)),
      name_(spec_.command) {}

Result<std::unique_ptr<KeyProgram>> KeyProgram::open(const KeyProgramSpec& spec,
                                                     const std::stop_token& stop,
                                                     std::string& errors,
                                                     const EnginePatience& patience) {
  std::unique_ptr<KeyProgram> program(new KeyProgram(spec, stop, patience));
  std::optional<Error> error = program->runs_ ? std::nullopt : program->greet();
  if (!error) error = program->find_key();
  if (error) {
    errors = program->errors();
    return *std::move(error);
  }
  return program;
}

bool KeyProgram::plays_moves() const { return !runs_ || has_place(spec_.command, kMovesPlace); }

std::string KeyProgram::errors() const {
  return past_errors_ + (process_ ? process_->errors() : "");
}

Clock::time_point KeyProgram::after(EnginePatience::Seconds seconds) const {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
}

Error KeyProgram::complaint(const std::string& what) const {
  std::string message = quote(spec_.command) + ' ' + what;
  if (!question_.empty()) message += "; asked: " + question_;
  return {ErrorCode::kUnavailable, "engine", 0, message};
}

Error KeyProgram::failed(Read how) const {
  switch (how) {
    case Read::kStopped:
      return {ErrorCode::kCancelled, "", 0, "interrupted"};
    case Read::kTimeout:
      return complaint(fmt::format("gave no answer in {:g} s (--timeout)", spec_.timeout_seconds));
    case Read::kFlood:
      return complaint(fmt::format(
          "prints without end: more than {} MiB or too many lines in answer to one question",
          ChildProcess::kMaxOutput >> 20));
    default:
      return complaint(describe_end(process_->wait(after(EnginePatience::Seconds(3)))));
  }
}

std::optional<Error> KeyProgram::start(const std::string& command) {
  if (process_ && !runs_) past_errors_ = process_->errors();
  process_.reset();
  auto process = ChildProcess::start(command, {}, stop_);
  if (!process) return process.error();
  process_ = std::move(process).value();
  return std::nullopt;
}

std::optional<Error> KeyProgram::greet() {
  if (auto error = start(spec_.command)) return error;
  question_ = "uci, isready";
  const EnginePatience::Seconds whole(spec_.timeout_seconds);
  process_->send(kGreeting, after(whole));
  Clock::time_point until = after(std::min(patience_.handshake, whole));
  Greeting greeting;
  std::string line;
  while (!greeting.says_ready) {
    const Read read = process_->next_line(line, until);
    if (read == Read::kTimeout) break;
    if (read != Read::kLine) return failed(read);
    heard_ = true;
    if (greeting.take(line)) until = after(whole);
  }
  says_ready_ = greeting.says_ready;
  if (!greeting.name.empty()) name_ = greeting.name;
  question_.clear();
  return std::nullopt;
}

std::string KeyProgram::text_of(const KeyQuestion& question) const {
  const std::string text = asked_in_words(ask_, question.fen, question.moves, 1);
  return text + (says_ready_ ? "\nisready\n" : "\n");
}

Result<KeyProgram::Lines> KeyProgram::read_answer(bool asked_ready,
                                                  EnginePatience::Seconds silence) {
  const Clock::time_point last = after(EnginePatience::Seconds(spec_.timeout_seconds));
  Lines lines;
  std::string line;
  std::size_t mentions = 0;
  while (asked_ready || !found_ || mentions < mentions_) {
    // Until the place of the key is known, an answer ends with "readyok" or with a silence.
    const bool by_silence = !asked_ready && !found_;
    const Clock::time_point until = by_silence ? std::min(last, after(silence)) : last;
    const Read read = process_->next_line(line, until);
    if (read == Read::kTimeout && by_silence) break;
    if (read != Read::kLine) return failed(read);
    heard_ = true;
    silence = patience_.quiet;
    if (line == "readyok") {
      if (asked_ready) break;
      if (!found_) {  // the line may be a late answer to the greeting
        says_ready_ = asked_ready = true;
        process_->send("isready\n", last);
      }
      continue;
    }
    if (found_) {
      for (const PrintedKeyNumber& number : key_numbers_of(line))
        mentions += number.label == reading_.label ? 1U : 0U;
    }
    lines.push_back(line);
  }
  return lines;
}

Result<KeyProgram::Lines> KeyProgram::run_once(const KeyQuestion& question) {
  question_ =
      with_word(with_word(spec_.command, kFenPlace, question.fen), kMovesPlace, question.moves);
  if (auto error = start(question_)) return *std::move(error);
  process_->close_input();
  const Clock::time_point until = after(EnginePatience::Seconds(spec_.timeout_seconds));
  Lines lines;
  std::string line;
  Read read = Read::kLine;
  while ((read = process_->next_line(line, until)) == Read::kLine) lines.push_back(line);
  if (read != Read::kEnd) return failed(read);
  if (const int code = process_->wait(until); code != 0) return complaint(describe_end(code));
  return lines;
}

Result<std::vector<KeyProgram::Lines>> KeyProgram::ask_all(std::span<const KeyQuestion> questions,
                                                           std::size_t at_once) {
  std::vector<Lines> answers;
  for (std::size_t from = 0; from < questions.size(); from += at_once) {
    const auto some = questions.subspan(from, std::min(at_once, questions.size() - from));
    if (runs_) {
      Result<Lines> lines = run_once(some.front());
      if (!lines) return lines.error();
      answers.push_back(std::move(lines).value());
      continue;
    }
    const bool asks_ready = says_ready_;
    std::string text;
    for (const KeyQuestion& question : some) text += text_of(question);
    question_ = fmt::format("position fen {}, {}", to_string(some.front()), ask_);
    process_->allow_output();
    const bool sent = process_->send(text, after(EnginePatience::Seconds(spec_.timeout_seconds)));
    if (!sent && stop_.stop_requested()) return failed(Read::kStopped);
    for (const KeyQuestion& question : some) {
      question_ = fmt::format("position fen {}, {}", to_string(question), ask_);
      process_->allow_output();
      Result<Lines> lines = read_answer(asks_ready, patience_.quiet);
      if (!lines) return lines.error();
      answers.push_back(std::move(lines).value());
    }
  }
  question_.clear();
  return answers;
}

Result<std::vector<ShownPosition>> KeyProgram::show_samples(std::size_t at_once) {
  // Ask for the first and the fifth sample twice. If a number differs between the two answers for a
  // position, this number is not the key.
  std::vector<KeyQuestion> questions;
  for (const char* fen : kSamples) questions.push_back({fen, {}});
  questions.push_back(questions.front());
  questions.push_back(questions[4]);
  auto asked = ask_all(questions, at_once);
  if (!asked) return asked.error();
  std::vector<Lines> answers = std::move(asked).value();
  std::vector<ShownPosition> shown;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto first = std::ranges::find(questions, questions[i]);
    shown.push_back({static_cast<int>(first - questions.begin()), std::move(answers[i])});
  }
  return shown;
}

std::optional<Error> KeyProgram::find_key() {
  const bool said_ready = says_ready_;
  std::optional<Error> first_error;
  std::vector<std::string> asks{runs_ ? "" : spec_.ask};
  if (spec_.ask.empty() && !runs_) asks.assign(kUsualAsks.begin(), kUsualAsks.end());
  for (const std::string& ask : asks) {
    ask_ = ask;
    // If only silence ends an answer, each question takes long. So first ask a single question, to
    // find out whether the command prints a number at all.
    if (!says_ready_ && !runs_) {
      const bool may_be_starting = !heard_ && ask != asks.front();
      const std::vector<KeyQuestion> first{{kSamples[0], {}}};
      const auto answer = ask_all(first, 1);
      if (!answer) return answer.error();
      // If the program was slow to start, its output still contains the answers to earlier
      // questions. In that case, begin the search again.
      if (says_ready_ || (may_be_starting && heard_)) return find_key();
      const bool shows = std::ranges::any_of(
          answer->front(), [](const std::string& line) { return !key_numbers_of(line).empty(); });
      if (!shows) continue;
    }
    const auto shown = show_samples(1);
    if (!shown) return shown.error();
    if (says_ready_ != said_ready) return find_key();
    const Result<KeyReading> reading = chosen_reading(*shown, spec_.label);
    if (reading) {
      reading_ = *reading;
      mentions_ = 0;
      for (const std::string& line : shown->front().lines) {
        for (const PrintedKeyNumber& number : key_numbers_of(line))
          mentions_ += number.label == reading_.label ? 1U : 0U;
      }
      found_ = true;
      if (runs_) return std::nullopt;
      // Some programs cannot receive a question before they have answered the previous one. So find
      // out whether sending questions ahead changes the answers.
      const auto again = show_samples(kAtOnce);
      if (!again) return again.error();
      const bool same = std::ranges::equal(*shown, *again, [&](const auto& a, const auto& b) {
        return reading_.read(a.lines) == reading_.read(b.lines);
      });
      at_once_ = same ? kAtOnce : 1;
      return std::nullopt;
    }
    const bool must_choose = reading.error().code == ErrorCode::kInvalidInput;
    if (!first_error || must_choose) first_error = complaint(reading.error().message);
    if (must_choose) return first_error;
  }
  if (!heard_ && !runs_) {  // the program may still be starting
    const auto late = read_answer(false, EnginePatience::Seconds(spec_.timeout_seconds));
    if (!late) return late.error();
    if (heard_) return find_key();
  }
  if (!first_error) first_error = complaint("prints no number for a position");
  if (spec_.ask.empty() && !runs_)
    first_error->message +=
        "; tried d, display, print, show, board, key, hash and zobrist; name the command that "
        "shows the key with --ask";
  return first_error;
}

Result<KeySource::Keys> KeyProgram::keys(std::span<const KeyQuestion> questions) {
  auto answers = ask_all(questions, at_once_);
  if (!answers) return answers.error();
  Keys keys;
  keys.reserve(questions.size());
  for (const Lines& lines : *std::move(answers)) keys.push_back(reading_.read(lines));
  return keys;
}

}  // namespace manyply
