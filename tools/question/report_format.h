// A finished count as text, JSON, CSV, or what Stockfish prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/line.h"
#include "parallel/job.h"
#include "tools/question/format.h"

namespace manyply {

/// A report and what it answers. The references outlive the view.
struct ReportView {
  const Report& report;
  const Line& root;
  Depth depth;
  bool with_divide = false;  ///< in text; the other formats always list the root moves
};

/// Complete output, line end included.
[[nodiscard]] std::string format_report(const ReportView& view, Format format);

/// The report that `json`, format_report's kJson, tells of. `root` is what it answers. Rates come
/// out as they went in, to the microsecond of `seconds`. kInvalidInput if it is no such report.
Result<Report> parse_report(std::string_view json, const Line& root);

/// Of such a JSON report only the total and the divide: what reports of other modes have, too.
/// kInvalidInput if it has them not, kInternal if they make no sense.
Result<Report> parse_counts(std::string_view json, const Line& root);

/// A count as JSON carries it, in decimal digits. Throws what is wrong with them.
NodeCount count_of(const nlohmann::ordered_json& digits);

/// The table that `--loop` prints in text form: its head, and one row for each depth.
[[nodiscard]] std::string loop_header();
[[nodiscard]] std::string loop_row(const ReportView& view);

/// Line moves and counts by move text, the order people can search and diff.
struct DivideRow {
  std::string move;
  NodeCount nodes;
};
[[nodiscard]] std::vector<DivideRow> sorted_divide(const Report& report, CastlingNotation notation);

/// "match", "mismatch: 8902 is published", "unknown (no published value)".
[[nodiscard]] std::string known_text(KnownVerdict verdict, std::optional<NodeCount> known);

}  // namespace manyply
