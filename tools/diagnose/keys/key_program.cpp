#include "tools/diagnose/keys/key_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/text.h"
#include "tools/engine/engine_protocol.h"

namespace manyply {
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
  // Asks for the first and the fifth sample twice. If a number differs between the two answers for
  // a position, this number is not the key.
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
  std::vector<std::string> asks;
  if (runs_) {
    asks = {""};
  } else if (!spec_.ask.empty()) {
    asks = {spec_.ask};
  } else {
    asks.assign(kUsualAsks.begin(), kUsualAsks.end());
  }
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
