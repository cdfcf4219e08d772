#include "tools/report/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/stopwatch.h"
#include "core/bitboard.h"
#include "core/known_values.h"
#include "parallel/jobs/job.h"
#include "tools/report/count_format.h"
#include "tools/report/mode_formats.h"
#include "tools/report/suite_format.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

static_assert(Question::kMinSamples == EstimateSpec::kMinSamples &&
              Question::kMaxSamples == EstimateSpec::kMaxSamples);

Error contradiction(const char* option, const char* why) {
  return {ErrorCode::kInvalidInput, option, 0, why};
}

/// Returns whether the user set an option that only hashed counts use. Ignores default values.
bool asks_for_table(const CountOptions& count_options) {
  return !count_options.table_is_given &&
         (count_options.table_bytes || table_option_in(count_options) != nullptr);
}

/// Returns an error if options of `count_options` contradict each other.
std::optional<Error> contradiction_in(const CountOptions& count_options) {
  const std::uint64_t bytes = count_options.table_bytes.value_or(kMinHashBytes);
  if (bytes > 0 && bytes < kMinHashBytes) return contradiction("hash", "must be at least 64K");
  const char* const option = table_option_in(count_options);
  if (option == nullptr) return std::nullopt;
  if (bytes == 0) return contradiction(option, "has no effect without a table");
  if (count_options.method == Method::kConfigurations)
    return contradiction(
        option, "has no effect on a count by configurations, which has neither table nor keys");
  return std::nullopt;
}

/// Returns the members that all specifications share.
TaskSpec task_of(const Question& question, const CountOptions& count_options) {
  return {.root = question.line.named(),
          .depth = question.depth,
          .threads = count_options.threads,
          .kernel = count_options.kernel,
          .placement = {.interleave_tables = count_options.interleave_tables,
                        .pin_workers = count_options.pin_workers}};
}

/// Returns the method of a question. kAuto means that run_job() chooses the method. In mode kCount,
/// any option about tables replaces kAuto by kHashed.
Method method_of(const Question& question, const CountOptions& count_options) {
  if (question.mode == CountMode::kConfigurations) return Method::kConfigurations;
  if (question.mode != CountMode::kCount) return Method::kHashed;
  return count_options.method == Method::kAuto && asks_for_table(count_options)
             ? Method::kHashed
             : count_options.method;
}

}  // namespace

const char* table_option_in(const CountOptions& count_options) {
  return count_options.key_seed            ? "key-seed"
         : count_options.key_bits          ? "key-bits"
         : count_options.interleave_tables ? "interleave"
                                           : nullptr;
}

Result<JobSpec> job_spec(const Question& question, const CountOptions& count_options) {
  if (auto error = contradiction_in(count_options)) return *std::move(error);
  JobSpec spec{task_of(question, count_options)};
  spec.method = method_of(question, count_options);
  spec.memory_bytes = count_options.memory_bytes;
  spec.parts = count_options.parts;
  if (count_options.table_bytes == 0 || question.mode == CountMode::kUnhashed) return spec;
  spec.hash.emplace();
  spec.hash->bytes = count_options.table_bytes.value_or(0);
  spec.hash->keys.seed = count_options.key_seed.value_or(KeySpec::kDefaultSeed);
  spec.hash->keys.bits = count_options.key_bits.value_or(KeySpec::kMaxBits);
  return spec;
}

Result<StatisticsSpec> statistics_spec(const Question& question,
                                       const CountOptions& count_options) {
  const Result<JobSpec> job = job_spec(question, count_options);
  if (!job) return job.error();
  StatisticsSpec spec{task_of(question, count_options)};
  if (job->hash) spec.hash = StatisticsHash{.bytes = job->hash->bytes, .keys = job->hash->keys};
  return spec;
}

EstimateSpec estimate_spec(const Question& question, const CountOptions& count_options) {
  EstimateSpec spec{task_of(question, count_options)};
  spec.samples = question.samples.value_or(kUsualSamples);
  spec.seed = question.seed.value_or(Question::kUsualSeed);
  return spec;
}

UniqueSpec unique_spec(const Question& question, const CountOptions& count_options) {
  UniqueSpec spec{task_of(question, count_options)};
  if (count_options.table_bytes.value_or(0) > 0)
    spec.memory_bytes = std::max(*count_options.table_bytes, UniqueSpec::kMinMemoryBytes);
  return spec;
}

namespace {

/// Announces a phase. Returns its progress counters; null if the caller does not observe phases.
Progress* start(const Resources& resources, std::string_view phase) {
  return resources.on_phase ? resources.on_phase(phase) : nullptr;
}

/// Adds the counters of the report's table to `answer`. Marks the seed in `report` as secret if
/// `resources` require this.
void take_table(Report& report, const Resources& resources, Answer& answer) {
  if (!report.hash) return;
  report.hash->secret_seed = resources.secret_seed;
  const HashStats::PerDepth total = report.hash->stats.total();
  answer.hashed = true;
  answer.table_probes += total.probes;
  answer.table_hits += total.hits;
}

/// Frees the tables that the keeper stores for other counts. This count can then use their memory.
void release_tables(const Resources& resources) {
  if (resources.tables != nullptr) resources.tables->release();
}

/// Answers the modes that run one job: hashed, unhashed, count and configurations.
Result<Answer> answer_count(const Question& question, const Resources& resources) {
  Result<JobSpec> asked = job_spec(question, resources.count_options);
  if (!asked) return asked.error();
  JobSpec spec = std::move(asked).value();
  spec.divide = resources.divide;
  spec.store = resources.store;
  spec.device = resources.device;
  if (spec.hash) spec.keeper = resources.tables;
  spec.one_of_many = resources.one_of_many;
  spec.on_parts = resources.on_parts;
  spec.on_fallback = resources.on_fallback;
  Result<Report> counted = run_job(spec, resources.stop, start(resources, ""));
  if (!counted) return counted.error();
  Report report = std::move(counted).value();
  Answer answer;
  take_table(report, resources, answer);
  answer.nodes = report.nodes;
  answer.verdict = to_string(report.known);
  answer.document = count_document(report, question.line, question.depth, resources.divide);
  return answer;
}

/// Verifies a hashed count. Uses new, empty tables, because the verdict is about the whole run.
Result<Answer> answer_verify(const Question& question, const Resources& resources) {
  Result<JobSpec> asked = job_spec(question, resources.count_options);
  if (!asked) return asked.error();
  JobSpec spec = std::move(asked).value();
  if (!spec.hash)
    return Error{ErrorCode::kInvalidInput, "hash", 0,
                 "cannot be off, because verify checks the table"};
  spec.device = resources.device;
  spec.one_of_many = resources.one_of_many;
  release_tables(resources);
  Result<VerifyReport> verified =
      verify_job(spec, resources.verify, resources.stop, resources.on_phase);
  if (!verified) return verified.error();
  VerifyReport report = std::move(verified).value();
  Answer answer;
  for (VerifiedRun& run : report.runs) take_table(run.report, resources, answer);
  // Prefer the total of the recount, which uses no keys. The recount has a total only if all
  // subtrees were counted again.
  if (report.recount.subtrees == report.subtrees) {
    answer.nodes = report.recount.nodes;
  } else if (report.third) {
    answer.nodes = report.third->nodes;
  } else if (report.agrees()) {
    answer.nodes = report.runs.front().report.nodes;
  }
  answer.verdict = report.agrees() ? "agree" : "differ";
  answer.document = json_line(verify_document(report, question.line, question.depth));
  return answer;
}

/// Answers mode stats. If `details` is set, a second pass counts the kinds of moves that kernels do
/// not count.
Result<Answer> answer_statistics(const Question& question, const Resources& resources) {
  Result<StatisticsSpec> asked = statistics_spec(question, resources.count_options);
  if (!asked) return asked.error();
  StatisticsSpec spec = std::move(asked).value();
  spec.store = resources.store;
  spec.keeper = resources.tables;
  const Result<StatisticsReport> report =
      run_statistics(spec, resources.stop, start(resources, ""));
  if (!report) return report.error();
  std::vector<LastPlyEntry> details;
  if (question.details) {
    auto counted = count_last_ply(spec, resources.stop, start(resources, "details"));
    if (!counted) return counted.error();
    details = std::move(counted).value();
  }
  Answer answer;
  answer.nodes = report->totals[Statistic::kNodes];
  answer.verdict = to_string(report->known);
  answer.document = statistics_document(*report, question.line, question.depth,
                                        question.details ? &details : nullptr);
  answer.hashed = report->table_bytes > 0;
  answer.table_probes = report->probes;
  answer.table_hits = report->hits;
  return answer;
}

/// Answers a question of mode `estimate`. At small depths the count is exact, and the answer has
/// `nodes` instead of `estimate`.
Result<Answer> answer_estimate(const Question& question, const Resources& resources) {
  const EstimateSpec spec = estimate_spec(question, resources.count_options);
  const Result<EstimateReport> report = estimate_nodes(spec, resources.stop, start(resources, ""));
  if (!report) return report.error();
  const KnownVerdict verdict =
      judge_estimate(known_value(spec.root.position, question.depth), report->low, report->high);
  Answer answer;
  if (report->exact) {
    answer.nodes = NodeCount(static_cast<std::uint64_t>(report->estimate));
    answer.verdict = to_string(verdict);
  } else {
    answer.estimate = report->estimate;
    answer.verdict = verdict == KnownVerdict::kMatch      ? "inside"
                     : verdict == KnownVerdict::kMismatch ? "outside"
                                                          : to_string(verdict);
  }
  answer.document = estimate_document(*report, question.line, question.depth, spec.seed);
  return answer;
}

/// Answers mode unique.
Result<Answer> answer_unique(const Question& question, const Resources& resources) {
  release_tables(resources);  // the count of distinct positions uses their memory
  UniqueSpec spec = unique_spec(question, resources.count_options);
  spec.store = resources.store;
  std::vector<UniquePly> plies;
  const UniqueObserver observer{
      .on_start = [&](int ply) { return start(resources, fmt::format("ply {}", ply)); },
      .on_plan = resources.found.on_plan,
      .on_ply = [&](const UniquePly& ply) -> std::optional<Error> {
        plies.push_back(ply);
        return resources.found.on_ply ? resources.found.on_ply(ply) : std::nullopt;
      },
      .on_position = resources.found.on_position};
  if (auto error = find_unique(spec, observer, resources.stop)) return *std::move(error);
  return unique_answer(plies, spec.root);
}

constexpr std::array<Form, 4> kCountForms{{{Format::kText, count_text},
                                           {Format::kCsv, divide_csv},
                                           {Format::kStockfish, divide_as_stockfish},
                                           {Format::kEpd, count_epd}}};
constexpr std::array<Form, 1> kVerifyForms{{{Format::kText, verify_text}}};
constexpr std::array<Form, 4> kStatisticsForms{{{Format::kText, statistics_text},
                                                {Format::kCsv, statistics_csv},
                                                {Format::kStockfish, divide_as_stockfish},
                                                {Format::kEpd, count_epd}}};
constexpr std::array<Form, 1> kEstimateForms{{{Format::kText, estimate_text}}};
constexpr std::array<Form, 2> kUniqueForms{
    {{Format::kText, unique_text}, {Format::kCsv, unique_csv}}};

// In the order of CountMode. The second column says whether the mode can resume.
constexpr std::array<Mode, 8> kModes{{
    {CountMode::kHashed, true, answer_count, kCountForms},
    {CountMode::kUnhashed, true, answer_count, kCountForms},
    {CountMode::kVerify, false, answer_verify, kVerifyForms},
    {CountMode::kStatistics, true, answer_statistics, kStatisticsForms},
    {CountMode::kEstimate, false, answer_estimate, kEstimateForms},
    {CountMode::kUnique, true, answer_unique, kUniqueForms},
    {CountMode::kCount, true, answer_count, kCountForms},
    {CountMode::kConfigurations, true, answer_count, kCountForms},
}};

}  // namespace

Answer unique_answer(std::span<const UniquePly> plies, const NamedPosition& root) {
  Answer answer;
  answer.nodes = plies.back().paths;
  answer.distinct = plies.back().distinct;
  answer.verdict = to_string(unique_verdict(plies, root.position));
  answer.document = unique_document(plies, root);
  return answer;
}

bool is_wrong(std::string_view verdict) { return verdict == "mismatch" || verdict == "differ"; }

std::span<const Mode> modes() { return kModes; }
const Mode& info(CountMode mode) { return kModes[static_cast<std::size_t>(mode)]; }

std::optional<double> endless_leaves(const Question& question, const Resources& resources) {
  constexpr int kShallowest = 16;  // perft(15) has been counted, so shallower counts can finish
  // If a position has at most this number of pieces, its deep tree repeats positions so often that
  // a count with a table can finish.
  constexpr int kFewPieces = 12;
  const bool few_pieces = popcount(question.line.here().board().occupied()) <= kFewPieces;
  if (question.depth.plies() < kShallowest || few_pieces || question.mode == CountMode::kEstimate)
    return std::nullopt;
  Question rough = question;
  rough.samples = Question::kMinSamples;
  rough.seed = Question::kUsualSeed;
  const Result<Answer> leaves =
      answer_estimate(rough, {.count_options = resources.count_options, .stop = resources.stop});
  if (!leaves || !leaves->estimate || *leaves->estimate < kLeavesOfAYear) return std::nullopt;
  return leaves->estimate;
}

std::optional<Error> certain_overflow(const Question& question, const Resources& resources) {
  const std::optional<double> leaves = endless_leaves(question, resources);
  if (!leaves || *leaves <= kCertainOverflow) return std::nullopt;
  return Error{ErrorCode::kInvalidInput, "depth", 0,
               fmt::format("the count has about {:.0e} leaves, but the largest possible total is "
                           "2^128 - 1 (3e38); choose a smaller depth, or mode estimate",
                           *leaves)};
}

Result<Answer> answer(const Question& question, const Resources& resources) {
  if (auto error = certain_overflow(question, resources)) return *std::move(error);
  return info(question.mode).answer(question, resources);
}

namespace {

/// The counts of a suite, in the order of the suite.
using SuiteCounts = std::vector<std::pair<const SuiteLine*, EpdCount>>;

SuiteCounts expected_counts(const Suite& suite) {
  SuiteCounts counts;
  for (const SuiteLine& line : suite.lines) {
    for (const EpdCount& count : line.record.counts) counts.emplace_back(&line, count);
  }
  return counts;
}

/// Counts those positions of `counts` whose indices are in `missing`. Records each result in the
/// store, and writes it to `nodes`.
std::optional<Error> count_missing(const SuiteCounts& counts, std::span<const std::size_t> missing,
                                   CountMode mode, const Resources& resources,
                                   std::vector<NodeCount>& nodes) {
  std::vector<JobSpec> jobs;
  for (const std::size_t i : missing) {
    const auto& [line, count] = counts[i];
    Question question = question_of(line->record.root, count.depth);
    question.mode = mode;
    Result<JobSpec> job = job_spec(question, resources.count_options);
    if (!job) return job.error();
    jobs.push_back(std::move(job).value());
    jobs.back().device = resources.device;
    jobs.back().one_of_many = resources.one_of_many && resources.device != nullptr;
  }
  std::optional<Error> unstored;
  const auto take = [&](const ManyCounted& counted) {
    const std::size_t i = missing[counted.job];
    nodes[i] = counted.nodes;
    unstored = resources.store->record(i, to_words(counted.nodes));
    return !unstored;
  };
  auto error = count_many(jobs, resources.stop, resources.on_phase(""), take);
  return error ? error : unstored;
}

/// Compares our counts with the expected counts. The caller adds the number of positions, the
/// refused lines and the time.
SuiteReport compared(const SuiteCounts& counts, std::span<const NodeCount> nodes) {
  SuiteReport report;
  report.file = "batch";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto& [line, count] = counts[i];
    if (nodes[i] == count.nodes) {
      ++report.matches;
    } else {
      report.differences.push_back(
          {line->number, line->record.fen, count.depth, count.nodes, nodes[i]});
    }
  }
  return report;
}

}  // namespace

Result<Answer> answer_suite(const Suite& suite, CountMode mode, const Hash128& identity,
                            const Resources& resources) {
  const Stopwatch watch;
  const auto counts = expected_counts(suite);
  const auto known = resources.store->open({identity, counts.size(), 2, "a batch"});
  if (!known) return known.error();
  std::vector<NodeCount> nodes(counts.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (known->knows(i)) {
      nodes[i] = to_count(known->of(i));
    } else {
      missing.push_back(i);
    }
  }
  resources.tables->release();  // the counts of the suite share new tables
  const auto error = count_missing(counts, missing, mode, resources, nodes);
  const auto lost = resources.store->flush();
  if (error) return *error;
  if (lost) return *lost;

  Answer found;
  try {
    found.nodes = std::accumulate(nodes.begin(), nodes.end(), NodeCount());
  } catch (const CountOverflow&) {
    return Error{ErrorCode::kOverflow, "nodes", 0, "the sum of all counts exceeds 128 bits"};
  }
  SuiteReport report = compared(counts, nodes);
  report.positions = suite.lines.size();
  report.refused = suite.refused;
  report.read_as = suite.read_as;
  report.seconds = watch.seconds();
  found.verdict = !report.differences.empty() ? "mismatch"
                  : report.refused.any()      ? "refused"
                                              : "match";
  found.document = json_line(suite_document(report));
  return found;
}

Result<std::string> written_suite(Format format, const std::string& document,
                                  const std::vector<SuiteLine>& lines) try {
  if (format == Format::kJson) return document;
  const auto json = read_json(document);
  return format == Format::kJUnit ? suite_junit(json, lines) : suite_text(json);
} catch (const std::exception&) {
  return Error{ErrorCode::kInternal, "report", 0, "is not a report that a suite run produced"};
}

// Converts documents to the output formats.

Result<std::string> written(CountMode mode, Format format, const std::string& document,
                            const Presentation& how) try {
  if (format == Format::kJson) return document;
  const std::span<const Form> known = info(mode).forms;
  const auto form = std::ranges::find(known, format, &Form::format);
  if (form == known.end()) {
    std::string names = "json";
    for (const Form& other : known) {
      if (other.format != Format::kText) names += " and " + std::string(to_string(other.format));
    }
    return Error{ErrorCode::kInvalidInput, "format", 0,
                 fmt::format("a job of mode {} supports only {}", to_string(mode), names)};
  }
  return form->write(read_json(document), how);
} catch (const std::exception&) {
  return Error{ErrorCode::kInternal, "report", 0,
               fmt::format("is not a report of mode {}", to_string(mode))};
}

}  // namespace manyply
