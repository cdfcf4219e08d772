#include "tools/server/jobs/job_submission.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/counting.h"

namespace manyply {
namespace {

/// Returns the form in which the idempotency key of a client is stored. It starts with the client's
/// name and a line end, if the client has a name. Names and keys contain no line ends.
std::string own_key(const std::string& key, const Client& client) {
  return client.name.empty() ? key : client.name + '\n' + key;
}

/// Returns the error field to report if a depth exceeds `most`. For a single count it is "depth".
/// For a batch it also names the first line that is too deep, for example "epd:3: depth".
/// Precondition: a depth exceeds `most`.
std::string field_deeper_than(Depth most, const JobRequest& request) {
  if (!request.suite) return "depth";
  const auto deeper = [&](const EpdCount& count) { return count.depth > most; };
  const auto line = std::ranges::find_if(request.suite->lines, [&](const SuiteLine& each) {
    return std::ranges::any_of(each.record.counts, deeper);
  });
  return "epd:" + std::to_string(line->number) + ": depth";
}

Refusal too_much(Refusal::Kind kind, const Client& client, const char* field, std::string why) {
  return {kind,
          {ErrorCode::kUnavailable, field, 0, "client '" + client.name + "': " + std::move(why)}};
}

/// Returns nullopt if a new job of `client` may be queued. Returns a refusal if the queue is full,
/// the client's quota is used up, or the client's usage cannot be read. May block on disk I/O. The
/// caller must not let other jobs into the queue before it has queued the new job.
std::optional<Refusal> check_quota(JobBoard& board, const Client& client) {
  using Kind = Refusal::Kind;
  {
    const MutexLock lock(board.mutex);
    if (board.queued() >= board.options.limits.max_queued) {
      return Refusal{Kind::kQueueFull,
                     {ErrorCode::kUnavailable, "queue", 0,
                      "is full: " + std::to_string(board.options.limits.max_queued) +
                          " jobs are waiting; try again later"}};
    }
  }
  const Quota& quota = client.quota;
  if (quota.queued) {
    const MutexLock lock(board.mutex);
    if (board.queued_of(client.name) >= *quota.queued) {
      return too_much(Kind::kQueueFull, client, "queued",
                      "the limit of waiting jobs is reached: " + std::to_string(*quota.queued));
    }
  }
  if (!quota.running && !quota.stored_bytes) return std::nullopt;
  const auto usage = board.usage_of(client.name);
  if (!usage) return board.storage_refusal(usage.error());
  if (quota.running && usage->ran >= *quota.running) {
    return too_much(Kind::kQueueFull, client, "running",
                    "the limit of running time is reached: " +
                        std::to_string(quota.running->count()) + " s in 24 hours; try again later");
  }
  if (quota.stored_bytes && usage->stored_bytes >= *quota.stored_bytes) {
    return too_much(Kind::kNoRoom, client, "stored",
                    "stored results use " + std::to_string(usage->stored_bytes) +
                        " bytes; the limit is " + std::to_string(*quota.stored_bytes) +
                        "; remove finished jobs");
  }
  return std::nullopt;
}

}  // namespace

std::variant<Submission, Refusal> JobSubmission::submit(const JobRequest& given,
                                                        const Client& client) {
  using Kind = Refusal::Kind;
  JobRequest asked = given;
  if (asked.idempotency_key) asked.idempotency_key = own_key(*asked.idempotency_key, client);
  if (auto error = check_limits(asked)) return Refusal{Kind::kInvalid, *std::move(error)};
  const Hash128 digest = request_digest(asked);
  const MutexLock submitting(submitting_);
  if (asked.idempotency_key) {
    const auto owner = board_.store.find_key(*asked.idempotency_key);
    if (!owner) return board_.storage_refusal(owner.error());
    if (*owner) {
      if ((*owner)->digest != digest) {
        return Refusal{Kind::kConflict,
                       {ErrorCode::kInvalidInput, "idempotency key", 0,
                        "was already used for a different request; choose another one"}};
      }
      return existing((*owner)->job);
    }
  }
  {
    const MutexLock lock(board_.mutex);
    if (board_.closing) return Refusal{Kind::kClosing, closing_error()};
  }
  const auto known = board_.store.find_result(asked.identity);
  if (!known) return board_.storage_refusal(known.error());
  if (*known) {
    if (asked.idempotency_key) {
      const MaybeError error = board_.store.keep_key(*asked.idempotency_key, {**known, digest});
      board_.note_storage(error);
      if (error) return Refusal{Kind::kStorage, *error};
    }
    const MutexLock lock(board_.mutex);
    ++board_.stats.cache_hits;
    if (asked.idempotency_key) board_.prune_sometimes();
  }
  if (*known) return existing(**known);
  if (auto refusal = check_quota(board_, client)) return *std::move(refusal);
  const double core_seconds = expected_core_seconds(asked);
  JobView view;
  view.request = std::move(asked);
  view.client = client.name;
  if (!view.request.deadline) view.request.deadline = default_deadline(client);
  view.created = board_.now();
  const auto id = board_.store.accept(view.request, digest, view.created, view.client);
  board_.note_storage(id.ok() ? std::nullopt : MaybeError(id.error()));
  if (!id) return Refusal{Kind::kStorage, id.error()};
  view.id = *id;
  const MutexLock lock(board_.mutex);
  const auto job = std::make_shared<ActiveJob>();
  job->view = std::move(view);
  job->thought_short = board_.lane.takes(core_seconds);
  board_.active.emplace(*id, job);
  ++board_.stats.accepted;
  board_.changed(job);
  return Submission{board_.shown(*job), false};
}

Result<Removal> JobSubmission::remove(JobId id) {
  const MutexLock submitting(submitting_);
  {
    const MutexLock lock(board_.mutex);
    if (board_.active.contains(id)) return Removal::kNotFinished;
  }
  auto removal = board_.store.remove(id);
  board_.note_storage(removal.ok() ? std::nullopt : MaybeError(removal.error()));
  return removal;
}

MaybeError JobSubmission::check_limits(const JobRequest& request) const {
  const JobLimits& limits = board_.options.limits;
  if (request.depth > limits.max_depth) {
    return Error{ErrorCode::kInvalidInput, field_deeper_than(limits.max_depth, request), 0,
                 "is above this server's limit of " + std::to_string(limits.max_depth.plies())};
  }
  if (limits.max_deadline && request.deadline && *request.deadline > *limits.max_deadline) {
    return Error{
        ErrorCode::kInvalidInput, "deadline", 0,
        "is above this server's limit of " + std::to_string(limits.max_deadline->count()) + " s"};
  }
  return std::nullopt;
}

std::optional<std::chrono::seconds> JobSubmission::default_deadline(const Client& client) const {
  const JobLimits& limits = board_.options.limits;
  if (client.role == Role::kAdmin && !client.anonymous) return limits.max_deadline;
  if (limits.default_deadline && limits.max_deadline)
    return std::min(*limits.default_deadline, *limits.max_deadline);
  return limits.default_deadline ? limits.default_deadline : limits.max_deadline;
}

std::variant<Submission, Refusal> JobSubmission::existing(JobId id) {
  // Clients rely on every job that they receive, even if the job existed before. So check that the
  // open database, which contains the job, is still the file at the path.
  if (const MaybeError error = board_.store.check_place()) return board_.storage_refusal(*error);
  auto view = board_.get(id);
  if (!view) return board_.storage_refusal(view.error());
  if (!*view) {
    return board_.storage_refusal(
        {ErrorCode::kInternal, "state", 0, "the existing job has just been deleted; submit again"});
  }
  return Submission{**std::move(view), true};
}

namespace {

// Leaves per second on one core: at most about 1/7 of the measured rates
// (bench/results/zen5-2-cores/notes.md). A job whose time is overestimated waits longer than
// necessary. A job whose time is underestimated is stopped and queued again, which wastes some
// work.
constexpr double kCountPace = 1e9;
constexpr double kStatisticsPace = 1e8;
constexpr double kEstimatePace = 2e8;
constexpr double kUniquePace = 2e6;

/// Returns the speed-up by a table at this depth: a factor of 1.3 per ply beyond the sixth.
double table_gain(Depth depth) { return std::pow(1.3, std::max(0, depth.plies() - 6)); }

/// A count of distinct positions makes fewer moves at the last ply than there are paths. Returns
/// the expected ratio of paths to moves: a factor of 1.6 per ply beyond the third.
double unique_gain(Depth depth) { return std::pow(1.6, std::max(0, depth.plies() - 3)); }

double leaves_at(const Position& root, int plies) {
  const auto counted = count_nodes(root, Depth(plies));
  return counted ? counted->approximate() : 0;
}

/// Returns the expected seconds of an estimate. Each sample is a random walk: it counts three plies
/// ahead before each move until four plies remain, and then counts these four plies.
double estimate_seconds(const JobRequest& request) {
  const Position& root = request.line.here();
  const int steps = std::max(0, request.depth.plies() - 4);
  const double sample = expected_leaves(root, Depth(4)) + steps * expected_leaves(root, Depth(3));
  return static_cast<double>(request.samples.value_or(kUsualSamples)) * sample / kEstimatePace;
}

/// Returns the expected seconds of a batch, from the sum of the counts in its text.
double suite_seconds(const Batch& batch) {
  double leaves = 0;
  for (const SuiteLine& line : batch.lines) {
    for (const EpdCount& count : line.record.counts) leaves += count.nodes.approximate();
  }
  return leaves / kCountPace;
}

}  // namespace

double expected_leaves(const Position& root, Depth depth) {
  const int plies = depth.plies();
  if (plies <= 3) return leaves_at(root, plies);
  const double one = leaves_at(root, 1);
  const double three = leaves_at(root, 3);
  return one > 0 ? three * std::pow(three / one, (plies - 3) / 2.0) : 0;
}

double expected_core_seconds(const JobRequest& request) {
  if (request.suite) return suite_seconds(*request.suite);
  if (request.mode == CountMode::kEstimate) return estimate_seconds(request);
  const double leaves = expected_leaves(request.line.here(), request.depth);
  const double hashed = leaves / kCountPace / table_gain(request.depth);
  switch (request.mode) {
    case CountMode::kUnhashed:
      return leaves / kCountPace;
    case CountMode::kVerify:
      return hashed + leaves / kCountPace;
    case CountMode::kUnique:
      return leaves / kUniquePace / unique_gain(request.depth);
    case CountMode::kStatistics:
      return leaves / kStatisticsPace / table_gain(request.depth);
    default:
      return hashed;
  }
}

}  // namespace manyply
