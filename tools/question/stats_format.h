// Move statistics: their document, and that as text and CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/line.h"
#include "parallel/statistics_job.h"
#include "tools/question/format.h"

namespace manyply {

/// What `report` answers of `root`, so many plies deep.
[[nodiscard]] std::string statistics_document(const StatisticsReport& report, const Line& root,
                                              Depth depth);

// Complete output, line end included. They throw where the document is none.

[[nodiscard]] std::string statistics_text(const nlohmann::ordered_json& document,
                                          const Presentation& how);
[[nodiscard]] std::string statistics_csv(const nlohmann::ordered_json& document,
                                         const Presentation& how);

}  // namespace manyply
