#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/fen.h"
#include "core/known_values.h"
#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/suite_file.h"
#include "tools/report/mode_formats.h"
#include "tools/report/value_check.h"
#include "tools/text/json_text.h"
#include "tools/text/number_text.h"

namespace manyply {
namespace {

struct CheckOptions : Question, CountOptions, Showing {
  ExpectedValue expected;
};

/// Returns the positions of four built-in suites, with their expected counts.
std::vector<EpdRecord> suite_positions() {
  std::vector<EpdRecord> records;
  for (const char* name : {"classic", "tricky", "chess960", "deep"}) {
    std::string_view text = builtin_suite(name).value_or("");
    while (!text.empty()) {
      const auto record = parse_epd_line(cut_line(text));
      if (record && *record) records.push_back(**record);
    }
  }
  return records;
}

/// Parses a count in the forms that users copy from programs, sources and tables: 197281, `197281`,
/// 1e6, 197_281ULL, 197,281 or 197.281 or 197 281. Accepts negative values, too, because an
/// overflowed counter may print -2094733328.
Result<ExpectedValue> parse_expected(const std::string& text) {
  constexpr std::string_view kMarks = " \t\"'`;,.";
  const std::size_t first = std::min(text.find_first_not_of(kMarks), text.size());
  std::string value = to_lower(text.substr(first, text.find_last_not_of(kMarks) + 1 - first));
  const bool is_negative = value.starts_with('-');
  if (is_negative) value.erase(0, 1);
  for (const std::string_view suffix : {"ull", "ul", "ll", "u", "l", "n", "u64", "u128"}) {
    if (value.size() <= suffix.size() || !value.ends_with(suffix)) continue;
    value.resize(value.size() - suffix.size());
    if (value.ends_with('_')) value.pop_back();
    break;
  }
  const Result<NodeCount> printed = parse_grouped(value);
  const Result<NodeCount> size = printed ? printed : parse_nodes(value);
  if (size) return ExpectedValue{*size, is_negative};
  return Error{size.error().code, "", 0, quote(text) + " is not a whole number"};
}

/// Makes the count and compares the user's value with it. If the value is wrong, searches for an
/// explanation.
int run_check(const CheckOptions& options, Io& io) {
  const Result<Question> question = validated(options);
  if (!question) return fail(io, question.error());
  const Result<Answer> found = answer_and_show(*question, {.count_options = options}, options, io);
  if (!found) return fail(io, found.error());

  CheckedValue checked{options.expected, found->nodes.value_or(0), {}};
  bool interrupted = false;
  if (!checked.agrees()) {
    TableKeeper tables;
    const std::vector<EpdRecord> suites = suite_positions();
    const Resources resources{.count_options = options, .stop = io.stop, .tables = &tables};
    auto hints = explain_value(*question, checked.nodes, checked.expected, resources, suites);
    // If the search for explanations was interrupted, print the comparison, which is already
    // finished.
    interrupted = !hints && hints.error().code == ErrorCode::kCancelled;
    if (hints) {
      checked.hints = std::move(hints).value();
    } else if (!interrupted) {
      io.err << "perft: cannot search for explanations: " << hints.error().message << '\n';
    }
  }
  const nlohmann::ordered_json document = check_document(checked, question->line, options.depth);
  io.out << (options.format == Format::kJson  ? json_line(document)
             : options.format == Format::kCsv ? check_csv(document)
                                              : check_text(document));
  if (interrupted) return fail(io, cancelled());
  if (!found->hashed) note_unused_table(options, io);
  return checked.agrees() ? kExitOk : kExitMismatch;
}

constexpr Flag<CheckOptions> kValue{"VALUE", "",
                                    "the count to compare: 4865609, 4,865,609 or 4.8e6",
                                    [](CheckOptions& options, const std::string& text) {
                                      return store(parse_expected(text), options.expected, "value");
                                    }};

}  // namespace

Command check_command() {
  using namespace flags;
  return make_command<CheckOptions>(
      {.name = "check",
       .summary = "Compare one count with a value",
       .about = R"(
If the value is wrong, prints possible explanations: the value is the sum of all plies, the count of
another depth or position, an overflowed counter, the number of distinct positions, or the count
without one kind of moves in the last ply (such as en passant captures or mates). The explanations
are hints, not proofs, because numbers may be equal by chance. Exit code: 0 if the value matches, 1
if not, 2 on an error.)",
       .examples = R"(
perft check startpos 5 4865609
perft check kiwipete 2 2087)"},
      {kFenArgument, kDepth, kValue, kMoves, kChess960, kCounting, kPlainFormat, kProgress},
      run_check);
}

namespace {

struct CompareOptions : Question, CountOptions, Showing {
  CompareOptions() { mode = CountMode::kHashed; }
};

/// Runs the three counts one after the other, because counts that run at the same time are slower.
int run_compare(const CompareOptions& options, Io& io) {
  const Result<Question> question = validated(options);
  if (!question) return fail(io, question.error());
  const Result<JobSpec> job = make_job(*question, options);
  if (!job) return fail(io, job.error());
  if (!job->hash)
    return fail(io, bad_input("--hash", "cannot be off, because compare also counts with a table"));
  JobSpec plain_job = *job;
  plain_job.hash.reset();
  JobSpec matrix_job = *job;
  matrix_job.method = Method::kConfigurations;

  const auto run = [&](const JobSpec& spec, std::string label) {
    Progress progress;
    const ProgressDisplay display(progress, options.progress, io, std::move(label));
    return run_job(spec, io.stop, &progress);
  };
  const Result<Report> hashed = run(*job, "hashed  ");
  if (!hashed) return fail(io, hashed.error());
  const Result<Report> unhashed = run(plain_job, "unhashed  ");
  if (!unhashed) return fail(io, unhashed.error());
  Result<Report> configurations = run(matrix_job, "configurations  ");
  if (!configurations) {
    if (configurations.error().code != ErrorCode::kUnavailable)
      return fail(io, configurations.error());
    io.err << "perft: no count by configurations: " << configurations.error().message << '\n';
    configurations = *hashed;  // the output then has no row for configurations
  }
  const MethodReports reports{*hashed, *unhashed, *configurations};
  const nlohmann::ordered_json document = compare_document(reports, question->line, options.depth);
  io.out << (options.format == Format::kJson ? json_line(document)
                                             : named_as(io.program, compare_text(document)));
  if (!reports.hashed.hash) note_unused_table(options, io);
  return agree(reports) ? kExitOk : kExitMismatch;
}

}  // namespace

Command compare_command() {
  using namespace flags;
  return make_command<CompareOptions>({.name = "compare",
                                       .summary = "Measure the benefit of hashing",
                                       .about = R"(
Counts with a table, without a table, and by configurations (without table and keys). Prints the
speeds, the hit rate, and the speed-up by the table. Exit code: 0, 1 if the counts differ from each
other or from the published value, 2 on an error, 130 on Ctrl-C.)",
                                       .examples = "perft compare 7"},
                                      {kDepth, kPosition, kCounting, kReportFormat, kProgress},
                                      run_compare);
}

namespace {

struct SignatureOptions : CountOptions, Showing {};

int run_signature(const SignatureOptions& options, Io& io) {
  NodeCount total;
  bool wrong = false;
  bool hashed = false;
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  std::string csv = "fen,depth,nodes\n";
  std::string differences;
  TableKeeper keeper;
  for (const SignatureItem& item : kSignatureItems) {
    const Result<NamedPosition> root = parse_position(item.fen);
    if (!root) return fail(io, root.error());
    Question question = question_of(*root, Depth(item.depth));
    // Setting up a table takes longer than most of these counts, so all counts share one table.
    question.mode = CountMode::kHashed;
    const Result<Answer> found =
        answer_and_show(question, {.count_options = options, .tables = &keeper}, options, io);
    if (!found) return fail(io, found.error());
    hashed |= found->hashed;
    const NodeCount counted = found->nodes.value_or(0);
    total += counted;
    const std::string nodes = counted.to_string();
    items.push_back({{"fen", item.fen},
                     {"depth", item.depth},
                     {"nodes", nodes},
                     {"expected", std::to_string(item.nodes)}});
    csv += fmt::format("{},{},{}\n", item.fen, item.depth, nodes);
    if (counted == item.nodes) continue;
    wrong = true;  // the sum may be right because two errors cancel
    differences += fmt::format("depth {}: expected {}, counted {}  {}\n", item.depth, item.nodes,
                               nodes, item.fen);
  }

  if (options.format == Format::kJson) {
    const nlohmann::ordered_json json{{"signature", total.to_string()},
                                      {"expected", std::to_string(kSignature)},
                                      {"verdict", wrong ? "mismatch" : "match"},
                                      {"positions", items}};
    io.out << json_line(json);
  } else if (options.format == Format::kCsv) {
    io.out << csv << "total,," << total.to_string() << '\n';
  } else {
    io.out << total.to_string() << '\n'
           << differences
           << (wrong ? fmt::format("mismatch: a correct build prints {}\n", kSignature)
                     : fmt::format("match: every correct build counts this number of leaves in {} "
                                   "fixed positions\n",
                                   kSignatureItems.size()));
  }
  if (!hashed) note_unused_table(options, io);
  return wrong ? kExitMismatch : kExitOk;
}

}  // namespace

Command signature_command() {
  using namespace flags;
  return make_command<SignatureOptions>(
      {.name = "signature", .summary = "Check this build by its signature, 86489390", .about = R"(
Counts the leaves of a fixed list of positions. Their sum is 86489390 on every machine, with every
kernel and any number of threads. Exit code: 0 if this build counts that sum, 1 if not (the build is
broken, or --key-bits made false matches), 2 on an error, 130 on Ctrl-C.)"},
      {kCounting, kPlainFormat, kProgress}, run_signature);
}

}  // namespace manyply
