// Refusals of the job manager as HTTP responses.
#pragma once

#include "tools/server/http/http_message.h"
#include "tools/server/jobs/job_manager.h"

namespace manyply {

/// Returns a problem response with the status for the kind of refusal. Adds Retry-After if a later
/// attempt may succeed.
[[nodiscard]] HttpResponse problem(const Refusal& refusal);

}  // namespace manyply
