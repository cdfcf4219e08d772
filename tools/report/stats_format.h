// Move statistics: their document, and that as text and CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/line.h"
#include "parallel/jobs/statistics_job.h"
#include "parallel/matrix/last_ply_job.h"
#include "tools/report/format.h"

namespace manyply {

/// What `report` answers of `root`, so many plies deep; with `details` of the same root moves, if
/// there are any.
[[nodiscard]] std::string statistics_document(const StatisticsReport& report, const Line& root,
                                              Depth depth,
                                              const std::vector<LastPlyEntry>* details = nullptr);

// Complete output, line end included. They throw where the document is none.

[[nodiscard]] std::string statistics_text(const nlohmann::ordered_json& document,
                                          const Presentation& how);
[[nodiscard]] std::string statistics_csv(const nlohmann::ordered_json& document,
                                         const Presentation& how);

}  // namespace manyply
