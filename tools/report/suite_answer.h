// Answers a suite as one question: counts everything and compares with the expected counts.
#pragma once

#include <string>
#include <vector>

#include "hash/fingerprint.h"
#include "tools/report/answer.h"
#include "tools/text/suite.h"

namespace manyply {

/// Counts everything that `suite` expects in `mode`: kCount, kHashed or kUnhashed. The verdict is
/// "match", "mismatch", or "refused" if lines were refused. The total is the sum of all counts.
/// Finished counts are stored under `identity`. Preconditions: resources.store, tables and on_phase
/// are set.
Result<Answer> answer_suite(const Suite& suite, CountMode mode, const Hash128& identity,
                            const Resources& resources);

/// Returns the document of a suite as text or JUnit; JUnit also needs the suite's lines.
Result<std::string> written_suite(Format format, const std::string& document,
                                  const std::vector<SuiteLine>& lines);

}  // namespace manyply
