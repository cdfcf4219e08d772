#include "tools/question/stats_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/question/json_text.h"
#include "tools/question/numbers.h"
#include "tools/question/report_format.h"

namespace manyply {
namespace {

struct Row {
  std::string move;
  const StatisticTotals* totals;
};

std::vector<Row> sorted_rows(const StatisticsReport& report, CastlingNotation notation) {
  std::vector<Row> rows;
  for (const StatisticsDivideEntry& entry : report.divide) {
    rows.push_back({to_uci(entry.move, notation), &entry.totals});
  }
  std::ranges::sort(rows, {}, &Row::move);
  return rows;
}

std::string divide_text(const std::vector<Row>& rows) {
  std::string text =
      fmt::format("{:<6} {:>16} {:>14} {:>10} {:>12} {:>12} {:>12} {:>12}\n", "move", "nodes",
                  "captures", "e.p.", "castles", "promotions", "checks", "mates");
  for (const auto& [move, totals] : rows) {
    const auto at = [t = totals](Statistic which) { return (*t)[which].to_string(); };
    text += fmt::format("{:<6} {:>16} {:>14} {:>10} {:>12} {:>12} {:>12} {:>12}\n", move,
                        at(Statistic::kNodes), at(Statistic::kCaptures), at(Statistic::kEnPassants),
                        at(Statistic::kCastles), at(Statistic::kPromotions),
                        totals->checks().to_string(), totals->mates().to_string());
  }
  return text + '\n';
}

std::string format_text(const StatisticsView& view) {
  const auto& [report, root, depth, with_divide] = view;
  std::string text;
  if (with_divide) text += divide_text(sorted_rows(report, root.notation()));
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<20} {}\n", name, value);
  };
  const auto count = [&](std::string_view name, NodeCount value) {
    const std::string digits = value.to_string();
    line(name, digits.size() <= 3 ? digits : digits + "  (" + grouped(digits) + ")");
  };
  const StatisticTotals& totals = report.totals;
  line("position", to_fen(root.here(), root.notation()));
  line("depth", std::to_string(depth.plies()));
  count("nodes", totals[Statistic::kNodes]);
  line("known", known_text(report.known, report.known_nodes));
  count("captures", totals[Statistic::kCaptures]);
  count("  en passant", totals[Statistic::kEnPassants]);
  count("castles", totals[Statistic::kCastles]);
  count("promotions", totals[Statistic::kPromotions]);
  count("checks, no mate", totals.checks());
  count("  direct", totals[Statistic::kDirectChecks]);
  count("  discovered", totals[Statistic::kDiscoveredChecks]);
  count("  both", totals[Statistic::kDirectDiscoveredChecks]);
  count("  double discovered", totals[Statistic::kDoubleDiscoveredChecks]);
  count("mates", totals.mates());
  count("  direct", totals[Statistic::kDirectMates]);
  count("  discovered", totals[Statistic::kDiscoveredMates]);
  count("  both", totals[Statistic::kDirectDiscoveredMates]);
  count("  double discovered", totals[Statistic::kDoubleDiscoveredMates]);
  count("checks with mates", totals.checks() + totals.mates());
  line("seconds",
       fmt::format("{:.3f} counting, {:.3f} setting up", report.seconds, report.setup_seconds));
  const auto rate = [&](double amount) {
    return si(report.seconds > 0 ? amount / report.seconds : 0);
  };
  line("leaves/s", rate(totals[Statistic::kNodes].approximate() - report.resumed_leaves));
  line("visited/s", rate(static_cast<double>(report.visited)));
  if (report.resumed_units > 0) {
    line("resumed", fmt::format("{} of {} subtrees, {} leaves, from the checkpoint",
                                report.resumed_units, report.units, si(report.resumed_leaves)));
  }
  line("threads", std::to_string(report.threads));
  line("kernel", report.kernel);
  if (report.table_bytes > 0) {
    line("hash", fmt::format("{}, {:.1f} % of {} probes found", format_bytes(report.table_bytes),
                             100 * static_cast<double>(report.hits) /
                                 static_cast<double>(std::max<std::uint64_t>(1, report.probes)),
                             si(static_cast<double>(report.probes))));
    line("expected", fmt::format("{:.2g} false matches", report.expected_false_matches));
  }
  return text;
}

nlohmann::ordered_json counts_json(const StatisticTotals& totals) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < kStatistics; ++i) {
    json[std::string(kStatisticNames[i])] = totals.counts[i].to_string();
  }
  json["checks"] = totals.checks().to_string();
  json["mates"] = totals.mates().to_string();
  return json;
}

std::string format_json(const StatisticsView& view) {
  const auto& [report, root, depth, with_divide] = view;
  nlohmann::ordered_json json;
  json["fen"] = to_fen(root.here(), root.notation());
  json["depth"] = depth.plies();
  json.update(counts_json(report.totals));
  json["known"] = to_string(report.known);
  json["seconds"] = report.seconds;
  json["setup_seconds"] = report.setup_seconds;
  json["visited"] = report.visited;
  json["units"] = report.units;
  json["resumed_units"] = report.resumed_units;
  json["resumed_leaves"] = report.resumed_leaves;
  json["threads"] = report.threads;
  json["kernel"] = report.kernel;
  json["hash_bytes"] = report.table_bytes;
  json["probes"] = report.probes;
  json["hits"] = report.hits;
  json["expected_false_matches"] = report.expected_false_matches;
  json["divide"] = nlohmann::ordered_json::array();
  for (const auto& [move, totals] : sorted_rows(report, root.notation())) {
    nlohmann::ordered_json row;
    row["move"] = move;
    row.update(counts_json(*totals));
    json["divide"].push_back(std::move(row));
  }
  return json_line(json);
}

std::string format_csv(const StatisticsReport& report, const Line& root) {
  std::string text = "move";
  for (const std::string_view name : kStatisticNames) text += ',' + std::string(name);
  text += ",checks,mates\n";
  const auto row = [&](const std::string& move, const StatisticTotals& totals) {
    text += move;
    for (const NodeCount count : totals.counts) text += ',' + count.to_string();
    text += ',' + totals.checks().to_string() + ',' + totals.mates().to_string() + '\n';
  };
  for (const auto& [move, totals] : sorted_rows(report, root.notation())) row(move, *totals);
  row("total", report.totals);
  return text;
}

StatisticTotals totals_of(const nlohmann::ordered_json& json) {
  StatisticTotals totals;
  for (std::size_t i = 0; i < kStatistics; ++i)
    totals.counts[i] = count_of(json.at(std::string(kStatisticNames[i])));
  return totals;
}

}  // namespace

std::string format_statistics(const StatisticsView& view, Format format) {
  if (format == Format::kJson) return format_json(view);
  if (format == Format::kCsv) return format_csv(view.report, view.root);
  return format_text(view);
}

Result<StatisticsReport> parse_statistics(std::string_view text, const Line& root) try {
  const auto json = read_json(text);
  const NamedPosition& named = root.named();
  StatisticsReport report;
  report.totals = totals_of(json);
  for (const auto& row : json.at("divide")) {
    const auto move =
        parse_uci(named.position, row.at("move").get_ref<const std::string&>(), named.notation);
    report.divide.push_back({move.value(), totals_of(row)});
  }
  report.known = known_verdict(json.at("known").get_ref<const std::string&>());
  if (report.known != KnownVerdict::kUnknown)
    report.known_nodes = known_value(named.position, Depth(json.at("depth").get<int>()));
  report.seconds = json.at("seconds").get<double>();
  report.setup_seconds = json.at("setup_seconds").get<double>();
  report.visited = json.at("visited").get<std::uint64_t>();
  report.units = json.at("units").get<std::uint64_t>();
  report.resumed_units = json.at("resumed_units").get<std::uint64_t>();
  report.resumed_leaves = json.at("resumed_leaves").get<double>();
  report.threads = json.at("threads").get<int>();
  report.kernel = json.at("kernel").get<std::string>();
  report.table_bytes = json.at("hash_bytes").get<std::uint64_t>();
  report.probes = json.at("probes").get<std::uint64_t>();
  report.hits = json.at("hits").get<std::uint64_t>();
  report.expected_false_matches = json.at("expected_false_matches").get<double>();
  return report;
} catch (const std::exception&) {
  return Error{ErrorCode::kInvalidInput, "report", 0, "is not what statistics leave"};
}

}  // namespace manyply
