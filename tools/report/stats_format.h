// Formats move statistics as a document, text and CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/line.h"
#include "parallel/jobs/statistics_job.h"
#include "parallel/matrix/last_ply_job.h"
#include "tools/report/format.h"

namespace manyply {

/// Returns the document of `report` for `root` at `depth`. `details`, if not null, belong to the
/// same root moves.
[[nodiscard]] std::string statistics_document(const StatisticsReport& report, const Line& root,
                                              Depth depth,
                                              const std::vector<LastPlyEntry>* details = nullptr);

// These return the complete output, including the last line end, and throw if the document is
// invalid.

/// Returns one line per kind of move, after a table of the root moves if requested.
[[nodiscard]] std::string statistics_text(const nlohmann::ordered_json& document,
                                          const Presentation& how);
/// Returns one row per root move and a row "total".
[[nodiscard]] std::string statistics_csv(const nlohmann::ordered_json& document,
                                         const Presentation& how);

}  // namespace manyply
