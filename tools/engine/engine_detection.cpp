// Finds out the protocol of an engine. Tries each known way of asking in a new process, so that no
// attempt affects the next one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/text.h"
#include "tools/engine/engine.h"

namespace manyply {
namespace {

using Read = ChildProcess::Read;
using Seconds = EnginePatience::Seconds;

/// While ways of asking are tried, each way gets this fraction of an answer's time limit.
constexpr double kShare = 0.25;
/// A shell's exit code for a command that does not exist.
constexpr int kNotFound = 127;
constexpr NodeCount kStartMoves{20};
/// If a program ends when it is asked, Engine runs it again without input, to find out whether it
/// also ends unasked. The second run may last kTimes times as long as the first, plus `quiet`.
constexpr double kTimes = 2;

struct KnownWay {
  Dialect dialect;
  const char* ask;
};
/// The known ways of asking. Ways that print a divide come before ways that may print only a total.
constexpr std::array kWays{KnownWay{Dialect::kStockfish, "go perft {depth}"},
                           KnownWay{Dialect::kDivide, "divide {depth}"},
                           KnownWay{Dialect::kPerft, "perft {depth}"},
                           KnownWay{Dialect::kXboard, "setboard {fen}\ndivide {depth}"},
                           KnownWay{Dialect::kXboard, "setboard {fen}\nperft {depth}"}};

/// Returns a line whose right answer differs from the right answer for the start position. For a
/// program that prints only totals, the line has two moves: after a single move, the total would
/// still be 20.
Line elsewhere(bool divides) {
  return *parse_line("startpos", divides ? "e2e4" : "e2e4 e7e5", std::nullopt);
}

/// Returns whether `answer` has the same moves as `start`. If `start` has no moves, compares
/// totals.
bool is_of_start(const EngineAnswer& answer, const EngineAnswer& start) {
  const auto moves_of = [](const EngineAnswer& of) {
    std::vector<std::string> moves;
    for (const EngineRow& row : of.rows) moves.push_back(row.move);
    std::ranges::sort(moves);
    return moves;
  };
  return start.rows.empty() ? answer.total == start.total : moves_of(answer) == moves_of(start);
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(const EngineSpec& spec, const std::stop_token& stop,
                                             EngineWords& said, const EnginePatience& patience) {
  std::unique_ptr<Engine> engine(new Engine(spec, stop, patience));
  if (auto error = engine->detect()) {
    said = engine->words();
    return *std::move(error);
  }
  engine->talk_.question.clear();
  return engine;
}

std::vector<Engine::Way> Engine::ways() const {
  if (!spec_.ask.empty()) return {{Dialect::kAsk, spec_.ask}};
  std::vector<Way> ways;
  for (const KnownWay& way : kWays) {
    if (spec_.dialect == Dialect::kAuto || spec_.dialect == way.dialect)
      ways.push_back({way.dialect, way.ask});
  }
  return ways;
}

std::optional<Error> Engine::detect() {
  talk_.dialect = has_place(spec_.command, kFenPlace) ? Dialect::kRun : spec_.dialect;
  switch (talk_.dialect) {
    case Dialect::kJudDperft:
      talk_.divides = talk_.plays_moves = false;
      return std::nullopt;
    case Dialect::kRun:
      talk_.plays_moves = has_place(spec_.command, kMovesPlace);
      return learn_script();
    case Dialect::kLines:
      return learn_script();
    default:
      break;
  }
  limit_ = deadline();
  std::optional<Error> error = detect_ways();
  limit_.reset();
  return error;
}

std::optional<Error> Engine::learn_script() {
  const Result<EngineAnswer> answer = ask(Line(), Depth(1));
  if (!answer) return answer.error();
  return learn_habits(*answer);
}

std::optional<Error> Engine::detect_ways() {
  const Clock::time_point whole = *limit_;
  const std::vector<Way> all = ways();
  const Clock::time_point begin = Clock::now();
  std::optional<Error> error = try_way(all.front(), true, patience_.learning);
  const bool at_greeting = error && !talk_.pending;
  if (error && talk_.ended) {
    if (at_greeting && talk_.process->wait(Clock::now()) == kNotFound) return error;
    Talk greeted = std::exchange(talk_, {});
    limit_ = whole;
    if (ends_untold(kTimes * (Clock::now() - begin) + patience_.quiet)) {
      if (spec_.dialect == Dialect::kAuto && try_scripts(true, whole)) return std::nullopt;
      talk_ = std::move(greeted);
      return with_advice(*std::move(error), true);
    }
    // Some programs end when they read an unknown command, such as the greeting.
    if (at_greeting && !try_way(all.front(), false, patience_.learning)) return std::nullopt;
    talk_ = std::move(greeted);
  } else if (at_greeting && !stop_.stop_requested()) {
    return error;  // no process was started, or the program prints without end
  }
  // Some programs answer a question in the first way, but ignore its FEN. They may read the FEN of
  // a question in another way.
  const bool is_deaf = !error && !talk_.takes_fens;
  if (!error && !is_deaf) {
    if (spec_.dialect == Dialect::kAuto && talk_.says_ready && !talk_.divides) look_for_divide();
    return std::nullopt;
  }
  if (stop_.stop_requested() || all.size() == 1) return error;
  const bool silent = error && limit_ && !talk_.ended && talk_.pending && !talk_.pending->printed &&
                      !talk_.pending->searches && !answers_isready_;
  // If no other way works, the error of the first way is reported, because it is the most useful.
  Talk first = std::exchange(talk_, {});
  if (try_other_ways(first, whole)) return std::nullopt;
  talk_ = std::move(first);
  if (stop_.stop_requested()) return failed(Read::kStopped);
  limit_ = whole;
  if (silent) error = wait_for_slow();
  return error ? std::optional(with_advice(*std::move(error), false)) : std::nullopt;
}

Error Engine::with_advice(Error error, bool ends_alone) const {
  if (error.code != ErrorCode::kUnavailable || spec_.dialect != Dialect::kAuto) return error;
  error.message += ends_alone
                       ? "; use --run 'CMD {fen} {depth}' for a program that is run once for "
                         "each question"
                       : "; if it understands other questions, use --dialect or --ask";
  return error;
}

bool Engine::ends_untold(Seconds patience) {
  if (start(spec_.command, {})) return false;
  const Clock::time_point until = std::min(after(patience), *limit_);
  std::string line;
  Read read = Read::kLine;
  while (read == Read::kLine) read = next_line(line, until);
  return read == Read::kEnd;
}

bool Engine::try_other_ways(const Talk& first, Clock::time_point whole) {
  const std::vector<Way> all = ways();
  std::optional<Talk> deaf;
  // An engine that answered `uci` but not the question may understand console commands without the
  // greeting. So try each way also without the greeting.
  const bool may_be_console = first.takes_fens && spec_.dialect == Dialect::kAuto;
  for (const bool greets : {true, false}) {
    if (greets != first.says_uci && (greets || !may_be_console)) continue;
    const Seconds patience =
        first.says_uci && !greets ? patience_.handshake / 3 : patience_.handshake;
    for (std::size_t i = 1; i < all.size() && !stop_.stop_requested(); ++i) {
      if (greets && all[i].dialect == Dialect::kXboard) continue;
      limit_ = whole;
      if (try_way(all[i], greets, patience)) continue;
      if (talk_.takes_fens) return true;
      if (!deaf && !first.takes_fens) continue;  // the first way also ignored FENs
      if (!deaf) deaf = std::exchange(talk_, {});
    }
  }
  if (spec_.dialect == Dialect::kAuto && try_scripts(first.heard || first.ended, whole))
    return true;
  if (!deaf) return false;
  talk_ = *std::move(deaf);
  return true;
}

bool Engine::try_scripts(bool spoke, Clock::time_point whole) {
  const Seconds share(kShare * spec_.timeout_seconds);
  for (const auto script : {&Engine::try_lines, &Engine::try_juddperft}) {
    if (stop_.stop_requested()) return false;
    limit_ = std::min(after(spoke ? std::min(share, patience_.learning) : share), whole);
    if ((this->*script)()) return true;
  }
  return false;
}

std::optional<Error> Engine::try_way(const Way& way, bool greets, Seconds patience) {
  talk_ = Talk{};
  talk_.name = spec_.command;
  talk_.dialect = way.dialect;
  talk_.ask = way.ask;
  talk_.plays_moves = !has_place(way.ask, kFenPlace) || has_place(way.ask, kMovesPlace);
  if (auto error = start(spec_.command, {})) return error;
  if (greets) {
    if (auto error = greet()) return error;
  } else if (answers_isready_) {
    talk_.says_ready = true;
  }
  if (ways().size() > 1) limit_ = std::min(after(Seconds(kShare * spec_.timeout_seconds)), *limit_);
  learning_ = true;
  trying_ = patience;
  const Result<EngineAnswer> answer = ask(Line(), Depth(1));
  learning_ = false;
  trying_.reset();
  if (!answer) return answer.error();
  return learn_habits(*answer);
}

std::optional<Error> Engine::greet() {
  talk_.question = "uci, isready";
  talk_.was_greeted = true;
  talk_.process->send(kGreeting, deadline());
  // A silent program may not know UCI, or may need time to start. A program that has begun to
  // answer gets the whole time limit.
  const Seconds share((ways().size() == 1 ? 1 : kShare) * spec_.timeout_seconds);
  Clock::time_point until = after(std::min(patience_.handshake, share));
  std::string line;
  Greeting greeting;
  while (!greeting.says_ready) {
    const Read read = next_line(line, until);
    if (read == Read::kTimeout) break;
    if (read != Read::kLine) return failed(read);
    if (greeting.take(line)) {
      until = deadline();
    } else if (!greeting.says_uci && is_ready_mark(line)) {
      answers_isready_ |= line != "readyok";
      greeting.says_ready = true;
    } else if (!greeting.says_uci && is_complaint(line)) {
      until = std::min(until, after(patience_.quiet));
    }
    talk_.says_uci = greeting.says_uci;
    talk_.says_ready = greeting.says_ready;
  }
  talk_.knows_chess960 = !talk_.says_uci || greeting.offers_chess960;
  if (!greeting.name.empty()) talk_.name = greeting.name;
  return std::nullopt;
}

void Engine::look_for_divide() {
  Talk totals = std::exchange(talk_, {});
  limit_ = deadline();
  const bool found = !try_way({Dialect::kDivide, "divide {depth}"}, true, patience_.quiet);
  if (!found || !talk_.divides) talk_ = std::move(totals);
}

std::optional<Error> Engine::wait_for_slow() {
  learning_ = true;
  std::optional<Error> error = read_answer();
  learning_ = false;
  return error ? error : learn_habits(talk_.pending->parser.answer());
}

bool Engine::try_lines() {
  talk_ = Talk{};
  talk_.name = spec_.command;
  talk_.dialect = Dialect::kLines;
  const Result<EngineAnswer> answer = ask(Line(), Depth(1));
  // Any program may print a number. So an answer without moves is accepted only if its total is
  // right.
  const bool answers = answer && (!answer->rows.empty() || answer->total == kStartMoves);
  return answers && !learn_habits(*answer);
}

bool Engine::try_juddperft() {
  talk_ = Talk{};
  talk_.name = spec_.command;
  talk_.dialect = Dialect::kJudDperft;
  talk_.divides = talk_.plays_moves = false;
  const std::string start(kStartFen);
  const Result<int> right = run_check(start, Depth(1), kStartMoves);
  if (!right || *right != 0) return false;
  const Result<int> wrong = run_check(start, Depth(1), kStartMoves + NodeCount(1));
  return wrong && *wrong != 0;
}

/// Finds out how the engine answers: whether it prints a divide, prints a total, and plays moves.
/// Uses two answers at depth 1: `start_divide`, for the start position, and the answer for a
/// position after some moves.
std::optional<Error> Engine::learn_habits(const EngineAnswer& start_divide) {
  talk_.divides = !start_divide.rows.empty() || !start_divide.unread.empty();
  talk_.prints_total = start_divide.total_is_certain;
  if (start_divide.rows.empty() && !start_divide.total)
    return complaint(nothing_of_use(start_divide));
  // If this way of asking was only tried, the program may have printed a number for another reason.
  // So an answer without moves is then accepted only if its total is right (as in try_lines()).
  const bool was_tried = spec_.dialect == Dialect::kAuto && spec_.ask.empty() &&
                         talk_.dialect != Dialect::kStockfish && talk_.dialect != Dialect::kRun;
  if (was_tried && start_divide.rows.empty() && start_divide.total != kStartMoves)
    return complaint("prints no moves, and its total is not the total of the start position");
  limit_.reset();  // the engine has answered, so each further question gets its own time limit
  std::optional<Error> error =
      talk_.plays_moves ? learn_whether_it_plays_moves(start_divide) : std::nullopt;
  const bool is_script = talk_.dialect == Dialect::kLines || talk_.dialect == Dialect::kRun;
  if (!error && !talk_.plays_moves && !is_script) error = learn_whether_it_takes_fens(start_divide);
  if (!error) talk_.question.clear();
  return error;
}

std::string Engine::nothing_of_use(const EngineAnswer& answer) const {
  const bool talks = talk_.pending.has_value();
  constexpr int kRanks = 8;
  if (talks && talk_.pending->ranks >= kRanks) return "printed a board and no count";
  if (talks && talk_.pending->echoes && !talk_.pending->printed)
    return "repeats its input and answers nothing";
  if (talks && talk_.pending->complains) {
    const auto complaint = std::find_if(talk_.printed.rbegin(), talk_.printed.rend(), is_complaint);
    if (complaint != talk_.printed.rend())
      return "does not understand the question: " + quote(*complaint);
  }
  return "printed nothing that looks like moves with counts" +
         (!answer.unread.empty()  ? "; not understood: " + to_string(answer.unread.front())
          : talk_.printed.empty() ? std::string(", nothing at all")
                                  : "; its last line: " + quote(talk_.printed.back()));
}

std::optional<Error> Engine::learn_whether_it_plays_moves(const EngineAnswer& start_divide) {
  const Line moved = elsewhere(talk_.divides);
  const Result<EngineAnswer> answer = ask(moved, Depth(1));
  const auto says_nothing = [&](const Result<EngineAnswer>& of) {
    return talk_.divides ? of->rows.empty() : !of->total;
  };
  // If a script does not accept moves, it prints its usage instead of an answer, or it fails.
  const bool takes_none =
      !answer ? answer.error().code == ErrorCode::kUnavailable : says_nothing(answer);
  if (talk_.dialect == Dialect::kLines && takes_none) {
    const Result<EngineAnswer> as_fen = ask(moved.as_fen(), Depth(1));
    if (as_fen && !says_nothing(as_fen)) {
      talk_.plays_moves = false;
      return std::nullopt;
    }
  }
  if (!answer) return answer.error();
  // Here, find out only whether the program ignores all moves. bisect() later finds programs that
  // play moves wrong.
  talk_.plays_moves = !is_of_start(*answer, start_divide);
  return std::nullopt;
}

std::optional<Error> Engine::learn_whether_it_takes_fens(const EngineAnswer& start_divide) {
  const Result<EngineAnswer> answer = ask(elsewhere(talk_.divides).as_fen(), Depth(1));
  if (!answer) return answer.error();
  talk_.takes_fens = !is_of_start(*answer, start_divide);
  return std::nullopt;
}

}  // namespace manyply
