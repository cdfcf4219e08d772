// `perft uci`: a part of UCI. Tools can use `perft uci` in place of Stockfish for `go perft N`.
#include <fmt/format.h>

#include <charconv>
#include <mutex>
#include <optional>
#include <sstream>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/base/text.h"
#include "tools/cli/commands.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/framework/progress_display.h"
#include "tools/cli/job_runner.h"
#include "tools/report/document_members.h"

namespace manyply {
namespace {

struct UciOptions : Question, CountOptions {};

constexpr std::uint64_t kMaxHashMebibytes = 33554432;

constexpr const char* kHelp = R"(
Manyply counts legal move sequences (perft) and supports the part of UCI that counting needs:

  uci                                     prints name and options
  isready                                 prints readyok
  setoption name NAME value VALUE         Threads, UCI_Chess960, Hash (MiB; 0: what each
                                          count can use), UseHash (false: no table)
  position startpos|fen FEN [moves ...]   sets the position; other notations
                                          as in other commands: position kiwipete
  d                                       prints the position
  go perft N, divide N                    counts, and prints the count of each move
  perft N                                 counts
  stop                                    cancels the count
  quit                                    ends the program after the count

)";

/// Reads words until `keyword` or the end. Returns the words before `keyword`, joined with single
/// spaces.
std::string words_until(std::istringstream& words, std::string_view keyword) {
  std::string joined;
  for (std::string word; words >> word && word != keyword;) {
    if (!joined.empty()) joined += ' ';
    joined += word;
  }
  return joined;
}

/// Returns the squares of the pieces that give check, such as "d8 h4 ".
std::string checkers_text(const Position& position) {
  Bitboard checkers = position.checkers();
  std::string text;
  while (checkers != 0) text += to_string(square_at(pop_lowest(checkers))) + ' ';
  return text;
}

/// Returns the text that Stockfish prints after `d`, without the key.
std::string diagram(const Line& line) {
  return '\n' + board_diagram(line.here()) + "\nFen: " + line.fen() +
         "\nCheckers: " + checkers_text(line.here()) + '\n';
}

/// One session. run() reads and executes commands. Counts run on worker_, so `stop` and `isready`
/// are answered during a count. All output is written by say().
class UciSession {
 public:
  UciSession(const UciOptions& options, Io& io)
      : options_(options), io_(io), input_(io.input, io.stop) {
    set_position("startpos", "");
  }

  /// Returns the exit code after `quit`, the end of input, or an input error.
  int run() {
    while (true) {
      if (const auto line = std::exchange(kept_, std::nullopt)) {
        if (!obey(*line)) return finish();
        continue;
      }
      const Result<std::optional<std::string>> line = input_.next();
      if (!line) {
        stop();
        return fail(io_, {line.error().code, "standard input", 0, line.error().message});
      }
      // As in Stockfish, a running count is finished after the end of input. So `echo go perft 5 |
      // perft uci` works.
      if (!line->has_value() || !obey(**line)) return finish();
    }
  }

 private:
  /// Handles input that arrives while the only thread is counting. If a command must wait for the
  /// end of the count, all later commands also wait.
  void hear(bool input) {
    while (!kept_) {
      std::optional<std::string> line = input_.line_there(std::exchange(input, false));
      if (!line) return;
      std::string command;
      std::istringstream(*line) >> command;
      if (command == "go" || command == "perft" || command == "divide" || command == "quit") {
        kept_ = std::move(line);
      } else {
        obey(*line);
      }
    }
  }

  /// Executes one command; returns false for `quit`.
  bool obey(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "quit") return false;
    if (command == "uci") {
      identify();
    } else if (command == "isready") {
      say("readyok\n");
    } else if (command == "setoption") {
      set_option(words);
    } else if (command == "position") {
      set_position(words);
    } else if (command == "go") {
      go(words);
    } else if (command == "perft" || command == "divide") {
      count(words, command == "divide");
    } else if (command == "stop") {
      stop();
    } else if (command == "d") {
      if (has_position()) say(diagram(question_->line));
    } else if (command == "help" || command == "--help") {
      say(kHelp);
    } else if (!command.empty() && command != "ucinewgame" && command[0] != '#') {
      say("Unknown command: '" + printable(line) + "'. Type help for more information.\n");
    }
    return true;
  }

  void identify() {
    say(
        fmt::format("id name Manyply {}\n"
                    "id author the Manyply authors\n\n"
                    "option name Threads type spin default {} min 1 max {}\n"
                    "option name Hash type spin default 0 min 0 max {}\n"
                    "option name UseHash type check default true\n"
                    "option name UCI_Chess960 type check default false\n"
                    "uciok\n",
                    MANYPLY_VERSION, available_threads(), kMaxThreads, kMaxHashMebibytes));
  }

  /// Sets an option. Ignores an invalid number of threads. An invalid Hash means 0. UCI_Chess960 is
  /// false unless the value is "true"; UseHash is true unless the value is "false".
  void set_option(std::istringstream& words) {
    std::string keyword;
    words >> keyword;
    const std::string name = words_until(words, "value");
    const std::string value = words_until(words, "");
    if (equal_ignoring_case(name, "UCI_Chess960")) {
      options_.chess960 = value == "true";
    } else if (equal_ignoring_case(name, "UseHash")) {
      use_hash_ = value != "false";
    } else if (equal_ignoring_case(name, "Threads")) {
      int threads = 0;
      std::from_chars(value.data(), value.data() + value.size(), threads);
      if (threads >= 1 && threads <= kMaxThreads) options_.threads = threads;
    } else if (equal_ignoring_case(name, "Hash")) {
      std::uint64_t mebibytes = 0;
      std::from_chars(value.data(), value.data() + value.size(), mebibytes);
      options_.table_bytes.reset();  // 0 means that the size is chosen for each count
      if (mebibytes != 0 && mebibytes <= kMaxHashMebibytes) options_.table_bytes = mebibytes << 20;
    } else {
      say("No such option: " + name + '\n');
    }
  }

  void set_position(std::istringstream& words) {
    std::string kind;
    words >> kind;
    std::string fen = "startpos";
    if (kind == "startpos") {
      words_until(words, "moves");
    } else if (kind == "fen") {
      fen = words_until(words, "moves");
    } else if (kind.empty()) {
      return;
    } else {  // a position in a form that other commands accept
      fen = kind + ' ' + words_until(words, "");
    }
    set_position(fen, words_until(words, ""));
  }

  /// Sets the position. If the new position is invalid, also removes the previous one, so that
  /// later commands do not count the previous position instead of the intended one.
  void set_position(const std::string& fen, const std::string& moves) {
    const Result<Question> question =
        validated({.fen = fen, .moves = moves, .chess960 = options_.chess960},
                  {.notation = CastlingNotation::kStandard});
    question_.reset();
    if (!question) return refuse(question.error());
    question_ = *question;
  }

  /// Returns whether a position is set. If not, prints the reason why the program does not count.
  bool has_position() {
    if (!question_) say("info string error: the last position was invalid; send a valid one\n");
    return question_.has_value();
  }

  void go(std::istringstream& words) {
    std::string what;
    words >> what;
    if (what != "perft")
      return refuse({ErrorCode::kInvalidInput, "", 0, "only 'go perft N' is supported"});
    count(words, true);
  }

  /// Starts a count after the running count has ended. The next word of `words` is the depth.
  void count(std::istringstream& words, bool divides) {
    std::string number;
    words >> number;
    const Result<Depth> depth = Depth::parse(number);
    if (!depth) return refuse(depth.error());
    if (!has_position()) return;
    Question asked = *question_;
    asked.depth = *depth;
    asked.mode = use_hash_ ? CountMode::kCount : CountMode::kUnhashed;
    finish();  // one count at a time, in the order of the requests
    stop_ = std::stop_source();
    worker_ = std::jthread(
        [this, asked, divides, count_options = CountOptions(options_), stop = stop_]() mutable {
          const std::stop_callback interrupt(io_.stop, [&stop] { stop.request_stop(); });
          const Meanwhile meanwhile([this](bool input) { hear(input); });
          const Result<Answer> found = answer(
              asked, {.count_options = count_options, .stop = stop.get_token(), .divide = divides});
          if (!found) return refuse(found.error());
          if (!divides)
            return say("Nodes searched: " + found->nodes.value_or(0).to_string() + "\n\n");
          const Result<std::string> text =
              written(asked.mode, Format::kStockfish, found->document, {.line = &asked.line});
          text ? say(*text) : refuse(text.error());
        });
  }

  /// Cancels the running count and waits for its end.
  void stop() {
    stop_.request_stop();
    if (worker_.joinable()) worker_.join();
  }

  /// Waits for the end of the running count. Returns the exit code of the session.
  int finish() {
    if (worker_.joinable()) worker_.join();
    return io_.stop.stop_requested() ? kExitInterrupted : kExitOk;
  }

  void refuse(const Error& error) { say("info string error: " + error.to_string() + '\n'); }

  /// Prints `text`, which ends with a line end. Thread-safe.
  void say(const std::string& text) {
    const std::scoped_lock lock(output_mutex_);
    io_.out << text << std::flush;
  }

  UciOptions options_;
  // Option UseHash: whether counts use a table. Option Hash cannot switch tables off: if Hash is 0,
  // each count chooses the size of its table.
  bool use_hash_ = true;
  Io& io_;
  LineReader input_;
  std::optional<std::string> kept_;  // the next line, already read during a count
  std::stop_source stop_;            // requests the running count to stop
  std::mutex output_mutex_;          // guards io_.out
  std::optional<Question> question_;
  std::jthread worker_;  // must be the last member, because the thread uses all other members
};

int run_uci(const UciOptions& options, Io& io) { return UciSession(options, io).run(); }

}  // namespace

Command uci_command() {
  using namespace flags;
  return make_command<UciOptions>({.name = "uci",
                                   .summary = "Speak UCI on standard input and output",
                                   .about = R"(
Supports uci, isready, setoption (UCI_Chess960, Threads, Hash, UseHash), ucinewgame, position, d, go
perft N, divide N, perft N (the total only), stop, help and quit. Tools that use Stockfish for perft
can use this command instead. After an invalid position, nothing is counted until a valid one is
set. quit and the end of input wait for a running count; stop cancels it.)",
                                   .examples = R"(echo "go perft 5" | perft uci)"},
                                  {kThreads, kKernel, kChess960}, run_uci);
}

}  // namespace manyply
