// Jobs as JSON: what the API answers and reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/diagnose/diagnosis.h"
#include "tools/report/question.h"
#include "tools/server/http/event_hub.h"
#include "tools/server/jobs/job_manager.h"
#include "tools/server/jobs/job_types.h"

namespace manyply {

/// A job or batch with all that is known of it: one line, counts as decimal strings.
[[nodiscard]] std::string job_json(const JobView& view);
/// What followers of a job are told of `event`: its data are as job_json, without the report.
[[nodiscard]] TopicEvent topic_event(const JobEvent& event);
/// What is told first, of a job or batch as it stands; none: there is no such. May wait for the
/// disk.
Result<std::optional<TopicEvent>> present_event(JobManager& jobs, TopicId id);
/// {"jobs": […], "next": ID or null}, or "batches", without reports.
[[nodiscard]] std::string job_page_json(const JobPage& page, JobKind kind);

/// openapi.json, with the limits of this server.
[[nodiscard]] std::string api_document(const JobManagerOptions& options, std::size_t body_bytes);

/// The body of POST /v1/jobs, and the key that came beside it, validated. Errors name the field;
/// kInvalidInput with an empty field means that the body is no JSON object at all, and where, or
/// that one of its members has a name that no field could have. `most`: plies that are taken.
Result<JobRequest> parse_job_request(std::string_view body,
                                     std::optional<std::string> idempotency_key = std::nullopt,
                                     Depth most = Depth(Depth::kMax));

/// The body of POST /v1/position: a question without a depth, not validated. Errors are those of
/// parse_job_request.
Result<Question> parse_position_request(std::string_view body);

/// The body of POST /v1/diff.
struct DiffRequest {
  JobRequest request;  ///< of the same position and depth
  std::string divide;  ///< as pasted
  std::optional<bool> right_as_fen;
};
Result<DiffRequest> parse_diff_request(std::string_view body, Depth most = Depth(Depth::kMax));

}  // namespace manyply
