#include "tools/server/jobs/job_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "tools/report/mode_formats.h"

namespace manyply {
namespace {

/// Columns of every statement that select_jobs() makes, in this order.
enum Column : std::uint8_t {
  kId,
  kCreated,
  kFen,
  kMoves,
  kChess960,
  kDepth,
  kMode,
  kDivide,
  kDeadline,
  kSamples,
  kSeed,
  kPosition,
  kNotation,
  kClient,
  kDigest,
  kState,
  kAttempts,
  kStarted,
  kFinished,
  kErrorCode,
  kErrorField,
  kErrorMessage,
  kIdentity,
  kNodes,
  kVerdict,
  kReport,
  kChecksum,
  kPositions,
  kCounts,
  kSuite,
};
constexpr std::string_view kSelectJobs =
    "SELECT "
    "id, created, fen, moves, chess960, depth, mode, divide, deadline, samples, seed, "
    "position, notation, client, digest, state, attempts, started, finished, error_code, "
    "error_field, "
    "error_message, jobs.identity, nodes, verdict, report, checksum, positions, counts, ";
static_assert(std::ranges::count(kSelectJobs, ',') == kSuite);

WallTime from_stored(std::int64_t time) { return WallTime(std::chrono::milliseconds(time)); }

/// Marks a job as failed because its stored row is damaged.
void mark_damaged(JobView& view, const char* what) {
  view.state = JobState::kFailed;
  if (view.request.position.empty() && !view.request.batch)
    view.request.position = to_fen(view.request.line.here(), view.request.notation);
  view.error = Error{ErrorCode::kUnavailable, "state", 0,
                     std::string("the stored ") + what + " is damaged; submit the job again"};
  view.document.clear();
}

void read_request(const Statement& row, Extent extent, JobView& view) {
  JobRequest request;
  if (const auto positions = row.optional_integer(kPositions)) {
    request.batch = {static_cast<std::uint64_t>(*positions),
                     static_cast<std::uint64_t>(row.integer(kCounts)), row.text(kFen)};
  } else {
    request.fen = row.text(kFen);
  }
  request.moves = row.text(kMoves);
  request.chess960 = row.integer(kChess960) != 0;
  const std::int64_t depth = row.integer(kDepth);
  const auto mode = static_cast<std::uint64_t>(row.integer(kMode));
  request.divide = row.integer(kDivide) != 0;
  if (const auto deadline = row.optional_integer(kDeadline))
    request.deadline = std::chrono::seconds(*deadline);
  const auto number = [&row](Column column) -> std::optional<std::uint64_t> {
    const auto stored = row.optional_integer(column);
    return stored ? std::optional(static_cast<std::uint64_t>(*stored)) : std::nullopt;
  };
  request.samples = number(kSamples);
  request.seed = number(kSeed);
  if (depth < 0 || depth > Depth::kMax || mode >= modes().size())
    return mark_damaged(view, "request");
  request.depth = Depth(static_cast<int>(depth));
  request.mode = static_cast<CountMode>(mode);
  request.identity = to_hash(row.blob(kIdentity));
  const auto position = row.optional_text(kPosition);
  bool good = true;
  if (position) {
    if (!request.batch) request.position = *position;
    const bool chess960 = row.integer(kNotation) == static_cast<int>(CastlingNotation::kChess960);
    request.notation = chess960 ? CastlingNotation::kChess960 : CastlingNotation::kStandard;
    good =
        request.stored_position() == *position && row_digest(request) == to_hash(row.blob(kDigest));
  }
  const bool whole = request.batch ? extent == Extent::kRoot : extent != Extent::kRow;
  if (good && (!position || whole)) {
    Result<JobRequest> checked =
        request.batch ? make_batch_request(request, row.text(kSuite)) : make_job_request(request);
    good = checked.ok() && (position ? checked->stored_position() == *position
                                     : request_digest(*checked) == to_hash(row.blob(kDigest)));
    if (good) request = std::move(checked).value();
  }
  view.request = std::move(request);
  if (!good) mark_damaged(view, "request");
}

bool read_answer(const std::string& text, JobView& view) {
  if (const auto count = NodeCount::parse(text)) {
    view.nodes = *count;
    return true;
  }
  double estimate = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, estimate, std::chars_format::scientific);
  if (read.ec != std::errc() || read.ptr != end) return false;
  view.estimate = estimate;
  return true;
}

void read_result(const Statement& row, Extent extent, JobView& view) {
  const std::string nodes = row.text(kNodes);
  view.verdict = row.text(kVerdict);
  std::string report = row.text(kReport);
  if (!read_answer(nodes, view) || checksum_of(to_hash(row.blob(kIdentity)), nodes, view.verdict,
                                               report) != row.integer(kChecksum)) {
    return mark_damaged(view, "result");
  }
  if (view.request.mode == CountMode::kUnique) {  // stored only in the report, which is short
    const auto distinct = distinct_in(report);
    if (!distinct) return mark_damaged(view, "result");
    view.distinct = *distinct;
  }
  if (extent == Extent::kAll) view.document = std::move(report);
}

JobView read_job(const Statement& row, Extent extent) {
  JobView view;
  view.id = {row.integer(kId)};
  view.created = from_stored(row.integer(kCreated));
  const std::int64_t state = row.integer(kState);
  view.attempts = static_cast<int>(row.integer(kAttempts));
  if (const auto at = row.optional_integer(kStarted)) view.started = from_stored(*at);
  if (const auto at = row.optional_integer(kFinished)) view.finished = from_stored(*at);
  if (state < 0 || state > static_cast<int>(JobState::kCancelled)) {
    mark_damaged(view, "state");
    return view;
  }
  view.client = row.optional_text(kClient).value_or("");
  view.state = static_cast<JobState>(state);
  if (view.state == JobState::kFailed) {
    const std::int64_t code = row.integer(kErrorCode);
    if (code < 0 || code > static_cast<int>(ErrorCode::kInternal)) {
      mark_damaged(view, "error code");
      return view;
    }
    view.error =
        Error{static_cast<ErrorCode>(code), row.text(kErrorField), 0, row.text(kErrorMessage)};
  }
  read_request(row, extent, view);
  if (view.state == JobState::kDone) read_result(row, extent, view);
  return view;
}

}  // namespace

std::int64_t to_stored(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

std::span<const std::byte> bytes_of(const Hash128& hash) {
  return std::as_bytes(std::span(&hash, 1));
}

Hash128 to_hash(std::span<const std::byte> bytes) {
  Hash128 hash;
  if (bytes.size() == sizeof hash) std::memcpy(&hash, bytes.data(), sizeof hash);
  return hash;
}

std::int64_t checksum_of(const Hash128& identity, const std::string& nodes,
                         const std::string& verdict, const std::string& report) {
  const std::string all = nodes + '\n' + verdict + '\n' + report;
  return static_cast<std::int64_t>(xxh3_64(std::as_bytes(std::span(all)), identity.low));
}

std::string answer_text(const Answer& outcome) {
  if (outcome.nodes) return outcome.nodes->to_string();
  std::array<char, 32> text{};
  const double estimate = outcome.estimate.value_or(0);
  const auto end = std::to_chars(text.data(), text.data() + text.size(), estimate,
                                 std::chars_format::scientific);
  return {text.data(), end.ptr};
}

std::string select_jobs(Extent extent, std::string_view which) {
  std::string sql(kSelectJobs);
  sql += extent == Extent::kRoot ? "epd" : "NULL";
  sql +=
      " FROM jobs LEFT JOIN results ON state = 2 AND results.identity = jobs.identity "
      "LEFT JOIN batches ON batches.job = jobs.id ";
  return sql += which;
}

Result<std::vector<JobView>> read_jobs(Statement statement, Extent extent) {
  std::vector<JobView> views;
  for (;;) {
    const Result<bool> row = statement.step();
    if (!row) return row.error();
    if (!*row) return views;
    views.push_back(read_job(statement, extent));
  }
}

}  // namespace manyply
