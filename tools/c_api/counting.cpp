// The C interface: totals and divides. They need no document, so they run jobs directly and do not
// use the table of modes.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/movegen.h"
#include "parallel/jobs/job.h"
#include "tools/c_api/call.h"
#include "tools/report/answer.h"
#include "tools/report/spec.h"

namespace manyply::c_api {
namespace {

Result<Report> run(const manyply_position& position, int plies, const manyply_options* given,
                   bool divide) {
  const manyply_options options = complete_options(given);
  const Result<Depth> depth = depth_of(plies);
  if (!depth) return depth.error();
  Result<CountOptions> allowed = count_options_from(options);
  if (!allowed) return allowed.error();
  CountOptions count_options = std::move(allowed).value();
  if (count_options.method == Method::kConfigurations)
    count_options.key_seed.reset();  // this method uses no keys
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

}  // namespace
}  // namespace manyply::c_api

using namespace manyply;
using namespace manyply::c_api;

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
    const Result<Report> done = run(*position, depth, options, false);
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
    const Result<Report> done = run(*position, depth, options, true);
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
