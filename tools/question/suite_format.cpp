#include "tools/question/suite_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/question/json_text.h"
#include "tools/question/report_format.h"

namespace manyply {

using Json = nlohmann::ordered_json;

std::string place_text(const SuiteDifference& difference) {
  return fmt::format("line {}, depth {}", difference.line, difference.depth.plies());
}

std::string counts_text(const SuiteDifference& difference) {
  return fmt::format(": expected {}, counted {}  {}", difference.expected.to_string(),
                     difference.nodes.to_string(), difference.fen);
}

std::string summary_text(const SuiteReport& report) {
  return fmt::format("{}: {} {}, {} {}, {} differ, {} skipped, {:.1f} s\n", report.file,
                     report.positions, report.positions == 1 ? "position" : "positions",
                     report.matches, report.matches == 1 ? "count matches" : "counts match",
                     report.differences.size(), report.skipped, report.seconds);
}

std::string suite_json(const SuiteReport& report) {
  Json differences = Json::array();
  for (const SuiteDifference& difference : report.differences) {
    differences.push_back({{"line", difference.line},
                           {"fen", difference.fen},
                           {"depth", difference.depth.plies()},
                           {"expected", difference.expected.to_string()},
                           {"nodes", difference.nodes.to_string()}});
  }
  return json_line({{"file", report.file},
                    {"positions", report.positions},
                    {"matches", report.matches},
                    {"mismatches", report.differences.size()},
                    {"skipped", report.skipped},
                    {"seconds", report.seconds},
                    {"differences", std::move(differences)}});
}

Result<SuiteReport> parse_suite_json(std::string_view text) try {
  const Json json = read_json(text);
  SuiteReport report;
  report.file = json.at("file").get<std::string>();
  report.positions = json.at("positions").get<std::size_t>();
  report.matches = json.at("matches").get<std::size_t>();
  report.skipped = json.at("skipped").get<std::size_t>();
  report.seconds = json.at("seconds").get<double>();
  for (const Json& each : json.at("differences")) {
    report.differences.push_back({each.at("line").get<int>(), each.at("fen").get<std::string>(),
                                  Depth(each.at("depth").get<int>()), count_of(each.at("expected")),
                                  count_of(each.at("nodes"))});
  }
  return report;
} catch (const std::exception&) {
  return Error{ErrorCode::kInvalidInput, "report", 0, "is not what a suite leaves"};
}

std::string suite_junit(const SuiteReport& report, const std::vector<SuiteLine>& lines) {
  std::string cases;
  std::size_t failures = 0;
  auto wrong = report.differences.begin();
  for (const SuiteLine& line : lines) {
    cases += fmt::format("    <testcase classname=\"{}\" name=\"line {}: {}\"",
                         xml_text(report.file), line.number, xml_text(line.record.fen));
    std::string messages;
    for (; wrong != report.differences.end() && wrong->line == line.number; ++wrong) {
      messages +=
          fmt::format("{}depth {}: expected {}, counted {}", messages.empty() ? "" : "; ",
                      wrong->depth.plies(), wrong->expected.to_string(), wrong->nodes.to_string());
    }
    if (messages.empty()) {
      cases += "/>\n";
    } else {
      ++failures;
      cases += fmt::format(
          ">\n      <failure type=\"mismatch\" message=\"{}\"/>\n    </testcase>\n", messages);
    }
  }
  const std::string totals = junit_totals(lines.size(), failures, 0, 0, report.seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"perft\" {}>\n"
      "  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n</testsuites>\n",
      totals, xml_text(report.file), totals, cases);
}

std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string junit_totals(std::size_t tests, std::size_t failures, std::size_t errors,
                         std::size_t skipped, double seconds) {
  return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")", tests,
                     failures, errors, skipped, seconds);
}

}  // namespace manyply
