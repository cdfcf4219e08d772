#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/epd.h"
#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/line_reader.h"

namespace manyply {
namespace {

struct SuiteLine {
  int number;  ///< in the file, from 1
  EpdRecord record;
};

/// The lines that hold positions. The whole file is read before anything is counted, so that a
/// mistake in its last line does not cost the hours before it.
Result<std::vector<SuiteLine>> read_suite(const std::string& file, const Io& io) {
  const auto in_file = [&](Error error, int line) {
    const std::string name = file == "-" ? "standard input" : file;
    const std::string place = line > 0 ? name + ":" + std::to_string(line) : name;
    error.field = error.field.empty() ? place : place + ": " + error.field;
    return error;
  };
  const int fd = file == "-" ? ::dup(io.input) : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    const std::string why = std::error_code(errno, std::generic_category()).message();
    return in_file({ErrorCode::kUnavailable, "", 0, why}, 0);
  }
  struct Closer {
    int fd;
    ~Closer() { ::close(fd); }
  } const closer{fd};

  LineReader reader(fd, io.stop);
  std::vector<SuiteLine> lines;
  for (int number = 1;; ++number) {
    const Result<std::optional<std::string>> line = reader.next();
    if (!line) return in_file(line.error(), 0);
    if (!line->has_value()) break;
    Result<std::optional<EpdRecord>> record = parse_epd_line(**line);
    if (!record) return in_file(record.error(), number);
    if (record->has_value()) lines.push_back({number, **record});
  }
  if (lines.empty()) return in_file({ErrorCode::kInvalidInput, "", 0, "no positions in it"}, 0);
  return lines;
}

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
      out_ << fmt::format("{}: {} positions, {} counts match, {} differ, {} skipped, {:.1f} s\n",
                          file, positions, matches_, mismatches_, skipped_, seconds);
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

}  // namespace

int run_suite(const Options& options, Io& io) {
  const Result<std::vector<SuiteLine>> lines = read_suite(options.file, io);
  if (!lines) return fail(io, lines.error());

  SuiteReport suite(options.format, io);
  for (const auto& [number, record] : *lines) {
    for (const EpdCount& count : record.counts) {
      if (!io.out) return suite.exit_code();  // nobody listens any more
      if (count.depth > options.max_depth ||
          (options.max_nodes && count.nodes > *options.max_nodes)) {
        suite.skip();
        continue;
      }
      const Result<JobSpec> job = make_job(options, record.root, count.depth);
      if (!job) return fail(io, job.error());
      const Result<Report> report = run_and_show(
          *job, options, io, fmt::format("line {}, depth {}  ", number, count.depth.plies()));
      if (!report) return fail(io, report.error());
      suite.add({number, record, count.depth, count.nodes, report->nodes});
    }
  }
  return suite.finish(options.file, lines->size());
}

}  // namespace manyply
