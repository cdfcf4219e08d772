// An estimate: its document, and that as text.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/known_values.h"
#include "core/line.h"
#include "parallel/jobs/estimate.h"
#include "tools/report/format.h"

namespace manyply {

/// What `report` answers of `root`. Has the published count, where there is one.
[[nodiscard]] std::string estimate_document(const EstimateReport& report, const Line& root,
                                            Depth depth, std::uint64_t seed);

/// Complete output, line end included. Throws where the document is none.
[[nodiscard]] std::string estimate_text(const nlohmann::ordered_json& document,
                                        const Presentation& how);

/// Of the published count: kMatch if it lies in the interval.
[[nodiscard]] KnownVerdict judge_estimate(const EstimateReport& report,
                                          const std::optional<NodeCount>& published);

}  // namespace manyply
