// Asks an engine whose protocol is known. The protocol is found in engine_detection.cpp.
#include "tools/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/position.h"

namespace manyply {
namespace {

using Read = ChildProcess::Read;
using Seconds = EnginePatience::Seconds;

/// If a program has closed its output but keeps running, it is killed after this time.
constexpr Seconds kLastMoment{3};
/// A silence ends an answer only if it is at least kPauses times as long as the longest pause
/// within the answer.
constexpr int kPauses = 4;

/// Maximum size of Pending::other_lines. These lines show whether the last line of an answer occurs
/// only once in the answer.
constexpr std::size_t kOtherLines = 64;

/// Returns `text` with every `place` replaced by `value`.
std::string with_value(std::string text, std::string_view place, const std::string& value) {
  for (std::size_t at = text.find(place); at != std::string::npos;
       at = text.find(place, at + value.size()))
    text.replace(at, place.size(), value);
  return text;
}

std::string in_one_line(const std::string& text) { return with_value(text, "\n", "; "); }

/// Returns the line without its numbers. Numbers differ from answer to answer.
std::string without_numbers(std::string_view line) {
  std::string text;
  for (const char c : line) {
    if ((c < '0' || c > '9') && c != '.') text += c;
  }
  return text;
}

}  // namespace

std::string_view to_string(Dialect dialect) {
  switch (dialect) {
    case Dialect::kStockfish:
      return "stockfish";
    case Dialect::kDivide:
      return "divide";
    case Dialect::kPerft:
      return "perft";
    case Dialect::kXboard:
      return "xboard";
    case Dialect::kLines:
      return "lines";
    case Dialect::kJudDperft:
      return "juddperft";
    case Dialect::kAsk:
      return "ask";
    case Dialect::kRun:
      return "run";
    case Dialect::kAuto:
      break;
  }
  return "auto";
}

std::string with_word(std::string command, std::string_view place, const std::string& value) {
  for (std::size_t at = command.find(place); at != std::string::npos;) {
    const bool quoted = at > 0 && (command[at - 1] == '"' || command[at - 1] == '\'');
    std::string word = quoted ? value : '"' + value + '"';
    command.replace(at, place.size(), word);
    at = command.find(place, at + word.size());
  }
  return command;
}

std::string asked_in_words(const std::string& ask, const std::string& fen, const std::string& moves,
                           int depth) {
  std::string text = with_value(ask, "\\n", "\n");
  if (!has_place(text, kFenPlace)) {
    std::string position = "position fen " + fen;
    if (!moves.empty()) position += " moves " + moves;
    position += '\n';
    position += text;
    text = std::move(position);
  }
  text = with_value(std::move(text), kFenPlace, fen);
  text = with_value(std::move(text), kMovesPlace, moves);
  return with_value(std::move(text), kDepthPlace, std::to_string(depth));
}

bool is_complaint(std::string_view line) {
  constexpr std::array<std::string_view, 11> kWords{
      "unknown",     "unrecogni", "invalid",   "illegal", "error",      "usage:",
      "unsupported", "not found", "not known", "no such", "bad command"};
  const std::string small = to_lower(line);
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

bool is_board_rank(std::string_view line) {
  constexpr std::string_view kPieces = "PNBRQKpnbrqk";
  constexpr std::string_view kNothing = ".-_*+#:";
  constexpr std::size_t kSquares = 8;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  std::size_t squares = 0;
  std::size_t bars = 0;
  std::string numbers;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    // In UTF-8, each character for a frame line or a piece has three bytes.
    const std::string_view glyph = line.substr(i, 2);
    if (glyph == "\xe2\x94" || glyph == "\xe2\x99") {
      ++(glyph == "\xe2\x94" ? bars : squares);
      i += 2;
    } else if (c == '|') {
      ++bars;
    } else if (kPieces.find(c) != std::string_view::npos) {
      ++squares;
    } else if (kNothing.find(c) != std::string_view::npos) {
      // "*R" is one square.
      const bool marks = i + 1 < line.size() && kPieces.find(line[i + 1]) != std::string_view::npos;
      squares += marks ? 0 : 1;
    } else if (c >= '1' && c <= '8') {
      numbers += c;
    } else if (!is_blank(c)) {
      return false;
    }
  }
  const bool one_rank = numbers.size() < 2 || (numbers.size() == 2 && numbers[0] == numbers[1]);
  if (!one_rank) return false;
  return bars >= kSquares ? squares <= kSquares : squares == kSquares && bars <= 2;
}

Engine::Engine(EngineSpec spec, const std::stop_token& stop, const EnginePatience& patience)
    : patience_(patience), spec_(std::move(spec)), stop_(stop) {
  talk_.name = spec_.command;
}

Engine::Clock::time_point Engine::after(Seconds seconds) const {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
}

Engine::Clock::time_point Engine::deadline() const {
  const Clock::time_point whole = after(Seconds(spec_.timeout_seconds));
  return limit_ ? std::min(*limit_, whole) : whole;
}

Error Engine::complaint(const std::string& what) const {
  std::string message = quote(spec_.command) + ' ' + what;
  if (!talk_.question.empty()) message += "; asked: " + in_one_line(talk_.question);
  return {ErrorCode::kUnavailable, "engine", 0, message};
}

Error Engine::failed(Read how) {
  switch (how) {
    case Read::kStopped:
      return {ErrorCode::kCancelled, "", 0, "interrupted"};
    case Read::kTimeout:
      if (talk_.pending && !talk_.pending->heard && talk_.pending->printed) {
        return complaint(
            fmt::format("printed neither moves with counts nor a total that could be understood "
                        "within {:g} s (--timeout); its last line: {}",
                        spec_.timeout_seconds, quote(talk_.printed.back())));
      }
      return complaint(fmt::format("gave no {}answer in {:g} s (--timeout)",
                                   talk_.printed.empty() ? "" : "complete ",
                                   spec_.timeout_seconds));
    case Read::kFlood:
      return complaint(fmt::format(
          "prints without end: more than {} MiB or too many lines in answer to one question",
          ChildProcess::kMaxOutput >> 20));
    default:
      return complaint(describe_end(talk_.process->wait(after(kLastMoment))));
  }
}

Error Engine::searches() const {
  std::string command = talk_.ask.substr(0, talk_.ask.find(" " + std::string(kDepthPlace)));
  command.erase(0, command.rfind('\n') + 1);
  return complaint(fmt::format("searches for a best move: it does not know '{}'", command));
}

EngineWords Engine::words() const {
  EngineWords words{{talk_.printed.begin(), talk_.printed.end()}, talk_.past_errors};
  if (talk_.process) words.errors += talk_.process->errors();
  if (words.errors.size() > ChildProcess::kMaxErrors) {
    words.errors.erase(0, words.errors.size() - ChildProcess::kMaxErrors);
    words.errors.erase(0, words.errors.find('\n') + 1);
  }
  return words;
}

bool Engine::is_ready_mark(std::string_view line) const {
  if (line == "readyok") return true;
  const bool names_it = line.find("isready") != std::string_view::npos;
  return names_it && !talk_.says_uci && (line == "isready" || is_complaint(line));
}

bool Engine::is_echo(std::string_view line) const {
  for (std::string_view rest = talk_.question; !line.empty() && !rest.empty();) {
    if (cut_line(rest) == line) return true;
  }
  return false;
}

Read Engine::next_line(std::string& line, Clock::time_point until) {
  const bool answers = talk_.pending && talk_.pending->heard;
  const Read read = talk_.process->next_line(
      line, until, answers ? std::string_view(talk_.ending.prompt) : std::string_view());
  talk_.heard |= read == Read::kLine;
  talk_.ended |= read == Read::kEnd;
  if (read == Read::kLine && line.find_first_not_of(" \t") != std::string::npos &&
      !is_ready_mark(line)) {
    if (talk_.printed.size() == EngineWords::kMostLines) talk_.printed.pop_front();
    talk_.printed.push_back(line);
  }
  return read;
}

std::optional<Error> Engine::start(const std::string& command,
                                   const std::vector<std::string>& arguments) {
  if (talk_.process) talk_.past_errors = words().errors;
  talk_.process.reset();
  talk_.heard = talk_.ended = false;
  Result<std::unique_ptr<ChildProcess>> process = ChildProcess::start(command, arguments, stop_);
  if (!process) return process.error();
  talk_.process = std::move(process).value();
  return std::nullopt;
}

Line Engine::told(const Line& line) const { return talk_.plays_moves ? line : line.as_fen(); }

Result<EngineAnswer> Engine::ask(const Line& line, Depth depth) {
  ++questions_;
  asked_before_ = std::exchange(asked_, line);
  if (line.notation() == CastlingNotation::kChess960 && !talk_.knows_chess960)
    return complaint("does not offer UCI_Chess960, which this position needs");
  talk_.printed.clear();
  const bool runs = talk_.dialect == Dialect::kLines || talk_.dialect == Dialect::kRun;
  return runs ? ask_by_running(told(line), depth) : ask_in_words(told(line), depth);
}

Result<EngineAnswer> Engine::ask_in_words(const Line& line, Depth depth) {
  const std::string question =
      asked_in_words(talk_.ask, line.start_fen(),
                     fmt::format("{}", fmt::join(line.uci_moves(), " ")), depth.plies());
  talk_.question = question;
  std::string commands;
  // UCI_Chess960 is off when a program starts. So send `setoption` only when the value must change.
  // Programs that do not speak UCI get this command, too.
  const bool chess960 = line.notation() == CastlingNotation::kChess960;
  if (chess960 != talk_.says_chess960) {
    commands = fmt::format("setoption name UCI_Chess960 value {}\n", chess960);
    talk_.says_chess960 = chess960;
  }
  commands += question + '\n';
  if (talk_.says_ready) commands += "isready\n";

  talk_.process->drop_output();
  talk_.process->allow_output();
  talk_.pending.emplace(Pending{.parser = EngineOutputParser(line.named(), depth),
                                .depth = depth,
                                .asked_ready = talk_.says_ready,
                                .legal = legal_moves(line.here()).size()});
  talk_.process->send(commands,
                      deadline());  // if the program has ended, reading its output shows this
  if (auto error = read_answer()) return *std::move(error);
  EngineAnswer answer = talk_.pending->parser.answer();
  // A program may answer isready while it counts. So only a total, or a row for each legal move,
  // proves that the answer is complete.
  const bool lists_all = answer.rows.size() >= talk_.pending->legal;
  answer.ended = answer.total_is_certain || (lists_all && !talk_.pending->by_silence);
  return answer;
}

bool Engine::has_end() const {
  const Pending& now = *talk_.pending;
  return now.marked || (now.ready && talk_.ready_waits);
}

bool Engine::may_be_depth_one() const {
  const Pending& now = *talk_.pending;
  const bool one_of_many = talk_.tells_each_depth.value_or(true) && now.parser.tables() == 1;
  if (!one_of_many || now.depth.plies() == 1 || now.legal == 0) return false;
  const EngineAnswer answer = now.parser.answer();
  if (answer.rows.empty()) return answer.total == NodeCount(now.legal);
  return std::ranges::all_of(answer.rows,
                             [](const EngineRow& row) { return row.nodes == NodeCount(1); });
}

bool Engine::is_last_table() const {
  const auto plies = static_cast<std::size_t>(talk_.pending->depth.plies());
  if (plies == 1 || !talk_.tells_each_depth.value_or(true)) return true;
  return talk_.tells_each_depth ? talk_.pending->parser.tables() >= plies : !may_be_depth_one();
}

bool Engine::is_complete() const {
  const Pending& now = *talk_.pending;
  const bool at_work = now.asked_ready && !now.ready;
  if (at_work) return false;
  const bool has_rows = now.parser.rows() >= now.legal;
  if (has_end() && !learning_)
    return (now.parser.has_total() || (!talk_.prints_total && has_rows)) && is_last_table();
  // A program that prints only totals may end its answer with the total.
  const bool ends = has_end() || (!talk_.divides && talk_.ends_with_total && !learning_);
  return (ends ? now.parser.has_total() : now.parser.is_complete()) && is_last_table();
}

std::optional<Seconds> Engine::telling_silence() const {
  const Pending& now = *talk_.pending;
  if (now.asked_ready && !now.ready) return std::nullopt;
  // If there are no legal moves, many engines print nothing.
  const bool empty = now.legal == 0 && !learning_;
  const bool may_end = now.parser.has_total() || !talk_.prints_total || learning_ || has_end();
  if (!empty && !(now.heard && may_end)) return std::nullopt;
  const bool lacks_rows = now.parser.rows() < now.legal;
  // If a list lacks a legal move, more moves may follow. Exception: this engine prints no totals,
  // and has already ended an incomplete list in the same way.
  const bool sure = has_end() && talk_.end_is_sure && !learning_ && !talk_.prints_total;
  const bool may_go_on = has_end() ? !sure && lacks_rows : empty || learning_ || lacks_rows;
  const bool lacks = talk_.divides && !now.parser.has_total() && may_go_on;
  return std::max(lacks || may_be_depth_one() ? patience_.lacking : patience_.quiet,
                  Seconds(kPauses * now.longest_pause));
}

void Engine::learn_from_silence() {
  Pending& now = *talk_.pending;
  now.by_silence = !has_end();
  if (now.depth.plies() > 1) talk_.tells_each_depth = now.parser.tables() > 1;
  if (learning_) talk_.ends_with_total = now.parser.has_total() && !now.behind_total;
  if (has_end() && now.parser.rows() < now.legal) talk_.end_is_sure = true;
  if (!now.heard || !now.by_silence) return;
  Ending ending{now.last_line, talk_.process->unfinished_line()};
  if (std::ranges::count(now.other_lines, ending.line) > 1) ending.line.clear();
  const auto shared = [](const std::string& one, const std::string& other) {
    return one == other ? one : std::string();
  };
  talk_.ending = {shared(ending.line, talk_.last_ending.line),
                  shared(ending.prompt, talk_.last_ending.prompt)};
  talk_.last_ending = std::move(ending);
}

std::optional<Error> Engine::read_answer() {
  Pending& now = *talk_.pending;
  const Clock::time_point last = deadline();
  const bool one_way = ways().size() == 1;
  // An engine that is not ready may be counting or starting, so wait up to the time limit. If the
  // engine has printed nothing and no other way of asking exists, wait up to the time limit, too.
  const auto patience_from_now = [&] {
    const bool at_work = now.asked_ready && !now.ready;
    if (trying_ && now.searches)
      return std::min(after(std::min(patience_.handshake, *trying_)), last);
    if (!trying_ || at_work || (one_way && !now.printed)) return last;
    // If a program has answered `isready` and printed nothing else, probably no answer will come.
    // So wait for a shorter time. But a program may print readyok before it begins to count. So the
    // first way of asking waits for the whole time `learning`, unless the answer to `isready` is
    // only an echo or an error message.
    const bool done =
        now.ready && !now.printed && (*trying_ < patience_.learning || answers_isready_);
    const Seconds silence = now.complains ? patience_.quiet
                            : done        ? std::min(*trying_, patience_.handshake / 3)
                                          : *trying_;
    return std::min(after(silence), last);
  };
  Clock::time_point patience = patience_from_now();
  std::string line;
  while (!is_complete()) {
    // If it is unknown how an answer ends, silence ends the answer.
    const std::optional<Seconds> silence = telling_silence();
    const Clock::time_point until = silence     ? std::min(after(*silence), last)
                                    : now.heard ? last
                                                : patience;
    const Read read = next_line(line, until);
    const bool in_time = read == Read::kTimeout && Clock::now() < last;
    if (in_time && silence) return learn_from_silence(), std::nullopt;
    if (in_time && !now.heard) return now.searches ? std::optional(searches()) : std::nullopt;
    if (read == Read::kPrompt) {
      now.marked = true;
      continue;
    }
    const bool told = now.parser.has_rows() ? now.parser.is_complete() : now.parser.has_total();
    if (read == Read::kEnd && told && !may_be_depth_one())
      return std::nullopt;  // the next question will show that the program has ended
    if (read != Read::kLine) return failed(read);
    // Ignore the time before the first line, because it may include the program's start.
    if (now.heard) now.longest_pause = std::max(now.longest_pause, Clock::now() - now.last_line_at);
    now.last_line_at = Clock::now();
    const bool searched = now.searches;
    if (auto error = take_line(line)) return error;
    // A search may print lines without end, so its lines do not prolong the wait.
    const bool goes_on = searched || (line.starts_with("info ") && !now.searches);
    if (!goes_on) patience = patience_from_now();
  }
  if (now.depth.plies() > 1) talk_.tells_each_depth = now.parser.tables() > 1;
  return std::nullopt;
}

std::optional<Error> Engine::take_line(const std::string& line) {
  Pending& now = *talk_.pending;
  if (is_ready_mark(line)) {
    answers_isready_ |= line != "readyok";
    return take_ready(), std::nullopt;
  }
  if (line.find_first_not_of(" \t") == std::string::npos) return std::nullopt;
  if (is_echo(line)) return now.echoes = true, std::nullopt;
  const bool is_info = line.starts_with("info ");
  now.printed |= !is_info;
  now.behind_total = now.parser.has_total();
  const bool empty = !now.parser.has_rows() && !now.parser.has_total();
  if (line.starts_with("bestmove ") && empty) return searches();
  now.searches |= is_info && line.find(" pv ") != std::string::npos;
  if (is_board_rank(line)) return ++now.ranks, std::nullopt;
  const std::size_t rows = now.parser.rows();
  const bool says = now.parser.feed(line);
  // Rows came after readyok. So readyok does not mark the end of this engine's answers.
  if (now.ready && now.parser.rows() > rows) talk_.ready_waits = false;
  now.last_line = says ? "" : without_numbers(line);
  if (!says && now.other_lines.size() < kOtherLines) now.other_lines.push_back(now.last_line);
  now.marked = !says && now.heard &&
               (now.marked || (!now.last_line.empty() && now.last_line == talk_.ending.line));
  if (says || now.parser.has_total()) {
    now.heard = true;
  } else {
    now.complains |= is_complaint(line);
  }
  return std::nullopt;
}

void Engine::take_ready() {
  Pending& now = *talk_.pending;
  if (now.asked_ready) {
    now.ready = true;
    if (learning_) talk_.ready_waits = now.heard;
    return;
  }
  if (!talk_.was_greeted) return;
  // This readyok is the late answer to the greeting.
  talk_.says_ready = now.asked_ready = true;
  talk_.process->send("isready\n", deadline());
}

Result<int> Engine::run(const std::string& command, const std::vector<std::string>& arguments,
                        EngineOutputParser* parser) {
  talk_.question = command;
  if (!arguments.empty())
    talk_.question = fmt::format("{} \"{}\"", command, fmt::join(arguments, "\" \""));
  if (auto error = start(command, arguments)) return *std::move(error);
  talk_.process->close_input();
  const Clock::time_point until = deadline();
  std::string text;
  Read read = Read::kLine;
  while ((read = next_line(text, until)) == Read::kLine) {
    if (parser != nullptr && !is_board_rank(text)) parser->feed(text);
  }
  if (read != Read::kEnd) return failed(read);
  return talk_.process->wait(until);
}

Result<EngineAnswer> Engine::ask_by_running(const Line& line, Depth depth) {
  EngineOutputParser parser(line.named(), depth);
  const std::string plies = std::to_string(depth.plies());
  const std::string moves = fmt::format("{}", fmt::join(line.uci_moves(), " "));
  std::string command = spec_.command;
  std::vector<std::string> arguments;
  if (talk_.dialect == Dialect::kRun) {
    command = with_word(with_word(command, kFenPlace, line.start_fen()), kMovesPlace, moves);
    command = with_value(std::move(command), kDepthPlace, plies);
  } else {
    arguments = {plies, line.start_fen()};
    if (!moves.empty()) arguments.push_back(moves);
  }
  const Result<int> exit_code = run(command, arguments, &parser);
  if (!exit_code) return exit_code.error();
  if (*exit_code != 0) return complaint(describe_end(*exit_code));
  EngineAnswer answer = parser.answer();
  // The exit code does not show whether an answer was cut off: in a shell pipeline, it is the exit
  // code of the last program.
  answer.ended = answer.total_is_certain;
  return answer;
}

Result<int> Engine::run_check(const std::string& fen, Depth depth, NodeCount value) {
  ++questions_;
  talk_.printed.clear();
  Result<int> exit_code =
      run(spec_.command, {fen, std::to_string(depth.plies()), value.to_string()}, nullptr);
  if (exit_code && (*exit_code < 0 || *exit_code >= 126))
    return complaint(describe_end(*exit_code));
  return exit_code;
}

Result<EngineAnswer> Engine::divide(const Line& line, Depth depth) {
  Result<EngineAnswer> asked = ask(line, depth);
  if (!asked || !asked->unread.empty() || !asked->rows.empty()) return asked;
  EngineAnswer answer = std::move(asked).value();
  // If there are legal moves, an answer without moves is accepted in two cases. First: its total is
  // 0. Second: it has no total, the engine never prints totals, and the answer has no other text,
  // such as a usage line.
  const bool says_so =
      answer.total ? *answer.total == NodeCount(0) : !talk_.prints_total && answer.remarks.empty();
  if (!says_so && !legal_moves(line.here()).empty()) {
    answer.unread = answer.remarks;
    if (answer.unread.empty()) {
      const bool silent = talk_.printed.empty();
      answer.unread.push_back(
          {silent ? "" : talk_.printed.back(),
           silent ? "nothing was printed" : "no line has a move with its count"});
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
  if (talk_.dialect == Dialect::kJudDperft) {
    const Result<int> exit_code = run_check(line.fen_here(), depth, ours);
    if (!exit_code) return exit_code.error();
    return Verdict{.agrees = *exit_code == 0};
  }
  Result<EngineAnswer> answer = divides() ? divide(line, depth) : ask(line, depth);
  if (!answer) return answer.error();
  if (divides() && answer->unread.empty()) {
    if (auto error = contradiction(*answer)) return *std::move(error);
  }
  Verdict verdict{answer->may_count(ours),
                  answer->total ? answer->total : answer->sum(),
                  answer->unread,
                  answer->passed_over,
                  {}};
  if (!verdict.agrees && verdict.unread.empty()) {
    for (const auto& [nodes, text] : answer->other_totals)
      verdict.unread.push_back(
          {text, "may be the total, but " + answer->total->to_string() + " may be the total, too"});
  }
  verdict.answer = *std::move(answer);
  return verdict;
}

}  // namespace manyply
