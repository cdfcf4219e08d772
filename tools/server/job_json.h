// Jobs as JSON: the bodies of requests and responses.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tools/diagnose/diagnosis.h"
#include "tools/report/question.h"
#include "tools/server/http/event_hub.h"
#include "tools/server/jobs/job_manager.h"
#include "tools/server/jobs/job_types.h"

namespace manyply {

/// Returns a job or batch as one line of JSON. Includes the report if `view` has it. Counts are
/// decimal strings.
[[nodiscard]] std::string job_json(const JobView& view);
/// Returns the event that followers of the job receive. The event's data is the text of job_json()
/// without the report.
[[nodiscard]] TopicEvent topic_event(const JobEvent& event);
/// Returns the first event for a new follower of a job or batch: its current state. Returns nullopt
/// if the job or batch does not exist. May block on disk I/O.
Result<std::optional<TopicEvent>> present_event(JobManager& jobs, TopicId id);
/// Returns {"jobs": […], "next": ID or null}, with "batches" instead of "jobs" for JobKind::kBatch.
/// Leaves out reports.
[[nodiscard]] std::string job_page_json(const JobPage& page, JobKind kind);

/// Returns `openapi`, the text of openapi.json, with the limits of this server filled in.
[[nodiscard]] std::string api_document(std::string_view openapi, const JobManagerOptions& options,
                                       std::size_t body_bytes);
/// Returns a JSON object with the schema of each field of a JobRequest, without descriptions.
/// `document` is the result of api_document().
[[nodiscard]] std::string request_limits(std::string_view document);

/// Parses and validates the body of POST /v1/jobs together with its idempotency key. `most` is the
/// largest depth that the server accepts. The field of an error is the wrong member of the body, or
/// "idempotency key". The field is empty if the body is not a JSON object, or if a member has a
/// name that no field can have (bad_member()).
Result<JobRequest> parse_job_request(std::string_view body,
                                     std::optional<std::string> idempotency_key = std::nullopt,
                                     Depth most = Depth(Depth::kMax));

/// Parses the body of POST /v1/position: a question without a depth. Does not validate the
/// question. Errors are those of parse_job_request().
Result<Question> parse_position_request(std::string_view body);

/// The parsed body of POST /v1/diff.
struct DiffRequest {
  JobRequest request;  ///< the position and depth of the comparison
  std::string divide;  ///< the pasted divide
  /// About the program that printed the pasted divide: true if the program counts correctly when
  /// the user sends it the position as a FEN, without moves. nullopt if not known.
  std::optional<bool> right_as_fen;
};
/// Parses and validates the body of POST /v1/diff. Errors are those of parse_job_request().
Result<DiffRequest> parse_diff_request(std::string_view body, Depth most = Depth(Depth::kMax));

/// Reads our divide of `request` from a stored report of any counting method. Returns nullopt if no
/// stored report has this divide.
std::optional<std::vector<DivideEntry>> stored_divide(JobManager& jobs, JobRequest request);
/// Counts the divide of `request`. Precondition: its depth is at least 1. Returns nullopt if
/// counting takes longer than `patience`, or after a stop request to `enough`.
std::optional<std::vector<DivideEntry>> counted_divide(const JobRequest& request,
                                                       std::chrono::milliseconds patience,
                                                       const std::stop_token& enough);

}  // namespace manyply
