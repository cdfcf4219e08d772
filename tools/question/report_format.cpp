#include "tools/question/report_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/question/hash_format.h"
#include "tools/question/json_text.h"
#include "tools/question/numbers.h"
#include "tools/question/stockfish_order.h"

namespace manyply {
namespace {

std::string_view method_name(const Report& report) {
  return report.matrix ? "configurations" : report.hash ? "hashed" : "unhashed";
}

std::string matrix_text(const MatrixReport& matrix) {
  return fmt::format(
      "matrix     {} by {} configurations, {}\n"
      "counted    {} positions by the two-ply kernel, {} a ply deeper in lanes of bytes\n"
      "expected   no false match possible: configurations are compared whole, without keys\n",
      matrix.rows, matrix.columns, format_bytes(matrix.bytes), matrix.kernel_pairs,
      matrix.lane_pairs);
}

std::string format_text(const ReportView& view) {
  const Report& report = view.report;
  std::string text;
  if (view.with_divide) {
    for (const DivideRow& row : sorted_divide(report, view.root.notation())) {
      text += row.move + ": " + row.nodes.to_string() + '\n';
    }
    if (!report.divide.empty()) text += '\n';
  }
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<10} {}\n", name, value);
  };
  const std::string digits = report.nodes.to_string();
  line("position", to_fen(view.root.here(), view.root.notation()));
  line("depth", std::to_string(view.depth.plies()));
  line("nodes", digits.size() <= 3 ? digits : digits + "  (" + grouped(digits) + ")");
  line("known", known_text(report.known, report.known_nodes));
  line("seconds",
       fmt::format("{:.3f} counting, {:.3f} setting up", report.seconds, report.setup_seconds));
  line("leaves/s", si(report.leaves_per_second()));
  line("visited/s", si(report.visited_per_second()));
  if (report.resumed_units > 0) {
    line("resumed", fmt::format("{} of {} subtrees, {} leaves, from the checkpoint",
                                report.resumed_units, report.units, si(report.resumed_leaves)));
  }
  line("threads", std::to_string(report.threads));
  line("kernel", report.kernel);
  line("method", std::string(method_name(report)));
  if (report.hash) text += hash_text(report);
  if (report.matrix) text += matrix_text(*report.matrix);
  return text;
}

nlohmann::ordered_json matrix_json(const std::optional<MatrixReport>& matrix) {
  if (!matrix) return nullptr;
  return {{"rows", matrix->rows},
          {"columns", matrix->columns},
          {"kernel_pairs", matrix->kernel_pairs},
          {"lane_pairs", matrix->lane_pairs},
          {"bytes", matrix->bytes},
          {"false_match_possible", false}};
}

/// Nothing where there is none, as in reports older than this method.
std::optional<MatrixReport> parse_matrix(const nlohmann::ordered_json& json) {
  if (!json.contains("matrix") || json.at("matrix").is_null()) return std::nullopt;
  const auto& matrix = json.at("matrix");
  return MatrixReport{.rows = matrix.at("rows").get<std::uint64_t>(),
                      .columns = matrix.at("columns").get<std::uint64_t>(),
                      .kernel_pairs = matrix.at("kernel_pairs").get<std::uint64_t>(),
                      .lane_pairs = matrix.at("lane_pairs").get<std::uint64_t>(),
                      .bytes = matrix.at("bytes").get<std::uint64_t>()};
}

/// Whole microseconds: what a clock can tell.
double rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

std::string format_json(const ReportView& view) {
  using Json = nlohmann::ordered_json;
  const Report& report = view.report;
  Json json;
  json["fen"] = to_fen(view.root.here(), view.root.notation());
  json["depth"] = view.depth.plies();
  json["nodes"] = report.nodes.to_string();
  json["known"] = to_string(report.known);
  json["seconds"] = rounded(report.seconds);
  json["setup_seconds"] = rounded(report.setup_seconds);
  json["leaves_per_second"] = rate_json(report.leaves_per_second());
  json["visited_per_second"] = rate_json(report.visited_per_second());
  json["units"] = report.units;
  json["resumed_units"] = report.resumed_units;
  json["threads"] = report.threads;
  json["kernel"] = report.kernel;
  json["method"] = method_name(report);
  json["matrix"] = matrix_json(report.matrix);
  add_hash_json(report, json);
  json["divide"] = Json::array();
  for (const DivideRow& row : sorted_divide(report, view.root.notation())) {
    json["divide"].push_back({{"move", row.move}, {"nodes", row.nodes.to_string()}});
  }
  return json_line(json);
}

std::string format_csv(const ReportView& view) {
  std::string text = "move,nodes\n";
  for (const DivideRow& row : sorted_divide(view.report, view.root.notation())) {
    text += row.move + ',' + row.nodes.to_string() + '\n';
  }
  return text + "total," + view.report.nodes.to_string() + '\n';
}

std::string format_stockfish(const ReportView& view) {
  const NamedPosition& named = view.root.named();
  const std::vector<DivideEntry>& divide = view.report.divide;
  std::string text;
  if (view.depth > Depth(0)) {
    const std::vector<Move> order = stockfish_order(named.position, view.root.passed());
    MANYPLY_CHECK(order.size() == divide.size());
    for (const Move move : order) {
      const auto entry = std::ranges::find(divide, move, &DivideEntry::move);
      MANYPLY_CHECK(entry != divide.end());
      text += to_uci(move, named.notation) + ": " + entry->nodes.to_string() + '\n';
    }
  }
  return text + "\nNodes searched: " + view.report.nodes.to_string() + "\n\n";
}

/// Back from a rate: what was counted in so many seconds.
double amount(const nlohmann::ordered_json& rate, double seconds) {
  return rate.get<double>() * seconds;
}

/// The total and the divide. Throws what is wrong with them.
Report counts_in(const nlohmann::ordered_json& json, const NamedPosition& named) {
  Report report;
  report.nodes = count_of(json.at("nodes"));
  for (const auto& row : json.at("divide")) {
    const auto move =
        parse_uci(named.position, row.at("move").get_ref<const std::string&>(), named.notation);
    report.divide.push_back({move.value(), count_of(row.at("nodes"))});
  }
  return report;
}

}  // namespace

NodeCount count_of(const nlohmann::ordered_json& digits) {
  return NodeCount::parse(digits.get_ref<const std::string&>()).value();
}

std::string format_report(const ReportView& view, Format format) {
  switch (format) {
    case Format::kText:
      return format_text(view);
    case Format::kJson:
      return format_json(view);
    case Format::kCsv:
      return format_csv(view);
    case Format::kStockfish:
      return format_stockfish(view);
  }
  return {};
}

Result<Report> parse_report(std::string_view text, const Line& root) try {
  const auto json = read_json(text);
  const NamedPosition& named = root.named();
  Report report = counts_in(json, named);
  report.known = known_verdict(json.at("known").get_ref<const std::string&>());
  if (report.known != KnownVerdict::kUnknown)
    report.known_nodes = known_value(named.position, Depth(json.at("depth").get<int>()));
  report.seconds = json.at("seconds").get<double>();
  report.setup_seconds = json.at("setup_seconds").get<double>();
  report.visited = static_cast<std::uint64_t>(
      std::llround(amount(json.at("visited_per_second"), report.seconds)));
  report.units = json.at("units").get<std::uint64_t>();
  report.resumed_units = json.at("resumed_units").get<std::uint64_t>();
  if (report.resumed_units > 0) {
    report.resumed_leaves = std::max(
        0.0, report.nodes.approximate() - amount(json.at("leaves_per_second"), report.seconds));
  }
  report.threads = json.at("threads").get<int>();
  report.kernel = json.at("kernel").get<std::string>();
  report.hash = parse_hash_json(json);
  report.matrix = parse_matrix(json);
  return report;
} catch (const std::exception&) {
  return Error{ErrorCode::kInvalidInput, "report", 0, "is not what a count leaves"};
}

Result<Report> parse_counts(std::string_view text, const Line& root) try {
  const auto json = read_json(text);
  if (!json.contains("nodes") || !json.contains("divide"))
    return Error{ErrorCode::kInvalidInput, "report", 0, "has no counts"};
  return counts_in(json, root.named());
} catch (const std::exception& problem) {
  return Error{ErrorCode::kInternal, "report", 0, problem.what()};
}

std::string loop_header() {
  return fmt::format("{:>5} {:>30} {:>11} {:>9} {:>9}  {}\n", "depth", "nodes", "seconds",
                     "leaves/s", "visited/s", "known");
}

std::string loop_row(const ReportView& view) {
  const Report& report = view.report;
  return fmt::format("{:>5} {:>30} {:>11.3f} {:>9} {:>9}  {}\n", view.depth.plies(),
                     report.nodes.to_string(), report.seconds, si(report.leaves_per_second()),
                     si(report.visited_per_second()), known_text(report.known, report.known_nodes));
}

std::vector<DivideRow> sorted_divide(const Report& report, CastlingNotation notation) {
  std::vector<DivideRow> rows;
  for (const DivideEntry& entry : report.divide) {
    rows.push_back({to_uci(entry.move, notation), entry.nodes});
  }
  std::ranges::sort(rows, {}, &DivideRow::move);
  return rows;
}

std::string known_text(KnownVerdict verdict, std::optional<NodeCount> known) {
  switch (verdict) {
    case KnownVerdict::kMatch:
      return "match";
    case KnownVerdict::kMismatch:
      return "mismatch: " + known.value_or(0).to_string() + " is published";
    case KnownVerdict::kUnknown:
      break;
  }
  return "unknown (no published value)";
}

}  // namespace manyply
