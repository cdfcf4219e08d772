// The functions of manyply.h. Totals, divides, statistics, estimates and comparisons with other
// divides run jobs directly. All other questions use the table of modes in report/answer.h, which
// also makes a document.
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel.h"
#include "core/move_text.h"
#include "core/position.h"
#include "parallel/jobs/job.h"
#include "tools/c_api/call.h"
#include "tools/diagnose/divide_diff.h"
#include "tools/report/answer.h"

namespace manyply::c_api {
namespace {

/// Returns the options of a count. Leaves out the seed of keys if the method uses no keys.
Result<CountOptions> used_options(const manyply_options& options) {
  Result<CountOptions> given = count_options_from(options);
  if (!given) return given;
  CountOptions used = std::move(given).value();
  if (used.method == Method::kConfigurations) used.key_seed.reset();
  return used;
}

/// Counts paths, and also the divide if `divide` is true.
Result<Report> counted(const manyply_position& position, int plies, const manyply_options* given,
                       bool divide) {
  const manyply_options options = complete_options(given);
  const Result<Depth> depth = depth_of(plies);
  if (!depth) return depth.error();
  const Result<CountOptions> used = used_options(options);
  if (!used) return used.error();
  const CountOptions& count_options = *used;
  Question question = question_of(position.line.named(), *depth);
  question.line = position.line;
  if (auto error = certain_overflow(question, {.count_options = count_options}))
    return *std::move(error);
  Result<JobSpec> spec = job_spec(question, count_options);
  if (!spec) return by_members(spec.error());
  JobSpec job = std::move(spec).value();
  job.divide = divide;
  Result<Report> result = Error{};
  run_watched(options, plies, [&](const Watch& watch) {
    result = run_job(job, watch.stop, watch.on_phase ? watch.on_phase("") : nullptr);
  });
  if (!result) return by_members(result.error());
  return result;
}

/// A question and the resources to answer it. Resources::stop and Resources::on_phase are not set,
/// because run_watched() provides both.
struct Asked {
  manyply_options options;
  Question question;
  Resources resources;
};

Result<Asked> asked(const manyply_position& position, CountMode mode, int plies,
                    const manyply_options* given) {
  Asked all;
  all.options = complete_options(given);
  const Result<Depth> depth = depth_of(plies);
  if (!depth) return depth.error();
  Result<CountOptions> count_options = used_options(all.options);
  if (!count_options) return count_options.error();
  all.resources.count_options = std::move(count_options).value();
  Question question = question_of(position.line.named(), *depth);
  question.mode = mode;
  if (mode == CountMode::kEstimate) {
    if (all.options.samples != 0) question.samples = all.options.samples;
    question.seed = all.options.sample_seed;
  }
  question.chess960 = position.line.notation() == CastlingNotation::kChess960;
  Result<Question> valid = validated(std::move(question));
  if (!valid) {
    Error error = valid.error();
    if (error.field == "seed") error.field = "sample_seed";
    return error;
  }
  all.question = std::move(valid).value();
  all.question.line = position.line;  // the line includes the moves that led to the position
  return all;
}

Result<Answer> answered(Asked all) {
  Result<Answer> found = Error{};
  run_watched(all.options, all.question.depth.plies(), [&](const Watch& watch) {
    all.resources.stop = watch.stop;
    all.resources.on_phase = watch.on_phase;
    found = answer(all.question, all.resources);
  });
  if (!found) return by_members(found.error());
  return found;
}

/// Returns the result of run(spec), and makes no document. The caller can watch and stop the run
/// (run_watched()).
template <typename Report, typename Spec>
Result<Report> run_spec(const Asked& all, const Spec& spec,
                        Result<Report> (*run)(const Spec&, const std::stop_token&, Progress*)) {
  if (auto error = certain_overflow(all.question, all.resources)) return *std::move(error);
  Result<Report> found = Error{};
  run_watched(all.options, all.question.depth.plies(), [&](const Watch& watch) {
    found = run(spec, watch.stop, watch.on_phase ? watch.on_phase("") : nullptr);
  });
  if (!found) return by_members(found.error());
  return found;
}

manyply_statistics in_c(const StatisticTotals& totals) {
  const auto of = [&](Statistic which) { return words_of(totals[which]); };
  return {.size = sizeof(manyply_statistics),
          .nodes = of(Statistic::kNodes),
          .captures = of(Statistic::kCaptures),
          .en_passants = of(Statistic::kEnPassants),
          .castles = of(Statistic::kCastles),
          .promotions = of(Statistic::kPromotions),
          .checks = words_of(totals.checks()),
          .direct_checks = of(Statistic::kDirectChecks),
          .discovered_checks = of(Statistic::kDiscoveredChecks),
          .direct_discovered_checks = of(Statistic::kDirectDiscoveredChecks),
          .double_discovered_checks = of(Statistic::kDoubleDiscoveredChecks),
          .mates = words_of(totals.mates()),
          .direct_mates = of(Statistic::kDirectMates),
          .discovered_mates = of(Statistic::kDiscoveredMates),
          .direct_discovered_mates = of(Statistic::kDirectDiscoveredMates),
          .double_discovered_mates = of(Statistic::kDoubleDiscoveredMates)};
}

/// Returns the document of manyply_diff().
Result<std::string> diff_of(const manyply_position& position, int plies, const char* divide,
                            const manyply_options* given) {
  const Result<Asked> all = asked(position, CountMode::kCount, plies, given);
  if (!all) return all.error();
  const Line& line = position.line;
  const Depth depth = all->question.depth;
  if (depth.plies() < 1)
    return Error{ErrorCode::kInvalidInput, "depth", 0, "must be a number from 1 to 64"};
  auto pasted = read_paste(divide, line, depth);
  if (!pasted) return pasted.error();
  const OurDivide our_divide = [&](const Line& at,
                                   Depth plies_there) -> Result<std::vector<DivideEntry>> {
    const Result<JobSpec> spec =
        job_spec(question_of(at.named(), plies_there), all->resources.count_options);
    if (!spec) return by_members(spec.error());
    Result<Report> report = run_spec<Report>(*all, *spec, run_job);
    if (!report) return report.error();
    return std::move(report).value().divide;
  };
  const auto ours = our_divide(line, depth);
  if (!ours) return ours.error();
  const auto divides = with_depths(*std::move(pasted), line, depth, our_divide);
  if (!divides) return divides.error();
  return diff_of_paste(line, depth, *ours, *divides, std::nullopt, our_divide);
}

/// Returns MANYPLY_OK if `theirs` is not null and the caller has set its size. Otherwise reports an
/// error for the argument `name`.
template <typename Sized>
int check_size(const Sized* theirs, const char* name, manyply_error* error) {
  if (theirs == nullptr) return missing(error, name);
  if (theirs->size >= sizeof theirs->size) return MANYPLY_OK;
  return report(error, MANYPLY_INVALID_INPUT, name, 0,
                "its member 'size' must be set before the call");
}

}  // namespace
}  // namespace manyply::c_api

using namespace manyply;
using namespace manyply::c_api;

const char* manyply_version(void) { return MANYPLY_VERSION; }
int manyply_abi(void) { return MANYPLY_ABI; }

int manyply_position_new(const char* fen, const char* moves, int chess960,
                         manyply_position** position, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    *position = nullptr;
    if (fen == nullptr) return missing(error, "fen");
    const Result<Line> line =
        parse_line(fen, moves != nullptr ? moves : "",
                   chess960 != 0 ? std::optional(CastlingNotation::kChess960) : std::nullopt);
    if (!line) return report(error, line.error());
    *position = new manyply_position{*line};
    return static_cast<int>(MANYPLY_OK);
  });
}

void manyply_position_free(manyply_position* position) { delete position; }

int manyply_position_copy(const manyply_position* position, manyply_position** copy,
                          manyply_error* error) {
  return guarded(error, [&] {
    if (copy == nullptr) return missing(error, "copy");
    *copy = nullptr;
    if (position == nullptr) return missing(error, "position");
    *copy = new manyply_position(*position);
    return static_cast<int>(MANYPLY_OK);
  });
}

int manyply_position_play(manyply_position* position, const char* move, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (move == nullptr) return missing(error, "move");
    Line& line = position->line;
    const Result<Move> parsed = parse_uci(line.here(), move, line.notation());
    if (!parsed) return report(error, parsed.error());
    line.play(*parsed);
    return static_cast<int>(MANYPLY_OK);
  });
}

size_t manyply_position_fen(const manyply_position* position, char* text, size_t capacity) {
  if (position == nullptr) return copy_text("", text, capacity);
  std::size_t length = 0;
  guarded(nullptr, [&] {
    length = copy_text(position->line.fen(), text, capacity);
    return static_cast<int>(MANYPLY_OK);
  });
  return length;
}

int manyply_position_white_to_move(const manyply_position* position) {
  return position != nullptr && position->line.here().side_to_move() == Color::kWhite ? 1 : 0;
}

int manyply_position_in_check(const manyply_position* position) {
  return position != nullptr && position->line.here().in_check() ? 1 : 0;
}

size_t manyply_position_moves(const manyply_position* position, manyply_move* moves,
                              size_t capacity) {
  if (position == nullptr) return 0;
  const MoveList legal = legal_moves(position->line.here());
  if (moves == nullptr) return legal.size();
  std::array<manyply_move, MoveList::kCapacity> texts;
  const auto end = std::ranges::transform(legal, texts.begin(), [&](Move move) {
                     return move_text(move, position->line.notation());
                   }).out;
  std::ranges::sort(texts.begin(), end, {},
                    [](const manyply_move& move) { return std::string_view(move.text); });
  std::copy_n(texts.begin(), std::min(legal.size(), capacity), moves);
  return legal.size();
}

int manyply_position_to_san(const manyply_position* position, const char* move, char* text,
                            size_t capacity, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (move == nullptr) return missing(error, "move");
    if (text == nullptr && capacity > 0) return missing(error, "text");
    const Line& line = position->line;
    const Result<Move> parsed = parse_uci(line.here(), move, line.notation());
    if (!parsed) return report(error, parsed.error());
    const std::size_t length = copy_text(to_san(line.here(), *parsed), text, capacity);
    if (length < capacity) return static_cast<int>(MANYPLY_OK);
    return report(error, MANYPLY_TOO_SMALL, "capacity", 0,
                  std::to_string(length + 1) + " bytes are needed");
  });
}

int manyply_position_from_san(const manyply_position* position, const char* san, manyply_move* move,
                              manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (san == nullptr) return missing(error, "san");
    if (move == nullptr) return missing(error, "move");
    *move = {};
    const Result<Move> parsed = parse_san(position->line.here(), san);
    if (!parsed) return report(error, parsed.error());
    *move = move_text(*parsed, position->line.notation());
    return static_cast<int>(MANYPLY_OK);
  });
}

size_t manyply_kernels(const char** names, size_t capacity) {
  std::size_t count = 0;
  guarded(nullptr, [&] {
    static const std::vector<std::string> kHere = [] {
      std::vector<std::string> here;
      for (const Kernel& kernel : all_kernels()) {
        if (runs_here(kernel)) here.emplace_back(kernel.name);
      }
      return here;
    }();
    for (std::size_t i = 0; names != nullptr && i < std::min(capacity, kHere.size()); ++i)
      names[i] = kHere[i].c_str();
    count = kHere.size();
    return static_cast<int>(MANYPLY_OK);
  });
  return count;
}

void manyply_options_init(manyply_options* options, size_t size) {
  if (options == nullptr || size < sizeof options->size) return;
  std::memset(static_cast<void*>(options), 0, size);
  const manyply_options ours = default_options();
  std::memcpy(options, &ours, std::min(size, sizeof ours));
  options->size = size;
}

int manyply_perft(const manyply_position* position, int depth, const manyply_options* options,
                  manyply_count* count, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (count == nullptr) return missing(error, "count");
    *count = {0, 0};
    const Result<Report> done = counted(*position, depth, options, false);
    if (!done) return report(error, done.error());
    *count = words_of(done->nodes);
    return static_cast<int>(MANYPLY_OK);
  });
}

int manyply_divide(const manyply_position* position, int depth, const manyply_options* options,
                   manyply_row* rows, size_t capacity, size_t* rows_written, manyply_count* total,
                   manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (rows_written == nullptr) return missing(error, "rows_written");
    if (rows == nullptr && capacity > 0) return missing(error, "rows");
    *rows_written = 0;
    if (total != nullptr) *total = {0, 0};
    if (depth < 1 || depth > Depth::kMax)
      return report(error, MANYPLY_INVALID_INPUT, "depth", 0, "must be a number from 1 to 64");
    const std::size_t needed = legal_moves(position->line.here()).size();
    if (needed > capacity) {  // report the required size before the count, which may take hours
      *rows_written = needed;
      return report(error, MANYPLY_TOO_SMALL, "capacity", 0,
                    std::to_string(needed) + " rows are needed");
    }
    const Result<Report> done = counted(*position, depth, options, true);
    if (!done) return report(error, done.error());
    for (const DivideEntry& entry : done->divide) {
      rows[(*rows_written)++] = {move_text(entry.move, position->line.notation()),
                                 words_of(entry.nodes)};
    }
    std::ranges::sort(std::span(rows, *rows_written), {},
                      [](const manyply_row& row) { return std::string_view(row.move.text); });
    if (total != nullptr) *total = words_of(done->nodes);
    return static_cast<int>(MANYPLY_OK);
  });
}

size_t manyply_count_text(manyply_count count, char* text, size_t capacity) {
  std::size_t length = 0;
  guarded(nullptr, [&] {
    length = copy_text(NodeCount::from_words(count.high, count.low).to_string(), text, capacity);
    return static_cast<int>(MANYPLY_OK);
  });
  return length;
}

manyply_cancel* manyply_cancel_new(void) {
  manyply_cancel* cancel = nullptr;
  guarded(nullptr, [&] {
    cancel = new manyply_cancel;
    return static_cast<int>(MANYPLY_OK);
  });
  return cancel;
}

void manyply_cancel_request(manyply_cancel* cancel) {
  if (cancel != nullptr) cancel->source.request_stop();
}

void manyply_cancel_free(manyply_cancel* cancel) { delete cancel; }

int manyply_stats(const manyply_position* position, int depth, const manyply_options* options,
                  manyply_statistics* statistics, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (const int status = check_size(statistics, "statistics", error)) return status;
    const Result<Asked> all = asked(*position, CountMode::kStatistics, depth, options);
    if (!all) return report(error, all.error());
    const Result<StatisticsSpec> spec =
        statistics_spec(all->question, all->resources.count_options);
    if (!spec) return report(error, by_members(spec.error()));
    const Result<StatisticsReport> found = run_spec<StatisticsReport>(*all, *spec, run_statistics);
    if (!found) return report(error, found.error());
    fill_sized(statistics, in_c(found->totals));
    return static_cast<int>(MANYPLY_OK);
  });
}

int manyply_unique(const manyply_position* position, int depth, const manyply_options* options,
                   manyply_ply* plies, size_t capacity, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (plies == nullptr) return missing(error, "plies");
    Result<Asked> made = asked(*position, CountMode::kUnique, depth, options);
    if (!made) return report(error, made.error());
    Asked all = std::move(made).value();
    const auto needed = static_cast<std::size_t>(depth) + 1;
    if (capacity < needed)
      return report(error, MANYPLY_TOO_SMALL, "capacity", 0,
                    std::to_string(needed) + " plies are needed");
    all.resources.found.on_ply = [&](const UniquePly& ply) -> std::optional<Error> {
      plies[ply.ply] = {ply.distinct, words_of(ply.paths)};
      return std::nullopt;
    };
    const Result<Answer> found = answered(std::move(all));
    if (!found) return report(error, found.error());
    return static_cast<int>(MANYPLY_OK);
  });
}

int manyply_estimate(const manyply_position* position, int depth, const manyply_options* options,
                     manyply_interval* interval, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (const int status = check_size(interval, "interval", error)) return status;
    const Result<Asked> all = asked(*position, CountMode::kEstimate, depth, options);
    if (!all) return report(error, all.error());
    const EstimateSpec spec = estimate_spec(all->question, all->resources.count_options);
    const Result<EstimateReport> found = run_spec<EstimateReport>(*all, spec, estimate_nodes);
    if (!found) return report(error, found.error());
    fill_sized(interval, manyply_interval{.size = sizeof(manyply_interval),
                                          .estimate = found->estimate,
                                          .low = found->low,
                                          .high = found->high,
                                          .standard_error = found->standard_error,
                                          .samples = found->samples,
                                          .exact = found->exact ? 1 : 0,
                                          .reserved = 0});
    return static_cast<int>(MANYPLY_OK);
  });
}

int manyply_verify(const manyply_position* position, int depth, const manyply_options* options,
                   int* agrees, manyply_count* count, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (agrees == nullptr) return missing(error, "agrees");
    *agrees = 0;
    if (count != nullptr) *count = {0, 0};
    Result<Asked> all = asked(*position, CountMode::kVerify, depth, options);
    if (!all) return report(error, all.error());
    const Result<Answer> found = answered(std::move(all).value());
    if (!found) return report(error, found.error());
    *agrees = is_wrong(found->verdict) ? 0 : 1;
    if (count != nullptr && found->nodes) *count = words_of(*found->nodes);
    return static_cast<int>(MANYPLY_OK);
  });
}

int manyply_answer(const manyply_position* position, const char* mode, int depth,
                   const manyply_options* options, char** document, manyply_error* error) {
  return guarded(error, [&] {
    if (document == nullptr) return missing(error, "document");
    *document = nullptr;
    if (position == nullptr) return missing(error, "position");
    if (mode == nullptr) return missing(error, "mode");
    const Result<CountMode> which = parse_count_mode(mode);
    if (!which) return report(error, which.error());
    Result<Asked> all = asked(*position, *which, depth, options);
    if (!all) return report(error, all.error());
    const Result<Answer> found = answered(std::move(all).value());
    if (!found) return report(error, found.error());
    *document = kept_text(found->document);
    return static_cast<int>(MANYPLY_OK);
  });
}

int manyply_diff(const manyply_position* position, int depth, const char* divide,
                 const manyply_options* options, char** document, manyply_error* error) {
  return guarded(error, [&] {
    if (document == nullptr) return missing(error, "document");
    *document = nullptr;
    if (position == nullptr) return missing(error, "position");
    if (divide == nullptr) return missing(error, "divide");
    const Result<std::string> found = diff_of(*position, depth, divide, options);
    if (!found) return report(error, found.error());
    *document = kept_text(*found);
    return static_cast<int>(MANYPLY_OK);
  });
}

void manyply_text_free(char* text) { delete[] text; }
