#include "tools/bisect/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/movegen.h"
#include "core/quote.h"
#include "tools/bisect/greeting.h"

namespace manyply {
namespace {

using Clock = ChildProcess::Clock;
using Read = ChildProcess::Read;
using Seconds = std::chrono::duration<double>;

/// For a program that has closed its output to end.
constexpr Seconds kLastMoment{3};
/// The part of the time for an answer that each way of asking gets while they are tried out.
constexpr double kShare = 0.25;
/// A shell's exit code for a command that does not exist.
constexpr int kNotFound = 127;
/// An answer counts as complete after a silence of so many times its longest pause before.
constexpr int kPauses = 4;

Clock::time_point after(Seconds seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
}

}  // namespace

std::string_view to_string(Dialect dialect) {
  switch (dialect) {
    case Dialect::kStockfish:
      return "stockfish";
    case Dialect::kLines:
      return "lines";
    case Dialect::kJudDperft:
      return "juddperft";
    case Dialect::kAuto:
      break;
  }
  return "auto";
}

Engine::Engine(EngineSpec spec, const std::stop_token& stop, const EnginePatience& patience)
    : patience_(patience), spec_(std::move(spec)), stop_(stop), name_(spec_.command) {}

Result<std::unique_ptr<Engine>> Engine::open(const EngineSpec& spec, const std::stop_token& stop,
                                             std::string& errors, const EnginePatience& patience) {
  std::unique_ptr<Engine> engine(new Engine(spec, stop, patience));
  if (auto error = engine->detect()) {
    errors = engine->errors();
    return *std::move(error);
  }
  return engine;
}

Clock::time_point Engine::deadline() const {
  const Clock::time_point whole = after(Seconds(spec_.timeout_seconds));
  return limit_ ? std::min(*limit_, whole) : whole;
}

Error Engine::complaint(const std::string& what) const {
  std::string message = quote(spec_.command) + ' ' + what;
  if (!question_.empty()) message += "; asked: " + question_;
  return {ErrorCode::kUnavailable, "engine", 0, message};
}

Error Engine::failed(Read how) {
  switch (how) {
    case Read::kStopped:
      return {ErrorCode::kCancelled, "", 0, "interrupted"};
    case Read::kTimeout:
      return complaint(fmt::format("gave no {}answer in {:g} s (--timeout)",
                                   last_line_.empty() ? "" : "complete ", spec_.timeout_seconds));
    case Read::kFlood:
      return complaint(fmt::format("prints without end: more than {} MiB in answer to one question",
                                   ChildProcess::kMaxOutput >> 20));
    default:
      return complaint(describe_end(process_->wait(after(kLastMoment))));
  }
}

std::string Engine::errors() const {
  const std::string now = process_ ? process_->errors() : "";
  std::string all = past_errors_ + now;
  if (all.size() > ChildProcess::kMaxErrors) {
    all.erase(0, all.size() - ChildProcess::kMaxErrors);
    all.erase(0, all.find('\n') + 1);
  }
  return all;
}

Read Engine::next_line(std::string& line, Clock::time_point until) {
  const Read read = process_->next_line(line, until);
  heard_ |= read == Read::kLine;
  ended_ |= read == Read::kEnd;
  return read;
}

std::optional<Error> Engine::start(const std::vector<std::string>& arguments) {
  if (process_) past_errors_ = errors();
  process_.reset();
  heard_ = ended_ = false;
  Result<std::unique_ptr<ChildProcess>> process =
      ChildProcess::start(spec_.command, arguments, stop_);
  if (!process) return process.error();
  process_ = std::move(process).value();
  return std::nullopt;
}

// ---------------------------------------------------------------- finding out

std::optional<Error> Engine::detect() {
  dialect_ = spec_.dialect;
  if (dialect_ == Dialect::kJudDperft) {
    divides_ = plays_moves_ = false;
    return std::nullopt;
  }
  if (dialect_ == Dialect::kLines) {
    const Result<EngineAnswer> answer = ask(Line(), Depth(1));
    if (!answer) return answer.error();
    return learn_habits(*answer);
  }
  const Seconds share(kShare * spec_.timeout_seconds);
  const Clock::time_point whole = deadline();
  limit_ = whole;
  std::optional<Error> error = detect_uci();
  if (!error || dialect_ == Dialect::kStockfish || error->code == ErrorCode::kCancelled) {
    limit_.reset();
    return error;
  }
  // Not UCI, it seems. If it is neither of the others, the first complaint is the one of use.
  const bool silent = !heard_ && !ended_;
  if (!silent && process_->wait(Clock::now()) == kNotFound) return error;
  const std::string first_errors = errors();
  const std::string first_question = question_;
  std::unique_ptr<ChildProcess> first = std::move(process_);
  limit_ = std::min(after(share), whole);
  bool found = try_lines();
  limit_ = std::min(after(share), whole);
  found = found || try_juddperft();
  limit_.reset();
  process_ = found ? std::move(process_) : std::move(first);
  past_errors_ = found ? "" : first_errors;
  if (found) return question_.clear(), std::nullopt;
  if (stop_.stop_requested()) return failed(Read::kStopped);
  question_ = first_question;
  if (!silent) return error;
  past_errors_.clear();
  limit_ = whole;
  error = wait_for_slow();
  limit_.reset();
  return error;
}

std::optional<Error> Engine::wait_for_slow() {
  dialect_ = Dialect::kStockfish;
  last_line_.clear();
  const Line start;
  EngineOutputParser parser({start.here(), start.notation()});
  learning_ = true;
  std::optional<Error> error = read_answer(parser);
  learning_ = false;
  return error ? error : learn_habits(parser.answer());
}

std::optional<Error> Engine::detect_uci() {
  if (auto error = start({})) return error;
  question_ = "uci, isready";
  process_->send(kGreeting, deadline());
  // Silence may be a program that knows no UCI, but also one that takes its time to start: what
  // has begun to answer gets the whole time.
  const bool one_dialect = spec_.dialect != Dialect::kAuto;
  const Seconds share((one_dialect ? 1 : kShare) * spec_.timeout_seconds);
  Clock::time_point until = after(std::min(patience_.handshake, share));
  std::string line;
  Greeting greeting;
  while (!greeting.says_ready) {
    const Read read = next_line(line, until);
    if (read == Read::kTimeout) break;
    if (read != Read::kLine) return failed(read);
    if (greeting.take(line)) until = deadline();
    says_uci_ = greeting.says_uci;
    says_ready_ = greeting.says_ready;
  }
  knows_chess960_ = !says_uci_ || greeting.offers_chess960;
  if (!greeting.name.empty()) name_ = greeting.name;
  std::ranges::replace_if(name_, [](char c) { return c < ' ' || c > '~'; }, '?');
  const Dialect asked = std::exchange(dialect_, Dialect::kStockfish);

  learning_ = true;
  hasty_ = !one_dialect;
  const Result<EngineAnswer> answer = ask(Line(), Depth(1));
  learning_ = hasty_ = false;
  std::optional<Error> error;
  if (!answer) {
    error = answer.error();
  } else {
    error = learn_habits(*answer);
  }
  if (error) dialect_ = asked;
  return error;
}

bool Engine::try_lines() {
  dialect_ = Dialect::kLines;
  const Result<EngineAnswer> answer = ask(Line(), Depth(1));
  if (answer && !answer->rows.empty() && !learn_habits(*answer)) return true;
  dialect_ = Dialect::kAuto;
  return false;
}

bool Engine::try_juddperft() {
  dialect_ = Dialect::kJudDperft;
  const Result<int> right = run_check(std::string(kStartFen), Depth(1), 20);
  const Result<int> wrong = run_check(std::string(kStartFen), Depth(1), 21);
  if (right && wrong && *right == 0 && *wrong != 0 && *wrong != 127) {
    divides_ = plays_moves_ = false;
    return true;
  }
  dialect_ = Dialect::kAuto;
  return false;
}

/// What the divide of the start position at depth 1, and that after one move, tell of an engine.
std::optional<Error> Engine::learn_habits(const EngineAnswer& start_divide) {
  divides_ = !start_divide.rows.empty() || !start_divide.unread.empty();
  prints_total_ = start_divide.total_is_certain;
  if (start_divide.rows.empty() && !start_divide.total) {
    return complaint("printed nothing that looks like moves with counts" +
                     (divides_ ? "; not understood: " + to_string(start_divide.unread.front())
                      : last_line_.empty() ? std::string(", nothing at all")
                                           : "; its last line: " + quote(last_line_)));
  }
  limit_.reset();  // it has answered, so whatever it is asked next is a question of its own
  const Line start;
  const Line moved = start.after(*parse_uci(start.here(), "e2e4", CastlingNotation::kStandard));
  Result<EngineAnswer> answer = ask(moved, Depth(1));
  // A script that takes no moves says how it is used, or fails.
  const bool takes_no_moves =
      !answer ? answer.error().code == ErrorCode::kUnavailable : divides_ && answer->rows.empty();
  if (dialect_ == Dialect::kLines && takes_no_moves) {
    Result<EngineAnswer> as_fen = ask(moved.as_fen(), Depth(1));
    if (as_fen && !as_fen->rows.empty()) {
      plays_moves_ = false;
      return question_.clear(), std::nullopt;
    }
  }
  if (!answer) return answer.error();
  const auto has = [&](std::string_view move) {
    return std::ranges::count(answer->rows, move, &EngineRow::move) != 0;
  };
  // Still White's moves: `moves` is not read. What else may be wrong is the search's to find.
  if (divides_) plays_moves_ = !(has("d2d4") && has("g1f3") && !has("g8f6"));
  question_.clear();
  return std::nullopt;
}

// ---------------------------------------------------------------- asking

Line Engine::told(const Line& line) const { return plays_moves_ ? line : line.as_fen(); }

Result<EngineAnswer> Engine::ask(const Line& line, Depth depth) {
  ++questions_;
  asked_before_ = std::exchange(asked_, line);
  if (line.notation() == CastlingNotation::kChess960 && !knows_chess960_)
    return complaint("does not offer UCI_Chess960, which this position needs");
  return dialect_ == Dialect::kLines ? ask_lines(told(line), depth) : ask_uci(told(line), depth);
}

Result<EngineAnswer> Engine::ask_uci(const Line& line, Depth depth) {
  std::string commands;
  const bool chess960 = line.notation() == CastlingNotation::kChess960;
  if (chess960 != says_chess960_) {
    commands = fmt::format("setoption name UCI_Chess960 value {}\n", chess960);
    says_chess960_ = chess960;
  }
  std::string position = "position fen " + line.start_fen();
  if (!line.moves().empty()) position += fmt::format(" moves {}", fmt::join(line.uci_moves(), " "));
  question_ = fmt::format("{}; go perft {}", position, depth.plies());
  commands += fmt::format("{}\ngo perft {}\n", position, depth.plies());
  if (says_ready_) commands += "isready\n";

  process_->allow_output();
  last_line_.clear();
  EngineOutputParser parser({line.here(), line.notation()});
  process_->send(commands, deadline());  // a program that is gone shows when it is read
  if (auto error = read_answer(parser)) return *std::move(error);
  return parser.answer();
}

std::optional<Error> Engine::read_answer(EngineOutputParser& parser) {
  const Clock::time_point last = deadline();
  const Seconds share(kShare * spec_.timeout_seconds);
  // What is not ready yet is at work, or still starting.
  bool asked_ready = says_ready_;
  const auto patience_from_now = [&] {
    return hasty_ ? std::min(after(std::min(patience_.learning, share)), last) : last;
  };
  Clock::time_point patience = asked_ready ? last : patience_from_now();
  bool ready = false;
  bool heard = false;    // anything of a divide
  bool printed = false;  // anything that is meant for somebody
  Clock::time_point last_line_at = Clock::now();
  Clock::duration longest_pause{};
  std::string line;
  while (true) {
    if (ready && (parser.has_total() || (!prints_total_ && ready_waits_ && !learning_)))
      return std::nullopt;
    if (!asked_ready && parser.is_complete()) return std::nullopt;
    // What comes last is not known: silence has to tell.
    const bool at_work = asked_ready && !ready;
    const bool silence_tells =
        heard && !at_work && (parser.has_total() || !prints_total_ || learning_);
    const Seconds silence = std::max(patience_.quiet, Seconds(kPauses * longest_pause));
    const Clock::time_point until = silence_tells ? std::min(after(silence), last)
                                    : heard       ? last
                                                  : patience;
    const Read read = next_line(line, until);
    if (read == Read::kTimeout && silence_tells && Clock::now() < last) return std::nullopt;
    if (read == Read::kTimeout && hasty_ && !heard && !at_work && Clock::now() < last) {
      if (printed || !says_uci_) return std::nullopt;
      // It speaks UCI, is ready and says nothing at all: it may know no perft, or may have been
      // given no core yet.
      patience = last;
      continue;
    }
    if (read == Read::kEnd && parser.has_total())
      return std::nullopt;  // the next question meets its end
    if (read != Read::kLine) return failed(read);
    longest_pause = std::max(longest_pause, Clock::now() - last_line_at);
    last_line_at = Clock::now();
    if (line == "readyok") {
      if (!asked_ready) {  // it is late: the answer to the greeting
        says_ready_ = asked_ready = true;
        process_->send("isready\n", last);
        patience = last;
        continue;
      }
      ready = true;
      if (learning_) ready_waits_ = heard;
      patience = patience_from_now();
      continue;
    }
    if (line.find_first_not_of(" \t") != std::string::npos) {
      last_line_ = line;
      if (!line.starts_with("info ")) {
        printed = true;
        if (!at_work) patience = patience_from_now();
      }
    }
    if (line.starts_with("bestmove ") && !parser.has_rows() && !parser.has_total())
      return complaint("searches for a best move: it does not know 'go perft'");
    if (parser.feed(line)) heard = true;
  }
}

Result<EngineAnswer> Engine::ask_lines(const Line& line, Depth depth) {
  std::vector<std::string> arguments{std::to_string(depth.plies()), line.start_fen()};
  if (!line.moves().empty())
    arguments.push_back(fmt::format("{}", fmt::join(line.uci_moves(), " ")));
  question_ = fmt::format("{} \"{}\"", spec_.command, fmt::join(arguments, "\" \""));
  if (auto error = start(arguments)) return *std::move(error);
  process_->close_input();
  last_line_.clear();
  EngineOutputParser parser({line.here(), line.notation()});
  const Clock::time_point until = deadline();
  std::string text;
  Read read = Read::kLine;
  while ((read = next_line(text, until)) == Read::kLine) {
    if (text.find_first_not_of(" \t") != std::string::npos) last_line_ = text;
    parser.feed(text);
  }
  if (read != Read::kEnd) return failed(read);
  const int exit_code = process_->wait(until);
  if (exit_code != 0) return complaint(describe_end(exit_code));
  return parser.answer();
}

Result<int> Engine::run_check(const std::string& fen, Depth depth, NodeCount value) {
  ++questions_;
  const std::vector<std::string> arguments{fen, std::to_string(depth.plies()), value.to_string()};
  question_ = fmt::format("{} \"{}\"", spec_.command, fmt::join(arguments, "\" \""));
  if (auto error = start(arguments)) return *std::move(error);
  process_->close_input();
  const Clock::time_point until = deadline();
  std::string text;
  Read read = Read::kLine;
  while ((read = next_line(text, until)) == Read::kLine) {
  }
  if (read != Read::kEnd) return failed(read);
  const int exit_code = process_->wait(until);
  if (exit_code < 0 || exit_code >= 126) return complaint(describe_end(exit_code));
  return exit_code;
}

Result<EngineAnswer> Engine::divide(const Line& line, Depth depth) {
  Result<EngineAnswer> asked = ask(line, depth);
  if (!asked || !asked->unread.empty() || !asked->rows.empty()) return asked;
  EngineAnswer answer = std::move(asked).value();
  // An empty list is one only if nothing else was said: not a usage line, nor a number of moves.
  const bool says_so =
      answer.total ? *answer.total == NodeCount(0) : !prints_total_ && answer.remarks.empty();
  if (!says_so && !legal_moves(line.here()).empty()) {
    answer.unread = answer.remarks;
    if (answer.unread.empty()) {
      answer.unread.push_back({last_line_, last_line_.empty() ? "nothing was printed at all"
                                                              : "no move stands with its count"});
    }
  }
  return answer;
}

std::optional<Error> Engine::contradiction(const EngineAnswer& answer) const {
  const std::optional<NodeCount> sum = answer.sum();
  if (!sum) return complaint("prints counts whose sum exceeds 128 bits");
  if (!answer.contradicts_itself()) return std::nullopt;
  return complaint(fmt::format("prints a total of {}, but its {} moves add up to {}",
                               answer.total->to_string(), answer.rows.size(), sum->to_string()));
}

Result<Engine::Verdict> Engine::check(const Line& line, Depth depth, NodeCount ours) {
  if (dialect_ == Dialect::kJudDperft) {
    const Result<int> exit_code = run_check(line.fen_here(), depth, ours);
    if (!exit_code) return exit_code.error();
    return Verdict{.agrees = *exit_code == 0};
  }
  Result<EngineAnswer> answer = divides_ ? divide(line, depth) : ask(line, depth);
  if (!answer) return answer.error();
  if (divides_ && answer->unread.empty()) {
    if (auto error = contradiction(*answer)) return *std::move(error);
  }
  Verdict verdict{answer->may_count(ours),
                  answer->total ? answer->total : answer->sum(),
                  answer->unread,
                  answer->passed_over,
                  {}};
  if (!verdict.agrees && verdict.unread.empty()) {
    for (const auto& [nodes, text] : answer->other_totals)
      verdict.unread.push_back({text, "may be the total, as may " + answer->total->to_string()});
  }
  verdict.answer = *std::move(answer);
  return verdict;
}

}  // namespace manyply
