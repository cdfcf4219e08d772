// An estimate as text or JSON.
#pragma once

#include <string>
#include <string_view>

#include "core/known_values.h"
#include "core/line.h"
#include "parallel/estimate.h"
#include "tools/question/format.h"

namespace manyply {

/// A report and what it answers. The references outlive the view.
struct EstimateView {
  const EstimateReport& report;
  const Line& root;
  Depth depth;
  std::uint64_t seed = 0;
};

/// Complete output, line end included: JSON if `format` is that, else text. Names the published
/// count, where there is one, and whether it lies in the interval.
[[nodiscard]] std::string format_estimate(const EstimateView& view, Format format);

/// The text of what format_estimate wrote as JSON. `root` is what it answers. kInvalidInput if it
/// is no such report.
Result<std::string> estimate_text(std::string_view json, const Line& root);

/// Of the published count: kMatch if it lies in the interval.
[[nodiscard]] KnownVerdict judge_estimate(const EstimateReport& report,
                                          const std::optional<NodeCount>& published);

}  // namespace manyply
