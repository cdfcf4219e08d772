// What the server's jobs are: requests, states, and what people see of them.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/node_count.h"
#include "core/types.h"
#include "hash/fingerprint.h"
#include "tools/report/answer.h"
#include "tools/report/question.h"
#include "tools/text/suite.h"

namespace manyply {

/// Wall clock: what is stored, and shown to people.
using WallTime = std::chrono::system_clock::time_point;

/// Ascending in the order of acceptance, from 1, never used again: the queue is fair and visible.
struct JobId {
  std::int64_t value = 0;
  friend constexpr auto operator<=>(const JobId&, const JobId&) = default;
};

/// Numbers are stored.
enum class JobState : std::uint8_t {
  kQueued = 0,
  kRunning = 1,
  kDone = 2,       ///< has a report; whether that agrees with what is published, it says itself
  kFailed = 3,     ///< has an error
  kCancelled = 4,  ///< on request: no partial count exists
};
[[nodiscard]] std::string_view to_string(JobState state);  ///< "queued", "running", …
std::optional<JobState> parse_job_state(std::string_view name);
[[nodiscard]] constexpr bool is_final(JobState state) { return state >= JobState::kDone; }

/// Many questions that are one job: positions, and counts that are expected of them.
struct Batch : Suite {
  std::string text;  ///< as it came

  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;  ///< of the text
};

/// What is known of a batch without its text.
struct BatchFacts {
  std::uint64_t positions = 0;
  std::uint64_t counts = 0;
  std::string name = {};  ///< of what is in its text: "sha256:…"
};

/// What a job is for; each kind has routes of its own.
enum class JobKind : std::uint8_t { kCount, kBatch };

/// What somebody asked for, and how long that matters. make_job_request completes it.
struct JobRequest : Question {
  /// From acceptance, time in the queue and across restarts included; then the job fails.
  std::optional<std::chrono::seconds> deadline = {};
  std::optional<std::string> idempotency_key = {};  ///< at most kMaxIdempotencyKey bytes

  /// `line`'s end as a FEN, and how castling is written in it. JobStore::list() has these alone:
  /// no FEN is read and no move played for a row of a list.
  std::string position = {};
  CastlingNotation notation = CastlingNotation::kStandard;
  Hash128 identity = {};  ///< result_identity, while nothing of this is changed

  // A batch has no position and no line; its `depth` is that of its deepest count.
  std::optional<BatchFacts> batch = {};
  std::shared_ptr<const Batch> suite = {};  ///< absent once it has ended, and in lists

  [[nodiscard]] JobKind kind() const { return batch ? JobKind::kBatch : JobKind::kCount; }
  // What is asked about, as it is stored, and part of what it is known by.
  [[nodiscard]] const std::string& stored_fen() const { return batch ? batch->name : fen; }
  [[nodiscard]] const std::string& stored_position() const {
    return batch ? batch->name : position;
  }

  static constexpr std::size_t kMaxIdempotencyKey = 128;
  static constexpr std::chrono::seconds kMaxDeadline = std::chrono::years(10);
  static constexpr std::uint64_t kMaxSamples = 1'000'000'000;  ///< a week of two cores, at depth 20
  /// Greater numbers lose digits in JavaScript.
  static constexpr std::uint64_t kMaxSeed = (std::uint64_t{1} << 53) - 1;
};

/// Judges `request`, within the limits above, and finds its position and identity. Errors are those
/// of validated(), or name "deadline" or "idempotency key".
Result<JobRequest> make_job_request(JobRequest request);

/// The same of a batch: `request` says all but what is counted, for `epd` says that. Its mode is
/// kCount, kHashed or kUnhashed. Errors also name "mode", "body", or, of a suite that cannot be
/// read, a line: "epd:3: castling".
Result<JobRequest> make_batch_request(JobRequest request, std::string epd);

/// What a result answers, and is cached under: canonical position (and how its castling moves are
/// written), depth, mode, an estimate's samples and seed, and the version of the program.
[[nodiscard]] Hash128 result_identity(const JobRequest& request);
/// All that must be equal when an idempotency key comes again.
[[nodiscard]] Hash128 request_digest(const JobRequest& request);
/// Shows damage of a stored request: all of request_digest, and the position that it means.
[[nodiscard]] Hash128 row_digest(const JobRequest& request);

/// The result of removing a job.
enum class Removal : std::uint8_t {
  kRemoved,
  kNoSuchJob,
  kNotFinished,  ///< or its end is not stored yet
};

/// Finished jobs that made room, with their results.
struct Forgotten {
  std::size_t jobs = 0;
  JobId newest;                ///< of them
  bool short_of_room = false;  ///< there was nothing more to forget, and it was not enough
};

/// Consistent enough for people; never a result.
struct JobProgress {
  std::string phase;            ///< what it does now: "counting" for most of the time
  std::optional<double> share;  ///< of this phase, 0 to 1; none while that is not known
  double resumed = 0;  ///< of subtrees, 0 to 1: counted by an earlier attempt; a part of `share`
  std::uint64_t units_done = 0;
  std::uint64_t units_total = 0;    ///< 0 until the root is split
  std::uint64_t resumed_units = 0;  ///< of units_done, counted by an earlier attempt
  double leaves = 0;                ///< below subtrees counted by this attempt
  std::uint64_t visited = 0;        ///< positions generated by this attempt
  double seconds = 0;               ///< since this attempt started
  double leaves_per_second = 0;
  double visited_per_second = 0;
  std::optional<double> seconds_left;  ///< once it means something
};

/// A job as it stands at one moment.
struct JobView
    : Answer {  // which is there if it is done; of it only JobManager::get() has the document
  JobId id;
  JobRequest request;
  std::string client = {};  ///< the name of who submitted it; empty: nobody's in particular
  JobState state = JobState::kQueued;
  std::size_t queue_position = 0;    ///< while queued: 1 is next; else 0
  JobProgress progress;              ///< while running
  WallTime created;                  ///< accepted and durable
  std::optional<WallTime> started;   ///< the last attempt; absent if none was needed
  std::optional<WallTime> finished;  ///< if is_final(state)
  int attempts = 0;                  ///< times it was started; above 1 it was resumed
  std::optional<Error> error;        ///< if failed
  /// Why the state cannot be stored at present (a full disk …): a result then waits for its place.
  std::optional<std::string> storage_problem;
};

/// Answers. Errors as run_job's; kCancelled only after `resources.stop`. May throw nothing.
using JobRunner =
    std::function<Result<Answer>(const JobRequest& request, const Resources& resources)>;

/// As answer(), or for a batch answer_suite().
Result<Answer> answer_job(const JobRequest& request, const Resources& resources);
/// Whether its finished subtrees, or counts, are stored; else a killed job starts again.
[[nodiscard]] bool resumes(const JobRequest& request);

/// The form of a result that has this name; the error lists those that jobs of this kind have.
Result<Format> parse_result_format(std::string_view name, JobKind kind);

/// Preconditions: view.state is kDone and there is its document; for kJUnit there is the suite,
/// too. JSON is the stored text, to the byte. kInvalidInput where a mode has no such form.
Result<std::string> format_result(const JobView& view, Format format);

}  // namespace manyply
