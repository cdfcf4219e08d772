#include "tools/server/job_submission.h"

#include <utility>

namespace manyply {

std::variant<Submission, Refusal> JobSubmission::submit(const JobRequest& asked) {
  using Kind = Refusal::Kind;
  if (auto error = check_limits(asked)) return Refusal{Kind::kInvalid, *std::move(error)};
  const Hash128 digest = request_digest(asked);
  const MutexLock submitting(submitting_);
  if (asked.idempotency_key) {
    const auto owner = board_.store.find_key(*asked.idempotency_key);
    if (!owner) return storage_refusal(owner.error());
    if (*owner) {
      if ((*owner)->digest != digest) {
        return Refusal{Kind::kConflict,
                       {ErrorCode::kInvalidInput, "idempotency key", 0,
                        "was used before, for a different request"}};
      }
      return existing((*owner)->job);
    }
  }
  {
    const MutexLock lock(board_.mutex);
    if (board_.closing)
      return Refusal{Kind::kClosing,
                     {ErrorCode::kUnavailable, "", 0, "the server is shutting down"}};
  }
  const auto known = board_.store.find_result(asked.identity);
  if (!known) return storage_refusal(known.error());
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
  {
    const MutexLock lock(board_.mutex);
    if (board_.queued() >= board_.options.limits.max_queued) {
      return Refusal{
          Kind::kQueueFull,
          {ErrorCode::kUnavailable, "queue", 0,
           "is full: " + std::to_string(board_.options.limits.max_queued) + " jobs are waiting"}};
    }
  }
  JobView view;
  view.request = asked;
  if (!view.request.deadline) view.request.deadline = board_.options.limits.max_deadline;
  view.created = board_.now();
  const auto id = board_.store.accept(view.request, digest, view.created);
  board_.note_storage(id.ok() ? std::nullopt : MaybeError(id.error()));
  if (!id) return Refusal{Kind::kStorage, id.error()};
  view.id = *id;
  const MutexLock lock(board_.mutex);
  const auto job = std::make_shared<ActiveJob>();
  job->view = std::move(view);
  board_.active.emplace(*id, job);
  ++board_.stats.accepted;
  board_.changed(job);
  return Submission{board_.shown(*job), false};
}

MaybeError JobSubmission::check_limits(const JobRequest& request) const {
  const JobLimits& limits = board_.options.limits;
  if (request.depth > limits.max_depth) {
    return Error{ErrorCode::kInvalidInput, "depth", 0,
                 "is above this server's limit of " + std::to_string(limits.max_depth.plies())};
  }
  if (limits.max_deadline && request.deadline && *request.deadline > *limits.max_deadline) {
    return Error{
        ErrorCode::kInvalidInput, "deadline", 0,
        "is above this server's limit of " + std::to_string(limits.max_deadline->count()) + " s"};
  }
  return std::nullopt;
}

std::variant<Submission, Refusal> JobSubmission::existing(JobId id) {
  // Who hears of a job relies on it, new or not.
  if (const MaybeError error = board_.store.check_place()) return storage_refusal(*error);
  auto view = board_.get(id);
  if (!view) return storage_refusal(view.error());
  if (!*view) {
    return storage_refusal({ErrorCode::kInternal, "state", 0, "a job that was known is gone"});
  }
  return Submission{**std::move(view), true};
}

Refusal JobSubmission::storage_refusal(const Error& error) {
  board_.note_storage(error);
  return {Refusal::Kind::kStorage, error};
}

}  // namespace manyply
