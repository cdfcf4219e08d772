// Move statistics as text, JSON or CSV.
#pragma once

#include <string>
#include <string_view>

#include "core/line.h"
#include "parallel/statistics_job.h"
#include "tools/question/format.h"

namespace manyply {

/// A report and what it answers. The references outlive the view.
struct StatisticsView {
  const StatisticsReport& report;
  const Line& root;
  Depth depth;
  bool with_divide = false;  ///< in text; the other formats always list the root moves
};

/// Complete output, line end included. Text for kStockfish, which has no form for statistics.
[[nodiscard]] std::string format_statistics(const StatisticsView& view, Format format);

/// The report that `json`, format_statistics' kJson, tells of. `root` is what it answers.
/// kInvalidInput if it is no such report.
Result<StatisticsReport> parse_statistics(std::string_view json, const Line& root);

}  // namespace manyply
