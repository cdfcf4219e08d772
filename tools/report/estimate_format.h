// Formats an estimate as a document and as text.
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

/// Returns the document of `report` for `root`, with the published count if one is known.
[[nodiscard]] std::string estimate_document(const EstimateReport& report, const Line& root,
                                            Depth depth, std::uint64_t seed);

/// Returns the complete text output, including the last line end. Throws if the document is
/// invalid.
[[nodiscard]] std::string estimate_text(const nlohmann::ordered_json& document,
                                        const Presentation& how);

/// Compares the published count with the estimate: kMatch if it lies in the interval.
[[nodiscard]] KnownVerdict judge_estimate(const EstimateReport& report,
                                          const std::optional<NodeCount>& published);

}  // namespace manyply
