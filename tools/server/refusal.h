// What the jobs refuse, as HTTP says it.
#pragma once

#include "tools/server/http/http_message.h"
#include "tools/server/jobs/job_manager.h"

namespace manyply {

/// The status that belongs to the kind of refusal, with Retry-After where coming back may help.
[[nodiscard]] HttpResponse problem(const Refusal& refusal);

}  // namespace manyply
