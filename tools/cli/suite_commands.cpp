// `perft suite` checks suites; `perft gen` writes suites of random positions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "core/base/stopwatch.h"
#include "core/position.h"
#include "parallel/jobs/job.h"
#include "tools/cli/commands.h"
#include "tools/cli/diagnosis_format.h"
#include "tools/cli/engine_asking.h"
#include "tools/cli/engine_suite.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/suite_file.h"
#include "tools/report/document_members.h"
#include "tools/report/suite_format.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kUsualBudget = 200'000'000;

struct SuiteOptions : CountOptions, Showing, SuiteLimits, Asking, Writing {
  std::vector<std::string> files;
  Depth max_depth{Depth::kMax};
  bool form_given = false;
  bool lenient = false;
  std::optional<Budget> budget;  ///< limit on the questions to the engine

  [[nodiscard]] bool asks_engine() const { return !engine.command.empty(); }
};

/// Returns whether refused lines make the suite fail. With --lenient, lines whose positions cannot
/// occur in chess do not make it fail.
bool is_incomplete(const Suite& suite, const SuiteOptions& options) {
  return suite.refused.count > (options.lenient ? suite.refused.impossible() : 0);
}

bool any_is_incomplete(const std::vector<Suite>& suites, const SuiteOptions& options) {
  return std::ranges::any_of(suites,
                             [&](const Suite& suite) { return is_incomplete(suite, options); });
}

/// Reports the positions of `suite` that --lenient ignores, grouped by reason.
void tell_what_was_left_out(const Suite& suite, Io& io) {
  const std::size_t count = suite.refused.impossible();
  if (count == 0) return;
  std::string reasons;
  for (const auto& [field, positions] : suite.refused.illegal)
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", field, positions);
  io.err << fmt::format("perft: {}: left out {} that cannot occur in chess: {}\n",
                        printable(name_of_input(suite.name)),
                        count == 1 ? "1 position" : fmt::format("{} positions", count), reasons)
         << std::flush;
}

/// Finds the counts that exceed --max-depth or --max-nodes, and remembers how many there are.
class LeftOut {
 public:
  explicit LeftOut(const SuiteOptions& options) : options_(options) {}

  /// Returns whether `count` exceeds the limits and is left out. If so, records the reason.
  bool takes(const EpdCount& count) {
    const bool deep = count.depth > options_.max_depth;
    const bool large = options_.max_nodes && count.nodes > *options_.max_nodes;
    deep_ += deep ? 1 : 0;
    large_ += large && !deep ? 1 : 0;
    return deep || large;
  }

  /// Returns the error for a suite whose counts all exceed the limits. A suite that checks nothing
  /// must not pass.
  [[nodiscard]] Error error(const Suite& suite, const char* what) const {
    std::string why;
    if (deep_ > 0)
      why = fmt::format("{} deeper than --max-depth {}", deep_, options_.max_depth.plies());
    if (large_ > 0) {
      why += fmt::format("{}{} above --max-nodes {}", why.empty() ? "" : ", ", large_,
                         options_.max_nodes->to_string());
    }
    return in_suite({ErrorCode::kInvalidInput, "", 0, fmt::format("{}; left out: {}", what, why)},
                    name_of_input(suite.name), 0);
  }

 private:
  const SuiteOptions& options_;
  std::size_t deep_ = 0;
  std::size_t large_ = 0;
};

/// Prints the results of a suite. In text: differences during the run, and the summary at the end.
/// In CSV: rows during the run. In JSON: everything at the end.
class Printer {
 public:
  /// If `several`, each printed result starts with the name of its file.
  Printer(const SuiteOptions& options, const Suite& suite, bool several, Io& io)
      : form_(options.format),
        incomplete_(is_incomplete(suite, options)),
        file_(several ? name_of_input(suite.name) : ""),
        io_(io),
        out_(io.out) {
    report_.file = form_ == Format::kJson ? suite.name : name_of_input(suite.name);
    report_.positions = suite.lines.size();
    report_.refused = suite.refused;
    report_.read_as = suite.read_as;
    if (form_ == Format::kCsv) {
      const Json refused = refused_json(suite.refused);
      for (const Json& line : refused.at("refusals")) out_ << csv_file() << refused_csv(line);
    }
  }

  /// Prints the header of CSV. Prints nothing in other formats.
  static void print_head(Format form, bool several, Io& io) {
    if (form != Format::kCsv) return;
    io.out << (several ? "file," : "") << "line,depth,expected,nodes,verdict\n" << std::flush;
  }

  void skip() { ++report_.skipped; }
  /// Records a comparison. Prints it if the format is CSV, or if the format is text and the counts
  /// differ.
  void add(const SuiteLine& line, const EpdCount& count, NodeCount nodes) {
    const SuiteDifference counted{line.number, line.record.fen, count.depth, count.nodes, nodes};
    const bool agrees = count.nodes == nodes;
    const Json document = compared_document(counted);
    if (form_ == Format::kCsv) {
      out_ << csv_file() << compared_csv(document);
    } else if (!agrees && form_ == Format::kText) {
      out_ << painted((file_.empty() ? "" : file_ + ' ') + place_text(document), Colour::kRed,
                      io_.out_colours)
           << counts_text(document) << '\n';
    }
    out_ << std::flush;
    if (agrees) {
      ++report_.matches;
    } else {
      report_.differences.push_back(counted);
    }
  }

  /// Prints the results of the suite, and returns its exit code.
  int finish() {
    report_.seconds = watch_.seconds();
    const Json document = suite_document(report_);
    if (form_ == Format::kText) out_ << summary_text(document);
    if (form_ == Format::kJson) out_ << json_line(document);
    return exit_code();
  }

  [[nodiscard]] int exit_code() const {
    if (!report_.differences.empty()) return kExitMismatch;
    return incomplete_ ? kExitError : kExitOk;
  }

 private:
  [[nodiscard]] std::string csv_file() const { return file_.empty() ? "" : csv_field(file_) + ','; }

  Format form_;
  bool incomplete_;
  std::string file_;
  Io& io_;
  std::ostream& out_;
  const Stopwatch watch_;
  SuiteReport report_;
};

/// Counts one suite. Sets `hashed` if a count used a table. Returns an exit code, or an error after
/// which no further suite is counted.
Result<int> count_suite(const SuiteOptions& options, const Suite& suite, bool several, bool& hashed,
                        Io& io) {
  Printer printer(options, suite, several, io);
  LeftOut left_out(options);
  std::vector<JobSpec> jobs;
  std::vector<std::pair<const SuiteLine*, const EpdCount*>> asked;
  for (const SuiteLine& line : suite.lines) {
    for (const EpdCount& count : line.record.counts) {
      if (left_out.takes(count)) {
        printer.skip();
        continue;
      }
      auto job = make_job(question_of(line.record.root, count.depth), options);
      if (!job) return job.error();
      jobs.push_back(std::move(job).value());
      asked.emplace_back(&line, &count);
    }
  }
  const auto error = [&] {
    Progress progress;
    const ProgressDisplay display(progress, options.progress, io, {});
    return count_many(jobs, io.stop, &progress, [&](const ManyCounted& counted) {
      const auto& [line, count] = asked[counted.job];
      printer.add(*line, *count, counted.nodes);
      hashed |= counted.hashed;
      return bool(io.out);  // false if the reader has gone
    });
  }();
  if (error) return *error;
  if (!io.out) return printer.exit_code();
  const int exit_code = printer.finish();
  return jobs.empty() ? fail(io, left_out.error(suite, "nothing was compared")) : exit_code;
}

/// Counts all suites with our own generator and returns the exit code.
int count_suites(const SuiteOptions& options, const std::vector<Suite>& suites, Io& io) {
  const bool several = suites.size() > 1;
  int exit_code = kExitOk;
  bool hashed = false;
  Printer::print_head(options.format, several, io);
  for (const Suite& suite : suites) {
    const Result<int> of_it = count_suite(options, suite, several, hashed, io);
    if (!of_it) return fail(io, of_it.error());
    // kExitMismatch takes precedence over kExitError: a difference is reported even if another
    // suite could not be compared.
    if (exit_code != kExitMismatch && *of_it != kExitOk) exit_code = *of_it;
    if (!io.out) return exit_code;
  }
  if (!hashed) note_unused_table(options, io);
  return exit_code;
}

/// Asks the engine for the counts of all suites and returns the exit code. Uses our own generator
/// only if the engine's count differs from the suite's count.
int ask_engine(const SuiteOptions& options, const std::vector<Suite>& suites, Io& io) {
  Result<std::unique_ptr<Engine>> opened = open_engine(options.engine, options.progress, io);
  if (!opened) return fail(io, opened.error());
  std::unique_ptr<Engine> engine = std::move(opened).value();
  const bool text = options.format == Format::kText;
  if (text) io.out << text_line("engine", engine_text(options.engine, *engine));

  const Result<EngineSuiteReport> report = [&] {
    QuestionDisplay display(options.progress, io);
    OneByOne counts(options);
    EngineSuiteOptions how;
    how.engine = options.engine;
    how.limits.max_nodes = options.max_nodes;
    how.max_depth = options.max_depth;
    how.budget = options.budget.value_or(Budget{NodeCount(kUsualBudget), {}});
    how.count = [&](const EpdRecord& record, Depth depth) -> Result<NodeCount> {
      const Result<Report> report = counts.count(question_of(record.root, depth), io.stop);
      if (!report) return report.error();
      return report->nodes;
    };
    how.on_question = [&](const EngineCase& at, Depth depth) {
      const std::string& suite = suites[at.suite].name;
      display(depth, fmt::format(", {} line {}", printable(suite), at.line->number),
              {{"suite", suite}, {"line", at.line->number}});
    };
    how.on_trouble = [&](const EngineCase& at) {
      if (!text) return;
      display.wipe();
      io.out << painted(trouble_text(at, suites), Colour::kRed, io.out_colours) << '\n'
             << std::flush;
    };
    return ask_suites(engine, suites, how, io.stop);
  }();
  if (!report) return fail(io, report.error());

  const bool right = report->agrees();
  if (options.format == Format::kJson) {
    Json json{{"engine", engine_json(options.engine, *engine)}};
    json.update(engine_suite_json(*report, suites));
    io.out << json_line(json);
  } else if (options.format == Format::kJUnit) {
    io.out << engine_suite_junit(*report, suites, engine->name());
  } else {
    io.out << named_as(io.program, engine_suite_text(*report, suites, options.engine))
           << text_line("verdict", painted(verdict_text(*report, suites),
                                           right ? Colour::kGreen : Colour::kRed, io.out_colours));
  }
  if (!right) show_engine_errors(engine->words().errors, io);
  if (report->count(CaseState::kDiffers) > 0) return kExitMismatch;
  return right && !any_is_incomplete(suites, options) ? kExitOk : kExitError;
}

/// Precondition: --write is given. Returns an error if no files are given, or if a given flag needs
/// counts or an engine.
std::optional<Error> flag_of_counting(const SuiteOptions& options) {
  const auto nothing = [](const char* flag) {
    return bad_input(flag, "cannot be combined with --write, which counts nothing");
  };
  if (!options.given.empty()) return nothing(options.given.front().c_str());
  if (options.budget) return nothing("--budget");
  if (options.form_given) return nothing("--format");
  if (options.files.empty())
    return bad_input("", "FILES is required with --write; 'perft suite --help' shows how");
  return std::nullopt;
}

/// Writes all suites as one suite. Omits the counts that exceed the limits.
int write_suites(const SuiteOptions& options, const std::vector<Suite>& suites, Io& io) {
  std::vector<SuiteLine> lines;
  for (const Suite& suite : suites) {
    LeftOut left_out(options);
    const std::size_t before = lines.size();
    for (SuiteLine line : suite.lines) {
      std::erase_if(line.record.counts,
                    [&](const EpdCount& count) { return left_out.takes(count); });
      if (!line.record.counts.empty()) lines.push_back(std::move(line));
    }
    if (lines.size() == before) return fail(io, left_out.error(suite, "no counts to write"));
  }
  io.out << written_suite(*options.write, lines) << std::flush;
  return any_is_incomplete(suites, options) ? kExitError : kExitOk;
}

/// Returns an error if a flag requires --engine, and --engine is not given. Also returns an error
/// if neither --engine nor files are given, or if --engine is given with a format that it does not
/// support.
std::optional<Error> flag_of_the_other_mode(const SuiteOptions& options) {
  if (auto error = contradiction_in(options)) return error;
  if (options.asks_engine()) {
    if (options.format == Format::kCsv)
      return bad_input("--format", "'csv' is not supported with --engine; use text, json or junit");
    return std::nullopt;
  }
  if (options.format == Format::kJUnit) return bad_input("--format", "'junit' requires --engine");
  if (options.budget) return bad_input("--budget", "requires --engine");
  if (options.files.empty())
    return bad_input("", "without --engine, FILES is required; 'perft suite --help' has examples");
  return std::nullopt;
}

int run_suite(const SuiteOptions& options, Io& io) {
  if (auto error = options.write ? flag_of_counting(options) : flag_of_the_other_mode(options))
    return fail(io, *error);
  std::vector<Suite> suites;
  std::vector<std::string> files = options.files;
  if (files.empty()) files.assign(kSuiteNames.begin(), kSuiteNames.begin() + kQuickSuites);
  for (const std::string& file : files) {
    Result<Suite> suite = read_suite(file, io);
    if (!suite) return fail(io, suite.error());
    suites.push_back(std::move(suite).value());
    if (!options.asks_engine()) suites.back().name = file;
  }
  for (const Suite& suite : suites) {
    tell_how_read(suite, io);
    if (options.lenient) tell_what_was_left_out(suite, io);
  }
  if (options.write) return write_suites(options, suites, io);
  return options.asks_engine() ? ask_engine(options, suites, io)
                               : count_suites(options, suites, io);
}

constexpr Flag<SuiteOptions> kFiles{
    "FILES", nullptr,
    "files, - for standard input, or built-in suites: classic, tricky, chess960, deep, corpus, "
    "large; corpus:TAG selects a tag (default with --engine: all built-in ones except large)",
    [](SuiteOptions& options, const std::string& text) {
      return options.files.push_back(text), accepted();
    },
    kSuiteValues};
constexpr Flag<SuiteOptions> kBudget{
    "--budget", "N",
    "with --engine: stop after N nodes (1e9) or a time (90s, 10min, 1h) (default: 2e8)",
    [](SuiteOptions& options, const std::string& text) {
      return store(parse_budget(text, "nodes"), options.budget, "--budget");
    }};
constexpr std::array kForms{
    Choice<Format>{"text", Format::kText}, Choice<Format>{"json", Format::kJson},
    Choice<Format>{"csv", Format::kCsv}, Choice<Format>{"junit", Format::kJUnit}};
constexpr Flag<SuiteOptions> kForm{"--format", "FORMAT",
                                   "text, json, csv, or with --engine junit (default: text)",
                                   [](SuiteOptions& options, const std::string& text) {
                                     options.form_given = true;
                                     return store(choose(kForms, text), options.format, "--format");
                                   },
                                   names_of<kForms>()};
constexpr Flag<SuiteOptions> kMaxDepth{"--max-depth", "D", "skip counts deeper than D",
                                       [](SuiteOptions& options, const std::string& text) {
                                         return store(Depth::parse(text), options.max_depth,
                                                      "--max-depth");
                                       }};
constexpr Flag<SuiteOptions> kLenient{
    "--lenient", nullptr,
    "report and leave out positions that cannot occur in chess, instead of failing",
    switch_on<&SuiteOptions::lenient>};

}  // namespace

Command suite_command() {
  using namespace flags;
  return make_command<SuiteOptions>(
      {.name = "suite",
       .summary = "Check the counts of suites, or check an engine with suites",
       .about = R"(
Suites are accepted in many forms ('perft help suites'): EPD, tables, JSON, YAML, TOML, pages,
source code. If a suite is not ordinary EPD (FEN ;D1 20 ;D2 400), a message says how it was read. A
line that is not understood, or whose position is impossible, is reported, and the other lines are
counted. --write writes the suite in another form, and counts nothing.

With --engine, the engine is asked for every count, smallest first, until the budget is spent. After
a wrong answer, the deeper counts of that position are left out. An engine that crashes or hangs is
started again. The run ends after ten failures in a row; an answer that is not understood is a
failure, too. If a count differs, perft counts the position itself, to detect wrong values in the
suite. The last lines list kinds of moves and tags that most wrong positions and few right positions
have. They are hints where to look, not proofs. The suite 'corpus' has 2580 positions with tags and
31 million leaves in all. 'large' has 20,000 positions with smaller counts. 'corpus:pinned' selects
the positions with a pinned piece; an unknown tag is refused with a list of all tags. --format junit
is for continuous integration, with one test case per position.

Exit code: 0 if all counts match, 1 if any count differs, 130 on Ctrl-C. If no count differs, it is
2 if a file or one of its lines cannot be read, if nothing of a suite is left to compare, or if an
engine fails.)",
       .examples = R"(
perft suite tricky chess960
perft suite my.epd --max-nodes 1e9
perft suite tests.json --write epd
grep kiwi my.epd | perft suite -
perft suite --engine ./my-engine
perft suite --engine ./my-engine corpus:en-passant-forbidden
perft suite --engine ./my-engine --budget 60s --format junit > perft.xml)",
       .needs = {.ends_on_sigterm = true}},
      {kFiles, kEngine, kBudget, kMaxNodes, kMaxDepth, kLenient, kWrite, kAsking, kCounting, kForm,
       kProgress},
      run_suite);
}

namespace {

struct GenOptions : CountOptions, Writing {
  std::uint64_t positions = 100;
  std::uint64_t seed = 1;
  bool chess960 = false;
  Depth depth{4};  ///< largest depth; at least 1
};

/// Returns a random number from 0 to bound - 1. It is the same with every standard library. The
/// bias is negligible, because all bounds in this file are small.
std::size_t below(std::size_t bound, std::mt19937_64& random) {
  return static_cast<std::size_t>(random() % bound);
}

/// Returns a start position of Chess960. With probability 1/4, the back ranks of White and Black
/// are drawn separately. Kings and rooks are then usually on different files.
std::string chess960_start(std::mt19937_64& random) {
  const auto array = [&] {
    std::string pieces = "rnbqkbnr";
    while (true) {
      for (std::size_t i = pieces.size(); i > 1; --i)
        std::swap(pieces[i - 1], pieces[below(i, random)]);
      const std::size_t king = pieces.find('k');
      const bool colours_differ = (pieces.find('b') + pieces.rfind('b')) % 2 == 1;
      if (colours_differ && pieces.find('r') < king && king < pieces.rfind('r')) return pieces;
    }
  };
  const std::string black = array();
  std::string white = below(4, random) == 0 ? array() : black;
  for (char& piece : white) piece = static_cast<char>(piece - 'a' + 'A');
  return black + "/pppppppp/8/8/8/8/PPPPPPPP/" + white + " w KQkq - 0 1";
}

/// Returns a position from a random game. Captures, promotions, castling and double pushes are more
/// frequent than in purely random games, because such moves expose bugs. If an en passant capture
/// is possible, the game ends at this position with probability 1/3, because such positions would
/// otherwise be rare.
Position random_position(Position position, std::mt19937_64& random) {
  for (std::size_t plies = 2 + below(120, random); plies > 0; --plies) {
    const MoveList moves = legal_moves(position);
    if (moves.empty()) return position;
    Move move = moves[below(moves.size(), random)];
    const auto quiet_play = [&] {
      return move.kind() == MoveKind::kNormal && !position.piece_on(move.to());
    };
    if (quiet_play() && below(3, random) == 0) move = moves[below(moves.size(), random)];
    position = position.after_unchecked(move);
    if (position.board().en_passant != 0 && below(3, random) == 0) break;
  }
  return position;
}

/// Counts `positions` at each depth, and writes each position with its counts.
std::optional<Error> write_positions(const std::vector<NamedPosition>& positions,
                                     const GenOptions& options, SuiteWriter& writer, Io& io) {
  std::vector<JobSpec> jobs;
  for (const NamedPosition& position : positions) {
    for (int depth = 1; depth <= options.depth.plies(); ++depth) {
      auto job = make_job(question_of(position, Depth(depth)), options);
      if (!job) return job.error();
      jobs.push_back(std::move(job).value());
    }
  }
  SuiteLine line{};
  return count_many(jobs, io.stop, nullptr, [&](const ManyCounted& counted) {
    const JobSpec& job = jobs[counted.job];
    if (job.depth == Depth(1))
      line.record = {job.root, to_fen(job.root.position, job.root.notation), {}};
    line.record.counts.push_back({job.depth, counted.nodes});
    if (job.depth == options.depth) io.out << writer.row(position_document(line)) << std::flush;
    return bool(io.out);  // false if the reader has gone
  });
}

/// Writes distinct positions that have at least one legal move, in batches of kAtOnce.
int run_gen(const GenOptions& options, Io& io) {
  const auto notation =
      options.chess960 ? CastlingNotation::kChess960 : CastlingNotation::kStandard;
  std::mt19937_64 random(options.seed);
  std::set<Position> seen;
  constexpr int kPatience = 1000;  // limit on consecutive games without a new position
  int fruitless = 0;
  constexpr std::size_t kAtOnce = 256;  // number of positions that are counted at the same time
  std::vector<NamedPosition> positions;
  std::vector<Depth> depths;
  for (int depth = 1; depth <= options.depth.plies(); ++depth) depths.emplace_back(depth);
  SuiteWriter writer(options.write.value_or(SuiteForm::kEpd), std::move(depths));
  io.out << writer.head();
  while (seen.size() < options.positions && io.out) {
    if (io.stop.stop_requested()) return fail(io, {ErrorCode::kCancelled, "", 0, ""});
    const std::string start = options.chess960 ? chess960_start(random) : std::string(kStartFen);
    const Position position = random_position(parse_position(start)->position, random);
    if (legal_moves(position).empty() || !seen.insert(position).second) {
      if (++fruitless <= kPatience) continue;
      if (auto error = write_positions(positions, options, writer, io)) return fail(io, *error);
      return fail(io, {ErrorCode::kUnavailable, "", 0, "no further positions were found"});
    }
    fruitless = 0;
    positions.push_back({position, notation});
    if (positions.size() < kAtOnce && seen.size() < options.positions) continue;
    if (auto error = write_positions(positions, options, writer, io)) return fail(io, *error);
    positions.clear();
  }
  io.out << writer.end() << std::flush;
  return kExitOk;
}

constexpr std::array<Flag<GenOptions>, 4> kGenerating{{
    {"--positions", "K", "number of positions (default: 100)",
     take_amount<&GenOptions::positions, 1, 100'000'000>},
    {"--seed", "S", "seed for the random games; another seed gives other positions (default: 1)",
     take_number<&GenOptions::seed, 0, UINT64_MAX>},
    {"--chess960", nullptr, "start the games from Chess960 start positions",
     switch_on<&GenOptions::chess960>},
    {"--depth", "D", "write counts for depths 1 to D, at most 64 (default: 4)",
     [](GenOptions& options, const std::string& text) -> std::optional<Error> {
       if (text == "0") return bad_input("--depth", "must be at least 1");
       return store(Depth::parse(text), options.depth, "--depth");
     }},
}};

}  // namespace

Command gen_command() {
  using namespace flags;
  return make_command<GenOptions>({.name = "gen",
                                   .summary = "Write a suite of random positions with their counts",
                                   .about = R"(
Writes distinct legal positions from random games, with counts that test other generators. The form
is EPD (FEN ;D1 20 ;D2 400); with --write, it is JSON or CSV. A seed gives the same suite on every
machine.)",
                                   .examples = R"(
perft gen --positions 1000 --seed 7 > random.epd
perft gen --positions 50 --chess960 --depth 5)"},
                                  {kGenerating, kWrite, kThreads, kKernel}, run_gen);
}

}  // namespace manyply
