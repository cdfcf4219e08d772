#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/cli/bisect_format.h"
#include "tools/cli/commands.h"
#include "tools/cli/engine_asking.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/suite_file.h"
#include "tools/question/json_text.h"
#include "tools/question/suite_format.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

struct HuntOptions : Question, Means, Showing, SuiteLimits, Asking {
  bool has_fen = false;  ///< whether --fen was given
  std::string file;      ///< the suite's; empty = one position
  std::size_t causes = 1;
};

class Bisection {
 public:
  Bisection(const HuntOptions& options, Io& io) : options_(options), io_(io) {}

  int run() {
    if (options_.engine.command.empty()) {
      return fail(io_, {ErrorCode::kInvalidInput, "--engine", 0,
                        "no engine given; 'perft bisect --help' shows how"});
    }
    if (auto error = flag_of_the_other_mode()) return fail(io_, *error);
    return options_.file.empty() ? run_position() : run_suite_file();
  }

 private:
  /// A suite brings its positions and their counts along.
  [[nodiscard]] std::optional<Error> flag_of_the_other_mode() const {
    const bool suite = !options_.file.empty();
    const std::string flag = !suite                    ? (options_.max_nodes ? "--max-nodes" : "")
                             : options_.has_fen        ? "--fen"
                             : !options_.moves.empty() ? "--moves"
                             : options_.chess960       ? "--chess960"
                                                       : "";
    if (flag.empty()) return std::nullopt;
    return Error{
        ErrorCode::kInvalidInput, flag, 0,
        suite ? "goes with one position; those of --suite are in its file" : "goes with --suite"};
  }

  int run_position() {
    const Result<Question> question = judged(options_);
    if (!question) return fail(io_, question.error());
    const Line& line = question->line;
    if (!open()) return exit_code_;
    const std::optional<BisectReport> report = compare(line, options_.depth, options_.causes);
    if (!report) return exit_code_;

    const bool json = options_.format == Format::kJson;
    if (json) {
      Json object = head();
      object["fen"] = line.start_fen();
      object["moves"] = line.uci_moves();
      object["depth"] = options_.depth.plies();
      object["agrees"] = report->agrees();
      object["agreed_depth"] = report->agreed.plies();
      object["complete"] = report->complete;
      add_unread(object, *report);
      object["differences"] = differences(*report);
      io_.out << json_line(object);
    } else {
      std::string text = row("position", line.start_fen());
      if (!line.moves().empty())
        text += row("moves", fmt::format("{}", fmt::join(line.uci_moves(), " ")));
      text += row("engine", engine_text(options_.engine, *engine_));
      if (report->agreed.plies() > 0)
        text += row("agrees", fmt::format("up to depth {}: {}", report->agreed.plies(),
                                          report->leaves.to_string()));
      text += differences_text(*report);
      if (!report->not_understood)
        text += passed_over_text(report->passed_over, io_.terminal_columns);
      text += verdict_text(*report, options_.causes);
      io_.out << text;
    }
    show_errors(report->agrees());
    return report->not_understood ? kExitError : report->agrees() ? kExitOk : kExitMismatch;
  }

  int run_suite_file() {
    const Result<Suite> suite = read_suite(options_.file, io_);
    if (!suite) return fail(io_, suite.error());
    tell_how_read(*suite, io_);
    const RefusedLines& refused = suite->refused;
    if (!open()) return exit_code_;

    const bool json = options_.format == Format::kJson;
    Json all = Json::array();
    Json unread;
    std::vector<Cause> causes;
    int compared = 0;
    int skipped = 0;
    bool understood = true;
    std::vector<UnreadLine> passed_over;
    if (!json) io_.out << row("engine", engine_text(options_.engine, *engine_)) << std::flush;
    for (const auto& [number, record, tags] : suite->lines) {
      if (causes.size() >= options_.causes || !io_.out || !understood) break;
      const Depth depth = depth_of(record);
      const bool chess960 = record.root.notation == CastlingNotation::kChess960;
      if (depth.plies() == 0 || (chess960 && !engine_->knows_chess960())) {
        ++skipped;
        continue;
      }
      const Result<Line> line = parse_line(record.fen, "", std::nullopt);
      if (!line) return fail(io_, line.error());
      // Of each position only what is new: one cause more than there are.
      const std::optional<BisectReport> report = compare(*line, depth, options_.causes);
      if (!report) return exit_code_;
      ++compared;
      if (!report->passed_over.empty()) passed_over = report->passed_over;
      bool is_new = false;
      for (const Cause cause : report->causes()) {
        if (std::ranges::count(causes, cause) != 0) continue;
        causes.push_back(cause);
        is_new = true;
      }
      understood = !report->not_understood;
      if (!is_new && understood) continue;
      if (json) {
        Json found = differences(*report);
        for (Json& difference : found) {
          difference["line"] = number;
          difference["position"] = record.fen;
          all.push_back(std::move(difference));
        }
        if (!understood) unread = not_understood_json(*report->not_understood);
      } else {
        io_.out << '\n'
                << row("position", fmt::format("{}  (line {})", record.fen, number))
                << differences_text(*report) << std::flush;
      }
    }
    if (json) {
      Json object = head();
      object["file"] = options_.file;
      object["positions"] = compared;
      object["skipped"] = skipped;
      object.update(refused_json(refused));
      object["read_as"] = suite->read_as;
      object["agrees"] = causes.empty() && understood;
      object["understood"] = understood;
      if (!understood) object["unread"] = std::move(unread);
      if (!passed_over.empty()) object["passed_over"] = unread_json(passed_over);
      object["differences"] = std::move(all);
      io_.out << json_line(object);
    } else {
      io_.out << (causes.empty() ? "" : "\n")
              << row("compared",
                     fmt::format("{} of {} positions, {} skipped{}", compared, suite->lines.size(),
                                 skipped, refused.any() ? ", " + refused_text(refused.count) : ""))
              << passed_over_text(passed_over, io_.terminal_columns)
              << row("verdict", !understood ? "not understood"
                                : causes.empty()
                                    ? "agrees"
                                    : fmt::format("DIFFERS: {} {}", causes.size(),
                                                  causes.size() == 1 ? "cause" : "causes"));
    }
    show_errors(causes.empty() && understood);
    if (!understood) return kExitError;
    if (!causes.empty()) return kExitMismatch;
    return refused.any() ? kExitError : kExitOk;
  }

  /// The deepest count of the line that the options allow; 0 if there is none.
  [[nodiscard]] Depth depth_of(const EpdRecord& record) const {
    Depth depth(0);
    for (const EpdCount& count : record.counts) {
      if (count.depth <= options_.depth &&
          (!options_.max_nodes || count.nodes <= *options_.max_nodes))
        depth = std::max(depth, count.depth);
    }
    return depth;
  }

  bool open() {
    std::string errors;
    Result<std::unique_ptr<Engine>> engine = Engine::open(options_.engine, io_.stop, errors);
    if (!engine) return give_up(engine.error(), errors), false;
    engine_ = std::move(engine).value();
    return true;
  }

  std::optional<BisectReport> compare(const Line& line, Depth depth, std::size_t causes) {
    QuestionDisplay display(options_.progress, io_);
    BisectOptions how;
    how.causes = causes;
    how.divide = [&](const Line& at, Depth plies) { return our_divide(at, plies); };
    how.on_question = [&](const Line& at, Depth plies) {
      const std::string moves = fmt::format("{}", fmt::join(at.uci_moves(), " "));
      display(plies, moves.empty() ? "" : ", after " + moves, {{"moves", moves}});
    };
    Result<BisectReport> report = bisect(*engine_, line, depth, how);
    if (report) return std::move(report).value();
    give_up(report.error(), engine_->errors());
    return std::nullopt;
  }

  Result<std::vector<DivideEntry>> our_divide(const Line& line, Depth depth) {
    Result<Report> report = counts_.count(question_of(line.named(), depth), io_.stop);
    if (!report) return report.error();
    return std::move(report).value().divide;
  }

  void give_up(const Error& error, const std::string& errors) {
    if (error.code != ErrorCode::kCancelled) show_engine_errors(errors, io_);
    exit_code_ = fail(io_, error);
  }

  /// An engine that is right may say what it wants.
  void show_errors(bool agrees) {
    if (!agrees) show_engine_errors(engine_->errors(), io_);
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
  static void add_unread(Json& object, const BisectReport& report) {
    object["understood"] = !report.not_understood;
    if (report.not_understood) object["unread"] = not_understood_json(*report.not_understood);
    if (!report.passed_over.empty()) object["passed_over"] = unread_json(report.passed_over);
  }
  static std::string verdict_text(const BisectReport& report, std::size_t causes) {
    if (report.not_understood) return '\n' + row("verdict", "not understood");
    const std::string by_totals = report.passed_over.empty() ? "" : ", by totals alone";
    if (report.agrees()) return row("verdict", "agrees" + by_totals);
    std::string text = "DIFFERS" + by_totals;
    const std::size_t found = report.causes().size();
    if (causes > 1)
      text += fmt::format(": {} {} found{}", found, found == 1 ? "cause" : "causes",
                          report.complete ? "" : ", then a limit on questions ended the search");
    return '\n' + row("verdict", text);
  }

  static std::string row(std::string_view name, std::string_view value) {
    return fmt::format("{:<10} {}\n", name, value);
  }

  const HuntOptions& options_;
  Io& io_;
  OneByOne counts_{options_};
  std::unique_ptr<Engine> engine_;
  int exit_code_ = kExitError;
};

int run_bisect(const HuntOptions& options, Io& io) { return Bisection(options, io).run(); }

constexpr Flag<HuntOptions> kSuite{
    "--suite", "FILE",
    "every position of this EPD file (- is standard input), or of a suite that is built in: "
    "classic, tricky, chess960, deep or corpus",
    [](HuntOptions& options, const std::string& text) { return options.file = text, accepted(); },
    kSuiteValues};
constexpr Flag<HuntOptions> kCauses{
    "--causes", "N", "go on until N different causes are found (default: 1)",
    [](HuntOptions& options, const std::string& text) {
      return store(parse_number(text, 1, 1000), options.causes, "--causes");
    }};

}  // namespace

Command bisect_command() {
  using namespace flags;
  const Flag<HuntOptions> fen{kFen.name, kFen.value, kFen.help,
                              [](HuntOptions& options, const std::string& text) {
                                return options.has_fen = true, kFen.take(options, text);
                              },
                              kFen.values};
  Flag<Asking> engine = kEngine;
  engine.help = "the engine's command line, for the shell; required";
  return make_command<HuntOptions>(
      {.name = "bisect",
       .summary = "Find the move that an engine's generator gets wrong",
       .about = R"(
Compares divides with the engine at depths 1, 2, ... DEPTH. Where they differ, goes down to the
position whose own moves differ, and names the moves that the engine misses and invents there, the
path to it, and the rule that is broken. Exit code: 0 if the engine agrees, 1 if not, 2 on an error
(the engine crashes, hangs, contradicts itself or prints what is not understood) or if it agrees
and lines of the suite were refused, 130 on Ctrl-C.)",
       .examples = R"(
perft bisect 5 --engine stockfish
perft bisect 4 --engine "./my-engine --uci" --fen kiwipete
perft bisect 4 --engine ./my-engine --suite tricky --causes 5)"},
      {kDepth, engine, fen, kMoves, kChess960, kSuite, kMaxNodes, kCauses, kAsking, kThreads,
       kKernel, kReportFormat, kProgress},
      run_bisect);
}

}  // namespace manyply
