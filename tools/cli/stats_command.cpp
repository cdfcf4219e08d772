#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "parallel/statistics_job.h"
#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/numbers.h"
#include "tools/cli/progress_display.h"
#include "tools/cli/report_format.h"

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

std::string known_text(const StatisticsReport& report) {
  Report nodes;
  nodes.known = report.known;
  nodes.known_nodes = report.known_nodes;
  return known_text(nodes);
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

std::string text_of(const StatisticsReport& report, const Options& options, const Root& root) {
  std::string text;
  if (options.divide) text += divide_text(sorted_rows(report, root.named.notation));
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<20} {}\n", name, value);
  };
  const auto count = [&](std::string_view name, NodeCount value) {
    const std::string digits = value.to_string();
    line(name, digits.size() <= 3 ? digits : digits + "  (" + grouped(digits) + ")");
  };
  const StatisticTotals& totals = report.totals;
  line("position", to_fen(root.named.position, root.named.notation));
  line("depth", std::to_string(options.depth.plies()));
  count("nodes", totals[Statistic::kNodes]);
  line("known", known_text(report));
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
  line("leaves/s", rate(totals[Statistic::kNodes].approximate()));
  line("visited/s", rate(static_cast<double>(report.visited)));
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

std::string json_of(const StatisticsReport& report, const Options& options, const Root& root) {
  nlohmann::ordered_json json;
  json["fen"] = to_fen(root.named.position, root.named.notation);
  json["depth"] = options.depth.plies();
  json.update(counts_json(report.totals));
  json["known"] = to_string(report.known);
  json["seconds"] = report.seconds;
  json["setup_seconds"] = report.setup_seconds;
  json["visited"] = report.visited;
  json["threads"] = report.threads;
  json["kernel"] = report.kernel;
  json["hash_bytes"] = report.table_bytes;
  json["probes"] = report.probes;
  json["hits"] = report.hits;
  json["expected_false_matches"] = report.expected_false_matches;
  json["divide"] = nlohmann::ordered_json::array();
  for (const auto& [move, totals] : sorted_rows(report, root.named.notation)) {
    nlohmann::ordered_json row;
    row["move"] = move;
    row.update(counts_json(*totals));
    json["divide"].push_back(std::move(row));
  }
  return json.dump() + '\n';
}

std::string csv_of(const StatisticsReport& report, const Root& root) {
  std::string text = "move";
  for (const std::string_view name : kStatisticNames) text += ',' + std::string(name);
  text += ",checks,mates\n";
  const auto row = [&](const std::string& move, const StatisticTotals& totals) {
    text += move;
    for (const NodeCount count : totals.counts) text += ',' + count.to_string();
    text += ',' + totals.checks().to_string() + ',' + totals.mates().to_string() + '\n';
  };
  for (const auto& [move, totals] : sorted_rows(report, root.named.notation)) row(move, *totals);
  row("total", report.totals);
  return text;
}

}  // namespace

int run_stats(const Options& options, Io& io) {
  const Result<Root> root = root_of(options);
  if (!root) return fail(io, root.error());
  const Result<JobSpec> job = make_job(options, root->named, options.depth);
  if (!job) return fail(io, job.error());
  StatisticsSpec spec{.root = job->root,
                      .depth = job->depth,
                      .threads = job->threads,
                      .kernel = job->kernel,
                      .hash = {}};
  if (job->hash) spec.hash = StatisticsHash{job->hash->bytes, job->hash->keys};

  const Result<StatisticsReport> report = [&] {
    Progress progress;
    const ProgressDisplay display(progress, options.progress, io, "");
    return run_statistics(spec, io.stop, &progress);
  }();
  if (!report) return fail(io, report.error());
  io.out << (options.format == Format::kJson  ? json_of(*report, options, *root)
             : options.format == Format::kCsv ? csv_of(*report, *root)
                                              : text_of(*report, options, *root));
  if (report->known != KnownVerdict::kMismatch) return kExitOk;
  io.err << "perft: depth " << options.depth.plies() << ": the nodes are no " << known_text(*report)
         << '\n';
  return kExitMismatch;
}

}  // namespace manyply
