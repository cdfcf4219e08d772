// A suite as one question: all of its counts, compared with what it expects.
#pragma once

#include <string>
#include <vector>

#include "hash/fingerprint.h"
#include "tools/report/answer.h"
#include "tools/text/suite.h"

namespace manyply {

/// Counts all that `suite` expects, in `mode`: kCount, kHashed or kUnhashed. The verdict is
/// "match", "mismatch", or "refused" where lines of it were; the total is that of all counts.
/// Finished counts are kept under `identity`. Preconditions: resources.store, tables and on_phase
/// are there.
Result<Answer> answer_suite(const Suite& suite, CountMode mode, const Hash128& identity,
                            const Resources& resources);

/// The document of a suite as text or for JUnit, which also takes the suite's lines.
Result<std::string> written_suite(Format format, const std::string& document,
                                  const std::vector<SuiteLine>& lines);

}  // namespace manyply
