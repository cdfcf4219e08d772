#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/suite_file.h"

namespace manyply {
namespace {

struct SuiteOptions : Means, Showing, SuiteChoice {
  Depth max_depth{Depth::kMax};
};

/// One count of the suite, done.
struct Outcome {
  int line;
  const EpdRecord& record;
  Depth depth;
  NodeCount expected;
  NodeCount nodes;
  [[nodiscard]] bool agrees() const { return expected == nodes; }
  [[nodiscard]] const char* verdict() const { return agrees() ? "match" : "mismatch"; }
};

/// What came of the suite so far, printed as it goes (text, CSV) or at the end (JSON).
class SuiteReport {
 public:
  SuiteReport(Format format, Io& io) : format_(format), out_(io.out) {
    if (format_ == Format::kCsv) out_ << "line,depth,expected,nodes,verdict\n" << std::flush;
  }

  void skip() { ++skipped_; }
  void add(const Outcome& outcome) {
    ++(outcome.agrees() ? matches_ : mismatches_);
    const int depth = outcome.depth.plies();
    const std::string expected = outcome.expected.to_string();
    const std::string nodes = outcome.nodes.to_string();
    if (format_ == Format::kCsv) {
      out_ << fmt::format("{},{},{},{},{}\n", outcome.line, depth, expected, nodes,
                          outcome.verdict());
    } else if (!outcome.agrees()) {
      if (format_ == Format::kText) {
        out_ << fmt::format("line {}, depth {}: expected {}, counted {}  {}\n", outcome.line, depth,
                            expected, nodes, outcome.record.fen);
      }
      differences_.push_back({{"line", outcome.line},
                              {"fen", outcome.record.fen},
                              {"depth", depth},
                              {"expected", expected},
                              {"nodes", nodes}});
    }
    out_ << std::flush;
  }

  int finish(const std::string& file, std::size_t positions) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (format_ == Format::kText) {
      out_ << fmt::format("{}: {} {}, {} counts match, {} differ, {} skipped, {:.1f} s\n",
                          name_of_suite(file), positions, positions == 1 ? "position" : "positions",
                          matches_, mismatches_, skipped_, seconds);
    } else if (format_ == Format::kJson) {
      const nlohmann::ordered_json json{{"file", file},
                                        {"positions", positions},
                                        {"matches", matches_},
                                        {"mismatches", mismatches_},
                                        {"skipped", skipped_},
                                        {"seconds", seconds},
                                        {"differences", differences_}};
      out_ << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    }
    return exit_code();
  }

  [[nodiscard]] int exit_code() const { return mismatches_ == 0 ? kExitOk : kExitMismatch; }

 private:
  Format format_;
  std::ostream& out_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int matches_ = 0;
  int mismatches_ = 0;
  int skipped_ = 0;
  nlohmann::ordered_json differences_ = nlohmann::ordered_json::array();
};

int run_suite(const SuiteOptions& options, Io& io) {
  const Result<std::vector<SuiteLine>> lines = read_suite(options.file, io);
  if (!lines) return fail(io, lines.error());

  SuiteReport suite(options.format, io);
  std::vector<JobSpec> jobs;
  std::vector<std::pair<const SuiteLine*, const EpdCount*>> asked;
  for (const SuiteLine& line : *lines) {
    for (const EpdCount& count : line.record.counts) {
      if (count.depth > options.max_depth ||
          (options.max_nodes && count.nodes > *options.max_nodes)) {
        suite.skip();
        continue;
      }
      auto job = make_job(question_of(line.record.root, count.depth), options);
      if (!job) return fail(io, job.error());
      jobs.push_back(std::move(job).value());
      asked.emplace_back(&line, &count);
    }
  }
  bool hashed = false;
  const auto error = count_many_and_show(jobs, options, io, [&](const ManyCounted& counted) {
    const auto& [line, count] = asked[counted.job];
    suite.add({line->number, line->record, count->depth, count->nodes, counted.nodes});
    hashed |= counted.hashed;
    return bool(io.out);  // else nobody listens any more
  });
  if (error) return fail(io, *error);
  if (!io.out) return suite.exit_code();
  const int exit_code = suite.finish(options.file, lines->size());
  if (!hashed) note_unused_table(options, io);
  return exit_code;
}

constexpr Flag<SuiteOptions> kFile{
    "FILE", "", "EPD file, or - for standard input",
    [](SuiteOptions& options, const std::string& text) { return options.file = text, accepted(); }};
constexpr Flag<SuiteOptions> kMaxDepth{"--max-depth", "D", "skip counts deeper than D",
                                       [](SuiteOptions& options, const std::string& text) {
                                         return store(Depth::parse(text), options.max_depth,
                                                      "--max-depth");
                                       }};

}  // namespace

Command suite_command() {
  using namespace flags;
  return make_command<SuiteOptions>(
      {.name = "suite",
       .summary = "Check every count of an EPD file",
       .about = R"(
Each line is a position and its counts: FEN ;D1 20 ;D2 400. Spaces are free, # starts a comment,
positions may be Chess960. Exit code: 0 if all counts match, 1 if any differs, 2 if the file cannot
be read.)",
       .examples = R"(
perft suite tests/data/classic.epd --max-nodes 1000000000
grep kiwi my.epd | perft suite -)"},
      {kFile, kMaxNodes, kMaxDepth, kCounting, kPlainFormat, kProgress}, run_suite);
}

}  // namespace manyply
