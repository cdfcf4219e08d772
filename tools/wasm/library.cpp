// The library of the npm package and, with MANYPLY_FOR_PAGE, of the page without a server. It
// receives one question at a time as JSON and returns the answer as JSON. tools/wasm/npm/worker.js
// calls it.
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/move_text.h"
#include "core/position.h"
#include "parallel/jobs/range_job.h"
#include "parallel/jobs/unique_job.h"
#include "parallel/matrix/unique_by_pairs.h"
#include "tools/cli/framework/progress_display.h"
#include "tools/report/answer.h"
#include "tools/report/question.h"
#include "tools/text/json_text.h"
#include "tools/text/number_text.h"
#ifdef MANYPLY_FOR_PAGE
#include "tools/diagnose/divide_diff.h"
#include "tools/report/document_members.h"
#else
#include "tools/text/suite.h"
#endif

// NOLINTBEGIN(readability-identifier-naming): these names belong to the host
extern "C" {
/// Sends a progress report, in JSON, to the host.
__attribute__((import_module("manyply"), import_name("progress"))) void manyply_progress(
    const char* json, std::size_t length);
/// Returns a buffer for a question of `length` bytes.
__attribute__((export_name("manyply_question"))) char* manyply_question(std::size_t length);
/// Answers the question. Returns the length of the answer, which is at manyply_answer().
__attribute__((export_name("manyply_ask"))) std::size_t manyply_ask();
__attribute__((export_name("manyply_answer"))) const char* manyply_answer();
}
// NOLINTEND(readability-identifier-naming)

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

std::string asked;
std::string answered;

/// A count that is cut into ranges. prepare_ranges() makes this object. The next call of
/// prepare_ranges() deletes it.
struct Ranges {
  JobSpec spec;
  std::optional<JobUnits> units;
  std::vector<PlannedRange> ranges;
  std::unique_ptr<RangeJob> job;
};
std::unique_ptr<Ranges> ranges;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return "invalid_input";
    case ErrorCode::kIllegal:
      return "illegal";
    case ErrorCode::kOverflow:
      return "overflow";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kInternal:
      break;
  }
  return "internal";
}

template <typename Number>
std::optional<Number> number_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<Number>();
}

/// Returns the answer that reports `error`.
Json refusal(const Error& error) {
  return {{"error",
           {{"code", name_of(error.code)},
            {"field", error.field},
            {"column", error.column},
            {"message", error.to_string()}}}};
}

/// Parses and validates the fields that all questions about a position have.
Result<Question> question_in(const Json& json) {
  Question question;
  question.fen = json.value("fen", "startpos");
  question.moves = json.value("moves", "");
  question.chess960 = json.value("chess960", false);
  const int plies = json.value("depth", 0);
  if (plies < 0 || plies > Depth::kMax)
    return Error{ErrorCode::kInvalidInput, "depth", 0, "must be a number from 0 to 64"};
  question.depth = Depth(plies);
  const Result<CountMode> mode = parse_count_mode(json.value("mode", "count"));
  if (!mode) return mode.error();
  question.mode = *mode;
  question.divide = json.value("divide", true);
  question.samples = number_in<std::uint64_t>(json, "samples");
  question.seed = number_in<std::uint64_t>(json, "seed");
  return validated(std::move(question));
}

Result<CountOptions> count_options_from(const Json& json) {
  CountOptions count_options;
  count_options.threads = 1;
  count_options.table_bytes = number_in<std::uint64_t>(json, "hashBytes");
  count_options.key_seed = number_in<std::uint64_t>(json, "keySeed");
  if (json.contains("kernel") && json["kernel"].is_string()) {
    const Result<const Kernel*> kernel = find_kernel(json["kernel"].get<std::string>());
    if (!kernel) return kernel.error();
    count_options.kernel = *kernel;
  }
  return count_options;
}

/// Sends progress to the host, from the call of start() to the destruction of the object.
class Shown {
 public:
  explicit Shown(const Json& json)
      : milliseconds_(static_cast<int>(json.value("progressMilliseconds", 0))) {}

  /// Starts to send progress. `finishing` is an expected ratio: the time of Step::kFinishing,
  /// divided by the time of the steps before counting.
  Progress* start(std::string_view phase, double finishing = 0) {
    if (milliseconds_ <= 0) return nullptr;
    ticker_.reset();
    progress_ = std::make_unique<Progress>();
    ticker_.emplace(std::chrono::milliseconds(milliseconds_),
                    [this, phase = std::string(phase), finishing](double elapsed) {
                      const ProgressSnapshot snapshot = progress_->snapshot();
                      ProgressFigures figures = progress_figures(snapshot, elapsed);
                      if (figures.seconds_left)
                        *figures.seconds_left += finishing * snapshot.seconds_before;
                      if (!phase.empty()) figures.phase = phase + ": " + figures.phase;
                      const std::string text = progress_json(figures);
                      manyply_progress(text.data(), text.size());
                    });
    return progress_.get();
  }

 private:
  int milliseconds_;
  std::unique_ptr<Progress> progress_;
  std::optional<Ticker> ticker_;  // reads progress_
};

Json said_of(const Answer& found) {
  Json said;
  if (found.nodes) said["nodes"] = found.nodes->to_string();
  if (found.estimate) said["estimate"] = *found.estimate;
  if (found.distinct) said["distinct"] = std::to_string(*found.distinct);
  said["verdict"] = found.verdict;
  said["document"] = read_json(found.document);
  return said;
}

Json answer_of(const Json& json) {
  const Result<Question> question = question_in(json);
  if (!question) return refusal(question.error());
  const Result<CountOptions> count_options = count_options_from(json);
  if (!count_options) return refusal(count_options.error());
  Shown shown(json);
  const std::stop_source never;
  Resources resources{.stop = never.get_token()};
  resources.on_phase = [&shown](std::string_view phase) { return shown.start(phase); };
  resources.divide = question->divide;
  std::string note;
  const Result<Answer> found =
      with_smaller_tables(*count_options, note, [&](const CountOptions& tried) {
        resources.count_options = tried;
        return answer(*question, resources);
      });
  if (!found) return refusal(found.error());
  Json said = said_of(*found);
  if (!note.empty()) said["note"] = note;
  return said;
}

Json position_of(const Json& json) {
  const Result<Question> question = question_in(json);
  if (!question) return refusal(question.error());
  const Line& line = question->line;
  const Position& position = line.here();
  Json said;
  said["fen"] = line.fen();
  said["check"] = position.checkers() != 0;
  said["moves"] = Json::array();
  for (const Move move : legal_moves(position))
    said["moves"].push_back(
        {{"uci", to_uci(move, line.notation())}, {"san", to_san(position, move)}});
  return said;
}

Result<std::unique_ptr<Ranges>> ranges_of(const Question& question, CountOptions count_options,
                                          std::size_t wanted) {
  count_options.method = Method::kHashed;
  Result<JobSpec> spec = job_spec(question, count_options);
  if (!spec) return spec.error();
  auto made = std::make_unique<Ranges>();
  made->spec = std::move(spec).value();
  const std::stop_source never;
  const Result<Workforce> by = Workforce::of(made->spec, never.get_token());
  if (!by) return by.error();
  Result<JobUnits> units = units_for_ranges(made->spec.root.position, made->spec.depth,
                                            {.enough = wanted * kUnitsWorthABatch / 4}, *by);
  if (!units) return units.error();
  made->units.emplace(std::move(units).value());
  const Result<UnitWeights> weights = unit_weights(*made->units, made->spec.depth, *by);
  if (!weights) return weights.error();
  made->ranges = cut_into_ranges(*made->units, *weights, wanted);
  auto job = RangeJob::prepare(made->spec, *by, *made->units);
  if (!job) return job.error();
  made->job = std::move(job).value();
  return made;
}

/// Cuts a count into the requested number of ranges, or into one range per unit if there are fewer
/// units. Prepares to count the ranges. Every worker cuts the same count in the same places. If the
/// depth is too small for ranges, "ranges" in the answer is 0.
Json prepare_ranges(const Json& json) {
  ranges.reset();
  const Result<Question> question = question_in(json);
  if (!question) return refusal(question.error());
  const Result<CountOptions> count_options = count_options_from(json);
  if (!count_options) return refusal(count_options.error());
  if (question->depth.plies() < kMinPlannedDepth) return {{"ranges", 0}};
  if (const auto error = certain_overflow(*question, {.count_options = *count_options}))
    return refusal(*error);
  std::string note;
  Result<std::unique_ptr<Ranges>> made =
      with_smaller_tables(*count_options, note, [&](const CountOptions& tried) {
        return ranges_of(*question, tried, json.value("ranges", std::size_t{8}));
      });
  if (!made) return refusal(made.error());
  ranges = std::move(made).value();
  Json said;
  said["fen"] = question->line.fen();
  said["ranges"] = ranges->ranges.size();
  said["moves"] = Json::array();
  for (const Move move : ranges->units->root_moves())
    said["moves"].push_back(to_uci(move, question->line.notation()));
  if (!note.empty()) said["note"] = note;
  return said;
}

Json count_range(const Json& json) {
  const auto number = json.value("range", std::size_t{0});
  if (!ranges || number >= ranges->ranges.size())
    return refusal({ErrorCode::kInternal, "range", 0, "no range has this number"});
  const PlannedRange& range = ranges->ranges[number];
  const UnitSpan span{static_cast<std::size_t>(range.first),
                      static_cast<std::size_t>(range.first + range.units)};
  const std::stop_source never;
  if (const auto error = ranges->job->count(ranges->units->order_of(span), never.get_token()))
    return refusal(*error);
  Json said;
  said["sums"] = Json::array();
  for (const NodeCount& sum : ranges->job->sum(span)) said["sums"].push_back(sum.to_string());
  return said;
}

/// Counts a share of the distinct positions of the last ply, and all distinct positions of the
/// other plies.
Json share_of_unique(const Question& question, const CountOptions& count_options,
                     const CountShare& share, Shown& shown) {
  UniqueSpec spec = unique_spec(question, count_options);
  spec.share = share;
  Progress* const progress = shown.start("");
  if (progress != nullptr) progress->enter(Step::kFirstPlies);
  Json plies = Json::array();
  const UniqueObserver observer{
      .on_start = [&](int ply) { return ply == question.depth.plies() ? progress : nullptr; },
      .on_ply = [&](const UniquePly& ply) -> std::optional<Error> {
        plies.push_back({{"ply", ply.ply},
                         {"distinct", std::to_string(ply.distinct)},
                         {"paths", ply.paths.to_string()},
                         {"passes", ply.passes},
                         {"seconds", ply.seconds}});
        return std::nullopt;
      }};
  const std::stop_source never;
  if (const auto error = find_unique(spec, observer, never.get_token())) return refusal(*error);
  return {{"shares", share.of}, {"plies", std::move(plies)}};
}

/// Makes the answer to a count of distinct positions. The caller has added up the shares.
Json unique_of_plies(const Json& json) {
  const Result<Question> question = question_in(json);
  if (!question) return refusal(question.error());
  std::vector<UniquePly> plies;
  for (const Json& row : json.at("plies")) {
    const auto distinct = parse_number(row.at("distinct").get<std::string>(), 0, UINT64_MAX);
    if (!distinct) return refusal(distinct.error());
    const auto paths = NodeCount::parse(row.at("paths").get<std::string>());
    if (!paths) return refusal(paths.error());
    plies.push_back({.ply = row.at("ply").get<int>(),
                     .distinct = *distinct,
                     .paths = *paths,
                     .passes = row.at("passes").get<std::uint64_t>(),
                     .seconds = row.at("seconds").get<double>()});
  }
  return said_of(unique_answer(plies, question->line.named()));
}

/// Counts one share of a job: some of its paths, or some of its distinct positions. Paths are
/// counted by configurations. Several workers count the shares, and the caller adds them up. If the
/// depth is too small for shares, counts nothing, and "shares" in the answer is 0.
Json count_share(const Json& json) {
  const Result<Question> question = question_in(json);
  if (!question) return refusal(question.error());
  const Result<CountOptions> told = count_options_from(json);
  if (!told) return refusal(told.error());
  CountOptions count_options = *told;
  Json said;
  said["shares"] = 0;
  const auto shares = json.value("shares", std::size_t{1});
  const CountShare share{.number = json.value("share", std::size_t{0}), .of = shares};
  if (shares == 0 || share.number >= shares)
    return refusal({ErrorCode::kInternal, "share", 0, "no share has this number"});
  const bool unique = question->mode == CountMode::kUnique;
  if (question->depth.plies() < (unique ? kMinPairDepth : kMinPlannedDepth)) return said;
  if (const auto error = certain_overflow(*question, {.count_options = count_options}))
    return refusal(*error);
  count_options.method = Method::kConfigurations;
  Shown shown(json);
  if (unique) return share_of_unique(*question, count_options, share, shown);
  const Result<JobSpec> found = job_spec(*question, count_options);
  if (!found) return refusal(found.error());
  JobSpec spec = *found;
  spec.divide = question->divide;
  spec.share = share;
  // At the end, a divide carries values back through the matrices of the first plies. For perft(9),
  // making these matrices takes 0.9 s, and carrying values back takes 0.45 s.
  Progress* const progress = shown.start("", question->divide ? 0.5 : 0);
  const std::stop_source never;
  const Result<Report> report = run_job(spec, never.get_token(), progress);
  if (!report) return refusal(report.error());
  said["shares"] = shares;
  said["nodes"] = report->nodes.to_string();
  said["divide"] = Json::array();
  for (const DivideEntry& entry : report->divide)
    said["divide"].push_back({{"move", to_uci(entry.move, question->line.notation())},
                              {"nodes", entry.nodes.to_string()}});
  return said;
}

#ifdef MANYPLY_FOR_PAGE

// Questions that only the page without a server asks. The answers are equal to those of a server:
// GET /v1/position for a position, POST /v1/diff for a comparison, and GET /v1/jobs/ID/result for a
// report in another format.

/// The largest number of paths that may be counted to interpret a paste. Counting them takes about
/// a second.
constexpr double kMostPaths = 1e8;

/// Converts `rows` of the page to a divide. Skips rows whose move is not legal in `named`.
Result<std::vector<DivideEntry>> rows_in(const Json& rows, const NamedPosition& named) {
  std::vector<DivideEntry> all;
  for (const Move move : legal_moves(named.position)) {
    const std::string name = to_uci(move, named.notation);
    for (const Json& row : rows) {
      if (row.at("move") != name) continue;
      const auto nodes = NodeCount::parse(row.at("nodes").get<std::string>());
      if (!nodes) return nodes.error();
      all.push_back({move, *nodes});
    }
  }
  return all;
}

double paths(const std::vector<DivideEntry>& rows) {
  double sum = 0;
  for (const DivideEntry& row : rows) sum += row.nodes.approximate();
  return sum;
}

Json diff_of(const Json& json) {
  const Result<Question> question = question_in(json);
  if (!question) return refusal(question.error());
  const Line& line = question->line;
  const Depth depth = question->depth;
  if (depth.plies() == 0)
    return refusal({ErrorCode::kInvalidInput, "depth", 0, "must be at least 1 for a divide"});
  auto pasted = read_paste(json.value("pasted", ""), line, depth);
  if (!pasted) return refusal(pasted.error());
  const auto ours = rows_in(json.at("ours"), line.named());
  if (!ours) return refusal(ours.error());
  const double known = paths(*ours);
  const double moves = std::max<double>(static_cast<double>(ours->size()), 8);
  const OurDivide divide = [&](const Line& at, Depth to) -> Result<std::vector<DivideEntry>> {
    double expected = known;
    for (int plies = depth.plies(); plies < to.plies(); ++plies) expected *= moves;
    for (int plies = depth.plies(); plies > to.plies(); --plies) expected /= moves;
    if (expected > kMostPaths) return Error{ErrorCode::kUnavailable, "", 0, "takes too long"};
    return manyply::divide(at.here(), to);
  };
  const auto divides = with_depths(*std::move(pasted), line, depth, divide);
  if (!divides) return refusal(divides.error());
  std::optional<bool> right_as_fen;
  if (const auto told = json.find("right_as_fen"); told != json.end() && told->is_boolean())
    right_as_fen = told->get<bool>();
  return read_json(diff_of_paste(line, depth, *ours, *divides, right_as_fen, divide));
}

/// Converts a document to another format.
Json written_as(const Json& json) {
  const auto mode = parse_count_mode(json.value("mode", ""));
  if (!mode) return refusal(mode.error());
  const auto format =
      std::ranges::find(kFormats, json.value("format", std::string()), &FormatInfo::name);
  if (format == kFormats.end())
    return refusal({ErrorCode::kInvalidInput, "format", 0, "is not a known format"});
  const auto text = written(*mode, static_cast<Format>(format - kFormats.begin()),
                            json_text(json.at("document")));
  if (!text) return refusal(text.error());
  return {{"text", *text}};
}

Json description_of(const Json& json) {
  const Result<Question> question = question_in(json);
  if (!question) return refusal(question.error());
  const PositionText read = position_text(json.value("fen", "startpos"));
  return position_document(question->line, read);
}

#else

// A question that only the npm package asks.

/// Returns the positions of a suite in any format, with their expected counts.
Json rows_of_suite(const Json& json) {
  const Result<Suite> suite = read_suite_text("suite", json.value("text", ""));
  if (!suite) return refusal(suite.error());
  Json said;
  said["rows"] = Json::array();
  for (const SuiteLine& line : suite->lines) {
    Json counts = Json::array();
    for (const EpdCount& count : line.record.counts)
      counts.push_back({{"depth", count.depth.plies()}, {"nodes", count.nodes.to_string()}});
    said["rows"].push_back({{"line", line.number},
                            {"fen", line.record.fen},
                            {"tags", line.tags},
                            {"counts", std::move(counts)}});
  }
  said["refused"] = Json::array();
  for (const RefusedLine& line : suite->refused.told)
    said["refused"].push_back({{"line", line.number}, {"message", line.error.to_string()}});
  return said;
}

#endif

Json answer_to(const Json& json) {
  const std::string what = json.value("do", "");
  if (what == "answer") return answer_of(json);
  if (what == "position") return position_of(json);
  if (what == "prepare") return prepare_ranges(json);
  if (what == "range") return count_range(json);
  if (what == "share") return count_share(json);
  if (what == "plies") return unique_of_plies(json);
#ifdef MANYPLY_FOR_PAGE
  if (what == "describe") return description_of(json);
  if (what == "diff") return diff_of(json);
  if (what == "written") return written_as(json);
#else
  if (what == "suite") return rows_of_suite(json);
#endif
  return refusal({ErrorCode::kInvalidInput, "do", 0, "is not a known question"});
}

}  // namespace
}  // namespace manyply

char* manyply_question(std::size_t length) {
  manyply::asked.assign(length, '\0');
  return manyply::asked.data();
}

std::size_t manyply_ask() {
  try {
    manyply::answered = manyply::json_text(manyply::answer_to(manyply::read_json(manyply::asked)));
  } catch (...) {
    manyply::answered = manyply::json_text(manyply::refusal(manyply::current_exception_as_error()));
  }
  return manyply::answered.size();
}

const char* manyply_answer() { return manyply::answered.data(); }
