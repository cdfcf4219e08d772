// Types of the server's jobs: requests, states and views of jobs, clients and their roles, SHA-256.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "core/types.h"
#include "hash/fingerprint.h"
#include "tools/report/answer.h"
#include "tools/report/question.h"
#include "tools/text/suite.h"

namespace manyply {

/// Wall clock, for stored and displayed times.
using WallTime = std::chrono::system_clock::time_point;

/// The number of a job. Numbers start at 1, ascend in order of acceptance, and are never reused.
struct JobId {
  std::int64_t value = 0;
  friend constexpr auto operator<=>(const JobId&, const JobId&) = default;
};

/// The state of a job. The database stores the numbers; do not change them.
enum class JobState : std::uint8_t {
  kQueued = 0,
  kRunning = 1,
  kDone = 2,       ///< has a result and a report
  kFailed = 3,     ///< has an error
  kCancelled = 4,  ///< at the request of a client; has no result, not even a partial one
};
[[nodiscard]] std::string_view to_string(JobState state);  ///< "queued", "running", …
/// Parses a name that to_string() returns; nullopt for any other text.
std::optional<JobState> parse_job_state(std::string_view name);
[[nodiscard]] constexpr bool is_final(JobState state) { return state >= JobState::kDone; }

/// A batch: positions with expected counts, counted as one job.
struct Batch : Suite {
  std::string text;  ///< the submitted text, converted by decoded_suite()

  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;  ///< limit for the submitted text
};

/// Facts about a batch that the server can read without reading the batch's text.
struct BatchFacts {
  std::uint64_t positions = 0;
  std::uint64_t counts = 0;
  std::string name = {};  ///< digest of Batch::text: "sha256:…"
};

/// The kind of a job; each kind has separate routes.
enum class JobKind : std::uint8_t { kCount, kBatch };

/// A submitted question with its deadline and idempotency key. Only make_job_request() and
/// make_batch_request() return complete requests.
struct JobRequest : Question {
  /// Time limit from the acceptance of the job to its end. It includes the time in the queue, and
  /// the time while no server runs. A job that exceeds the limit fails.
  std::optional<std::chrono::seconds> deadline = {};
  std::optional<std::string> idempotency_key = {};  ///< at most kMaxIdempotencyKey bytes

  /// The final position of `line` as FEN, and the castling notation of the moves. JobStore::list()
  /// sets `position` and `notation` but not `line`, so that listing parses no FEN and plays no
  /// move.
  std::string position = {};
  CastlingNotation notation = CastlingNotation::kStandard;
  Hash128 identity = {};  ///< result_identity(), valid as long as the request is not changed

  // A batch has no position and no line. Its `depth` is the largest depth in the batch.
  std::optional<BatchFacts> batch = {};
  /// The contents of a batch. Null if the job is a count, if the batch has ended, or if
  /// JobStore::load() or list() has read the job.
  std::shared_ptr<const Batch> suite = {};

  [[nodiscard]] JobKind kind() const { return batch ? JobKind::kBatch : JobKind::kCount; }
  // The texts that the database stores in its columns `fen` and `position`: the FEN as submitted,
  // and the position after the moves. For a batch, both are BatchFacts::name.
  [[nodiscard]] const std::string& stored_fen() const { return batch ? batch->name : fen; }
  [[nodiscard]] const std::string& stored_position() const {
    return batch ? batch->name : position;
  }

  static constexpr std::size_t kMaxIdempotencyKey = 128;
  static constexpr std::chrono::seconds kMaxDeadline = std::chrono::years(10);
  /// Two cores need a week for this number of samples at depth 20.
  static constexpr std::uint64_t kMaxSamples = 1'000'000'000;
  /// Larger numbers lose digits in JavaScript.
  static constexpr std::uint64_t kMaxSeed = (std::uint64_t{1} << 53) - 1;
};

/// Validates `request` against the limits above and fills in position and identity. Errors are
/// those of validated(), and errors in the fields "deadline" and "idempotency key".
Result<JobRequest> make_job_request(JobRequest request);

/// Validates and completes a batch, as make_job_request() does for a count. `epd` is the submitted
/// text of the batch; `request` has mode, deadline and idempotency key. The mode must be kCount,
/// kHashed or kUnhashed. The field of an error may also be "mode", "body", "epd" (the whole text),
/// or a line of the text, such as "epd:3: castling".
Result<JobRequest> make_batch_request(JobRequest request, std::string epd);

/// Returns the identity under which a result is cached. It is a hash of stored_position(), castling
/// notation, depth, mode and the program's version; for an estimate, also of samples and seed.
[[nodiscard]] Hash128 result_identity(const JobRequest& request);
/// Returns a digest of the question and the deadline. Two requests of one client may use the same
/// idempotency key only if their digests are equal.
[[nodiscard]] Hash128 request_digest(const JobRequest& request);
/// Returns a digest that reveals damage of a stored request. It covers everything that
/// request_digest() covers, and the position with its castling notation.
[[nodiscard]] Hash128 row_digest(const JobRequest& request);

/// The result of removing a job.
enum class Removal : std::uint8_t {
  kRemoved,
  kNoSuchJob,
  kNotFinished,  ///< the job runs or waits, or its end is not stored yet
};

/// The finished jobs that JobStore::prune() or shrink() deleted, with their results. prune()
/// deletes jobs if too many jobs are finished, shrink() if the database is too large.
struct Forgotten {
  std::size_t jobs = 0;
  JobId newest;  ///< the newest deleted job
  /// All finished jobs were deleted, but the stored data still exceed the limit.
  bool short_of_room = false;
};

/// The progress of a running job, for display. The values are only roughly consistent.
struct JobProgress {
  std::string phase;            ///< current phase; "counting" most of the time
  std::optional<double> share;  ///< finished share of this phase, 0 to 1; nullopt if not known
  double resumed = 0;           ///< share of this phase that earlier attempts finished, 0 to 1
  std::uint64_t units_done = 0;
  std::uint64_t units_total = 0;    ///< 0 until the root has been split
  std::uint64_t resumed_units = 0;  ///< the part of units_done that earlier attempts counted
  double leaves = 0;                ///< leaves of the subtrees that this attempt counted
  std::uint64_t visited = 0;        ///< positions that this attempt generated
  double seconds = 0;               ///< since the start of this attempt
  double leaves_per_second = 0;
  double visited_per_second = 0;
  std::optional<double> seconds_left;  ///< nullopt until an estimate is meaningful
};

/// The state of a job at one moment.
struct JobView
    : Answer {  // the result, if the job is done; lists and events leave out the document
  JobId id;
  JobRequest request;
  /// Name of the client that submitted the job; empty if the client has no name.
  std::string client = {};
  JobState state = JobState::kQueued;
  std::size_t queue_position = 0;  ///< while queued: 1 = next; otherwise 0
  /// While queued: the oldest job that runs outside the short lane; nullopt if none runs there.
  std::optional<JobId> waits_for;
  JobProgress progress;  ///< while running
  WallTime created;      ///< time of acceptance
  /// Start of the last attempt; nullopt before the first attempt, or if the result was already
  /// known.
  std::optional<WallTime> started;
  std::optional<WallTime> finished;  ///< set if is_final(state)
  int attempts = 0;                  ///< number of starts; above 1 if the job was interrupted
  std::optional<Error> error;        ///< set if failed
  /// The reason why a change of the job cannot be stored at present, such as a full disk. Subtrees
  /// and results that are not stored yet stay in memory.
  std::optional<std::string> storage_problem;
};

/// A function that answers a request. Errors are those of run_job(). It returns kCancelled only
/// after a stop request to `resources.stop`. It must not throw.
using JobRunner =
    std::function<Result<Answer>(const JobRequest& request, const Resources& resources)>;

/// Answers a request with answer(), or a batch with answer_suite().
Result<Answer> answer_job(const JobRequest& request, const Resources& resources);
/// Returns whether finished subtrees or counts of the job are stored, so that the job can resume
/// after a kill. Otherwise the job starts again from the beginning.
[[nodiscard]] bool resumes(const JobRequest& request);

/// Parses the name of a result format. The error lists the formats for jobs of this kind.
Result<Format> parse_result_format(std::string_view name, JobKind kind);

/// Formats the result of a job. Preconditions: view.state is kDone, and the document is present;
/// for kJUnit, the suite is present, too. The result as JSON is the stored text, byte for byte.
/// Error kInvalidInput: the mode does not support this format.
Result<std::string> format_result(const JobView& view, Format format);

/// A set of rights. Each request requires a role, and each client has a role. A role includes all
/// rights of the roles that precede it in this list.
enum class Role : std::uint8_t {
  kNone,    ///< no rights; as a requirement: the request needs no token
  kRead,    ///< see jobs and results
  kSubmit,  ///< submit jobs; cancel and remove own jobs
  kAdmin,   ///< everything, also with jobs of other clients
};

/// Limits for one client. An absent limit means that only the limits of the whole server apply.
struct Quota {
  std::optional<std::size_t> queued = {};  ///< waiting jobs at any time
  /// Total running time of the client's jobs in any 24 hours.
  std::optional<std::chrono::seconds> running = {};
  std::optional<std::uint64_t> stored_bytes = {};  ///< size of results and requests
};

/// The client that sent a request.
struct Client {
  std::string name = {};  ///< from the token file; empty if the client has no name or no token
  Role role = Role::kNone;
  Quota quota = {};
  bool anonymous = false;  ///< not identified by a token

  /// Returns the client of every request to a server without an access list.
  [[nodiscard]] static Client anybody() { return {.role = Role::kAdmin, .anonymous = true}; }
  /// Returns whether this client may cancel or remove jobs that `owner` submitted.
  [[nodiscard]] bool may_end_jobs_of(std::string_view owner) const {
    return role == Role::kAdmin || (role == Role::kSubmit && name == owner);
  }
};

// SHA-256 (FIPS 180-4), for the digests of tokens and of batches.

using Sha256 = std::array<std::uint8_t, 32>;

/// Returns the digest of `text`.
[[nodiscard]] Sha256 sha256(std::string_view text);

}  // namespace manyply
