// `perft bisect` finds the wrong move of an engine; `perft diff` compares a pasted divide with
// ours.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/cli/commands.h"
#include "tools/cli/diagnosis_format.h"
#include "tools/cli/engine_asking.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/suite_file.h"
#include "tools/diagnose/divide_diff.h"
#include "tools/report/document_members.h"
#include "tools/report/suite_format.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

struct HuntOptions : Question, CountOptions, Showing, SuiteLimits, Asking {
  bool has_fen = false;  ///< the user gave --fen
  std::string file;      ///< file of a suite; empty = a single position
  std::size_t causes = 1;
};

/// One run of the command: compares the engine's divides with ours at one position or in a suite.
class Bisection {
 public:
  Bisection(const HuntOptions& options, Io& io) : options_(options), io_(io) {}

  int run() {
    if (options_.engine.command.empty()) {
      return fail(io_, bad_input("--engine", "no engine given; 'perft bisect --help' shows how"));
    }
    if (auto error = no_divide(options_.depth)) return fail(io_, *error);
    if (auto error = contradiction_in(options_)) return fail(io_, *error);
    if (auto error = flag_of_the_other_mode()) return fail(io_, *error);
    return options_.file.empty() ? run_position() : run_suite_file();
  }

 private:
  /// Returns an error if a flag for a single position is combined with --suite, or if --max-nodes
  /// is given without --suite.
  [[nodiscard]] std::optional<Error> flag_of_the_other_mode() const {
    const bool suite = !options_.file.empty();
    const std::string flag = !suite                    ? (options_.max_nodes ? "--max-nodes" : "")
                             : options_.has_fen        ? "--fen"
                             : !options_.moves.empty() ? "--moves"
                             : options_.chess960       ? "--chess960"
                                                       : "";
    if (flag.empty()) return std::nullopt;
    return bad_input(flag,
                     suite ? "cannot be combined with --suite, whose file contains the positions"
                           : "requires --suite");
  }

  /// Compares one position and returns the exit code.
  int run_position() {
    const Result<Question> question = validated(options_);
    if (!question) return fail(io_, question.error());
    const Line& line = question->line;
    if (!open()) return exit_code_;
    const Result<BisectReport> report = compare(line, options_.depth, options_.causes, {});
    if (!report) {
      if (report.error().code == ErrorCode::kUnavailable) show_agreed();
      return give_up(report.error());
    }

    if (is_json()) {
      Json object = head();
      object["fen"] = line.start_fen();
      object["moves"] = line.uci_moves();
      object["depth"] = options_.depth.plies();
      object["agrees"] = report->agrees();
      object["agreed_depth"] = report->agreed.plies();
      object["complete"] = report->complete;
      object["understood"] = !report->not_understood;
      if (report->not_understood) object["unread"] = not_understood_json(*report->not_understood);
      if (!report->passed_over.empty()) object["passed_over"] = unread_json(report->passed_over);
      object["differences"] = differences(*report);
      io_.out << json_line(object);
    } else {
      std::string text = position_rows(line);
      text += text_line("engine", engine_text(options_.engine, *engine_));
      if (report->agreed.plies() > 0)
        text += text_line("agrees", fmt::format("up to depth {}: {}", report->agreed.plies(),
                                                report->leaves.to_string()));
      text += differences_text(*report);
      if (!report->not_understood)
        text += passed_over_text(report->passed_over, io_.terminal_columns);
      text += verdict_text(*report, options_.causes);
      io_.out << text;
    }
    if (!report->agrees()) show_engine_errors(engine_->words().errors, io_);
    return report->not_understood ? kExitError : report->agrees() ? kExitOk : kExitMismatch;
  }

  /// The result of a suite.
  struct SuiteResult {
    Json differences = Json::array();
    Json failures = Json::array();
    Json unread;
    std::vector<Cause> causes;
    std::vector<UnreadLine> passed_over;
    std::size_t positions = 0;
    int compared = 0;
    int skipped = 0;
    int failures_in_a_row = 0;
    bool understood = true;

    [[nodiscard]] bool agrees() const {
      return compared > 0 && causes.empty() && understood && failures.empty();
    }
    [[nodiscard]] bool gave_up() const { return failures_in_a_row >= kMostFailures; }
    [[nodiscard]] std::string verdict() const {
      if (!understood) return "not understood";
      if (!causes.empty())
        return fmt::format("DIFFERS: {} {}", causes.size(),
                           causes.size() == 1 ? "cause" : "causes");
      if (!failures.empty()) return "failed";
      return compared == 0 ? "nothing was compared" : "agrees";
    }
  };

  /// Compares the positions of a suite until enough causes are found or an answer is not
  /// understood. Restarts a failing engine, but gives up after kMostFailures failures in a row.
  /// Returns the exit code.
  int run_suite_file() {
    const Result<Suite> suite = read_suite(options_.file, io_);
    if (!suite) return fail(io_, suite.error());
    tell_how_read(*suite, io_);
    if (!open()) return exit_code_;

    SuiteResult result;
    result.positions = suite->lines.size();
    if (!is_json())
      io_.out << text_line("engine", engine_text(options_.engine, *engine_)) << std::flush;
    for (const auto& [number, record, tags, name] : suite->lines) {
      if (result.causes.size() >= options_.causes || !io_.out || !result.understood) break;
      const Depth depth = depth_of(record);
      const bool chess960 = record.root.notation == CastlingNotation::kChess960;
      if (depth.plies() == 0 || (chess960 && !engine_->knows_chess960())) {
        ++result.skipped;
        continue;
      }
      const Result<Line> line = parse_line(record.fen, "", std::nullopt);
      if (!line) return fail(io_, line.error());
      // Fewer than options_.causes causes are known from other positions. This search may first
      // find these known causes again. If it finds options_.causes causes, at least one of them is
      // new.
      const Result<BisectReport> report = compare(*line, depth, options_.causes, result.causes);
      ++result.compared;
      if (report) {
        result.failures_in_a_row = 0;
        add_report(result, *report, number, record.fen);
        continue;
      }
      if (report.error().code != ErrorCode::kUnavailable) return give_up(report.error());
      add_failure(result, report.error(), number, record.fen);
      if (!result.gave_up() && !open()) result.failures_in_a_row = kMostFailures;
      if (result.gave_up()) break;
    }
    print_suite(result, *suite);
    if (!result.understood) return kExitError;
    if (!result.causes.empty()) return kExitMismatch;
    return result.agrees() && !suite->refused.any() ? kExitOk : kExitError;
  }

  /// Records the report of one position. Prints the report, or adds it to the JSON, only if it has
  /// a new cause or if an answer was not understood.
  void add_report(SuiteResult& suite, const BisectReport& report, int number,
                  const std::string& fen) {
    if (!report.passed_over.empty()) suite.passed_over = report.passed_over;
    bool is_new = false;
    for (const Cause cause : report.causes()) {
      if (std::ranges::count(suite.causes, cause) != 0) continue;
      suite.causes.push_back(cause);
      is_new = true;
    }
    suite.understood = !report.not_understood;
    if (!is_new && suite.understood) return;
    if (!is_json()) {
      io_.out << '\n' << position_row(number, fen) << differences_text(report) << std::flush;
      return;
    }
    Json found = differences(report);
    for (Json& difference : found) {
      difference["line"] = number;
      difference["position"] = fen;
      suite.differences.push_back(std::move(difference));
    }
    if (!suite.understood) suite.unread = not_understood_json(*report.not_understood);
  }

  /// Records that the engine crashed, hung or contradicted itself at this position. Other positions
  /// may still show a cause.
  void add_failure(SuiteResult& suite, const Error& error, int number, const std::string& fen) {
    if (suite.failures.empty()) show_engine_errors(engine_->words().errors, io_);
    ++suite.failures_in_a_row;
    suite.failures.push_back({{"line", number}, {"position", fen}, {"why", error.message}});
    if (!is_json())
      io_.out << '\n'
              << position_row(number, fen) << text_line("failed", error.message) << std::flush;
  }

  /// Prints the results of the suite. In text format, the differences have already been printed.
  void print_suite(const SuiteResult& suite, const Suite& read) {
    if (is_json()) {
      Json object = head();
      object["file"] = options_.file;
      object["positions"] = suite.compared;
      object["skipped"] = suite.skipped;
      object.update(refused_json(read.refused));
      object["read_as"] = read.read_as;
      object["agrees"] = suite.agrees();
      object["understood"] = suite.understood;
      if (!suite.understood) object["unread"] = suite.unread;
      if (!suite.passed_over.empty()) object["passed_over"] = unread_json(suite.passed_over);
      object["differences"] = suite.differences;
      object["failures"] = suite.failures;
      object["gave_up"] = suite.gave_up();
      io_.out << json_line(object);
    } else {
      std::string compared = fmt::format("{} of {} positions, {} skipped", suite.compared,
                                         suite.positions, suite.skipped);
      if (!suite.failures.empty()) compared += fmt::format(", {} failed", suite.failures.size());
      if (read.refused.any()) compared += ", " + refused_text(read.refused.count);
      if (suite.gave_up()) compared += "; stopped because the engine failed too often";
      io_.out << (suite.causes.empty() && suite.failures.empty() ? "" : "\n")
              << text_line("compared", compared)
              << passed_over_text(suite.passed_over, io_.terminal_columns)
              << text_line("verdict", suite.verdict());
    }
    if (suite.failures.empty() && !suite.agrees()) show_engine_errors(engine_->words().errors, io_);
  }

  /// Considers the line's counts that exceed neither options_.depth nor options_.max_nodes. Returns
  /// the greatest depth of these counts; 0 if the line has no such count.
  [[nodiscard]] Depth depth_of(const EpdRecord& record) const {
    Depth depth(0);
    for (const EpdCount& count : record.counts) {
      if (count.depth <= options_.depth &&
          (!options_.max_nodes || count.nodes <= *options_.max_nodes))
        depth = std::max(depth, count.depth);
    }
    return depth;
  }

  /// Starts the engine. If that fails, reports the error, sets exit_code_ and returns false.
  bool open() {
    Result<std::unique_ptr<Engine>> engine = open_engine(options_.engine, options_.progress, io_);
    if (!engine) return exit_code_ = fail(io_, engine.error()), false;
    engine_ = std::move(engine).value();
    return true;
  }

  /// Prints the depth up to which the engine agreed before it failed, and suggests a suite of small
  /// counts.
  void show_agreed() {
    if (agreed_.plies() > 0)
      io_.err << fmt::format("perft: the engine agrees up to depth {}: {}\n", agreed_.plies(),
                             agreed_leaves_.to_string());
    io_.err << "perft: '" << io_.program
            << " suite tricky --engine CMD' asks for small counts of many positions\n"
            << std::flush;
  }

  Result<BisectReport> compare(const Line& line, Depth depth, std::size_t causes,
                               const std::vector<Cause>& known) {
    QuestionDisplay display(options_.progress, io_);
    BisectOptions how;
    how.causes = causes;
    how.known = known;
    how.on_agreed = [&](Depth plies, NodeCount leaves) {
      agreed_ = plies;
      agreed_leaves_ = leaves;
    };
    how.divide = [&](const Line& at, Depth plies) { return counts_.divide(at, plies, io_.stop); };
    how.on_question = [&](const Line& at, Depth plies) {
      const std::string moves = fmt::format("{}", fmt::join(at.uci_moves(), " "));
      display(plies, moves.empty() ? "" : ", after " + moves, {{"moves", moves}});
    };
    return bisect(*engine_, line, depth, how);
  }

  /// Reports the error of a running engine and returns the exit code.
  int give_up(const Error& error) {
    if (error.code != ErrorCode::kCancelled) show_engine_words(engine_->words(), io_);
    return fail(io_, error);
  }

  [[nodiscard]] Json head() const { return {{"engine", engine_json(options_.engine, *engine_)}}; }

  static Json differences(const BisectReport& report) {
    Json all = Json::array();
    for (const Difference& difference : report.differences)
      all.push_back(difference_json(difference));
    return all;
  }
  [[nodiscard]] std::string differences_text(const BisectReport& report) const {
    std::string text;
    for (const Difference& difference : report.differences)
      text += '\n' + difference_text(difference, io_.terminal_columns);
    if (report.not_understood)
      text += '\n' + not_understood_text(*report.not_understood, io_.terminal_columns);
    return text;
  }
  static std::string verdict_text(const BisectReport& report, std::size_t causes) {
    if (report.not_understood) return '\n' + text_line("verdict", "not understood");
    const std::string by_totals = report.passed_over.empty() ? "" : ", totals only";
    if (report.agrees()) return text_line("verdict", "agrees" + by_totals);
    std::string text = "DIFFERS" + by_totals;
    const std::size_t found = report.causes().size();
    if (causes > 1)
      text += fmt::format(": {} {} found{}", found, found == 1 ? "cause" : "causes",
                          report.complete ? "" : ", then the limit on questions ended the search");
    return '\n' + text_line("verdict", text);
  }

  [[nodiscard]] bool is_json() const { return options_.format == Format::kJson; }
  static std::string position_row(int number, const std::string& fen) {
    return text_line("position", fmt::format("{}  (line {})", fen, number));
  }

  const HuntOptions& options_;
  Io& io_;
  OneByOne counts_{options_};
  std::unique_ptr<Engine> engine_;
  Depth agreed_{0};
  NodeCount agreed_leaves_;
  int exit_code_ = kExitError;
};

int run_bisect(const HuntOptions& options, Io& io) { return Bisection(options, io).run(); }

constexpr Flag<HuntOptions> kSuite{
    "--suite", "FILE",
    "compare the positions of a suite: a file, - for standard input, or a built-in suite: classic, "
    "tricky, chess960, deep, corpus or large",
    take_text<&HuntOptions::file>, kSuiteValues};
constexpr Flag<HuntOptions> kCauses{"--causes", "N",
                                    "continue until N different causes are found (default: 1)",
                                    take_number<&HuntOptions::causes, 1, 1000>};

}  // namespace

Command bisect_command() {
  using namespace flags;
  const Flag<HuntOptions> fen{kFen.name, kFen.value, kFen.help,
                              [](HuntOptions& options, const std::string& text) {
                                return options.has_fen = true, kFen.take(options, text);
                              },
                              kFen.values};
  Flag<Question> depth = kDepth;
  depth.help = kPliesOfDivide;
  Flag<Asking> engine = kEngine;
  engine.help = "the engine's shell command; required";
  return make_command<HuntOptions>(
      {.name = "bisect",
       .summary = "Find the move that an engine's move generator gets wrong",
       .about = R"(
Compares the engine's divides with ours at depths 1, 2, ... DEPTH. If a divide differs, follows the
moves with different counts to the position where the move lists differ. Prints the path to that
position, the moves that the engine misses or invents there, and the broken rule. Exit code: 0 if
the engine agrees, 1 if not, 2 on an error, 130 on Ctrl-C. It is an error if the engine crashes,
hangs, contradicts itself or prints something that is not understood. The exit code is also 2 if the
engine agrees, but lines of the suite were refused.)",
       .examples = R"(
perft bisect 5 --engine stockfish
perft bisect 4 --engine "./my-engine --uci" --fen kiwipete
perft bisect 4 --engine ./my-engine --suite tricky --causes 5)",
       .needs = {.ends_on_sigterm = true}},
      {depth, engine, fen, kMoves, kChess960, kSuite, kMaxNodes, kCauses, kAsking, kThreads,
       kKernel, kReportFormat, kProgress},
      run_bisect);
}

namespace {

struct DiffOptions : Question, CountOptions, Showing {
  std::string file = "-";
  std::optional<bool> right_as_fen;
};

/// One run of the command. Reads the pasted divides, counts our own, and prints the comparison.
class PasteDiff {
 public:
  PasteDiff(const DiffOptions& options, Io& io) : options_(options), io_(io) {}

  int run() {
    if (auto error = no_divide(options_.depth)) return fail(io_, *error);
    const Result<Question> question = validated(options_);
    if (!question) return fail(io_, question.error());
    const Line& line = question->line;
    const Result<std::string> text = pasted();
    if (!text) return fail(io_, text.error());
    const OurDivide divide = [this](const Line& at, Depth depth) {
      return counts_.divide(at, depth, io_.stop);
    };
    auto divides = parse_pasted_divides(*text, line, options_.depth, divide);
    if (!divides) return fail(io_, divides.error());

    for (const PastedDivide& pasted : *divides) {
      const auto ours = divide(line, pasted.depth);
      if (!ours) return fail(io_, ours.error());
      compared_.push_back(
          {pasted.depth, pasted.name,
           diff_document(line, pasted.depth, *ours, pasted.answer, options_.right_as_fen, divide)});
    }
    io_.out << (options_.format == Format::kJson ? json_line(as_json(line, *divides))
                                                 : as_text(line, *divides));
    return all_agree() ? kExitOk : kExitMismatch;
  }

 private:
  /// A pasted divide and its diff_document().
  struct Compared {
    Depth depth;
    std::string name;  ///< PastedDivide::name
    Json document;

    /// Returns whether all rows agree with ours. If the text has a total, the total must also be
    /// the sum of the rows.
    [[nodiscard]] bool agrees() const {
      const Json& total = document.at("pasted_total");
      const bool whole = total.is_null() || total == document.at("pasted_sum");
      return document.at("agrees").get<bool>() && whole;
    }
  };

  /// Reads the pasted text. On a terminal, first prints how the user can end the text.
  Result<std::string> pasted() {
    const std::string& file = options_.file;
    if (file == "-" && console::is_terminal(io_.input)) {
      io_.err << "perft: paste the divide that your program prints, then press "
              << console::keys_that_end_input() << " to end the input\n"
              << std::flush;
    }
    return read_input(file, io_);
  }

  [[nodiscard]] bool all_agree() const { return std::ranges::all_of(compared_, &Compared::agrees); }

  [[nodiscard]] Json as_json(const Line& line, const std::vector<PastedDivide>& divides) const {
    Json json{{"fen", line.start_fen()}, {"moves", line.uci_moves()}, {"agrees", all_agree()}};
    json["divides"] = Json::array();
    const bool rivals = has_rivals(divides);
    for (const Compared& one : compared_) {
      Json divide{{"depth", one.depth.plies()}};
      if (rivals) divide["reading"] = one.name;
      divide.update(one.document);
      json["divides"].push_back(std::move(divide));
    }
    if (rivals) json["disputed"] = disputed_document(divides);
    return json;
  }

  [[nodiscard]] std::string as_text(const Line& line,
                                    const std::vector<PastedDivide>& divides) const {
    std::string text = position_rows(line);
    const char* head = "readings";
    for (const std::string& told : rivals_told(divides))
      text += report_sentence(std::exchange(head, ""), told, io_.terminal_columns);
    // The shallowest difference is the most useful one, because deeper differences may follow from
    // it.
    const auto wrong = std::ranges::find_if_not(compared_, &Compared::agrees);
    const auto& shown = wrong == compared_.end() ? compared_.back() : *wrong;
    std::vector<const Compared*> readings;
    for (const Compared& one : compared_) {
      if (one.depth == shown.depth) readings.push_back(&one);
      if (one.depth < shown.depth) text += text_line("agrees", agreement(one));
    }
    if (readings.size() > 1) return text + readings_text(line, readings);
    if (shown.agrees() && compared_.size() > 1) {
      text += text_line("agrees", agreement(shown));
    } else {
      if (!shown.agrees()) text += text_line("depth", std::to_string(shown.depth.plies())) + '\n';
      text += difference(line, shown);
    }
    return text + text_line("verdict", verdict_on(readings));
  }

  /// Returns "agrees", "DIFFERS", or "incomplete" if every difference may come from lost rows.
  static const char* verdict_on(const std::vector<const Compared*>& readings) {
    bool agrees = true;
    for (const Compared* reading : readings) {
      if (reading->agrees()) continue;
      if (!is_incomplete(reading->document)) return "DIFFERS";
      agrees = false;
    }
    return agrees ? "agrees" : "incomplete";
  }

  /// Formats the comparisons of several readings. Precondition: all readings have the same depth.
  [[nodiscard]] std::string readings_text(const Line& line,
                                          const std::vector<const Compared*>& readings) const {
    std::string text = text_line("depth", std::to_string(readings.front()->depth.plies()));
    for (const Compared* reading : readings) {
      text += '\n' + text_line("reading", reading->name);
      text +=
          reading->agrees() ? text_line("agrees", agreement(*reading)) : difference(line, *reading);
    }
    return text + '\n' + text_line("verdict", verdict_on(readings));
  }

  static std::string agreement(const Compared& one) {
    return agreement_text(one.document, one.depth);
  }

  [[nodiscard]] std::string difference(const Line& line, const Compared& one) const {
    return named_as(io_.program, diff_text(one.document, line, one.depth, io_.terminal_columns));
  }

  const DiffOptions& options_;
  Io& io_;
  OneByOne counts_{options_};
  std::vector<Compared> compared_;  ///< ascending by depth
};

int run_diff(const DiffOptions& options, Io& io) { return PasteDiff(options, io).run(); }

constexpr Flag<DiffOptions> kPasteFile{
    "FILE",
    "?",
    "file with the output of your program (default: standard input)",
    take_text<&DiffOptions::file>,
    {ValueKind::kFile}};
constexpr std::array kAsFenVerdicts{Choice<bool>{"right", true}, Choice<bool>{"wrong", false}};
constexpr Flag<DiffOptions> kAsFen{
    "--as-fen", "VERDICT",
    "right or wrong: your program's result when it gets this position as a FEN, without moves",
    take_choice<&DiffOptions::right_as_fen, kAsFenVerdicts>, names_of<kAsFenVerdicts>()};

}  // namespace

Command diff_command() {
  using namespace flags;
  Flag<Question> depth = kDepth;
  depth.help = kPliesOfDivide;
  return make_command<DiffOptions>(
      {.name = "diff",
       .summary = "Compare a divide that your program printed with ours",
       .about = R"(
Reads the divide that another program printed, in any notation (see 'perft help engines'), and
compares it with ours. Prints the moves that differ, and either the broken rule or the next divide
to compare. The input may contain divides of several depths. If it has several different columns of
counts, or several different divides of one depth, each one is compared. If the program can be
started from a shell, 'perft bisect' does all of this automatically.

Exit code: 0 if all moves and counts agree, 1 if not, 2 if something was not understood, 130 on
Ctrl-C.)",
       .examples = R"(
perft diff 3 --fen kiwipete divide.txt
./my-engine < script | perft diff 4)"},
      {depth, kPasteFile, kPosition, kAsFen, kThreads, kKernel, kReportFormat}, run_diff);
}

}  // namespace manyply
