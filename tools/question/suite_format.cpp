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

std::vector<std::string> refusal_texts(const RefusedLines& refused) {
  std::vector<std::string> texts;
  for (const auto& [number, error] : refused.told)
    texts.push_back(fmt::format("line {} refused: {}", number, error.to_string()));
  if (refused.untold() > 0) texts.push_back("and " + refused_text(refused.untold()));
  return texts;
}

std::string refused_text(std::size_t count) {
  return fmt::format("{} {} refused", count, count == 1 ? "line" : "lines");
}

std::string summary_text(const SuiteReport& report) {
  return fmt::format("{}: {} {}, {} {}, {} differ, {} skipped{}, {:.1f} s\n", report.file,
                     report.positions, report.positions == 1 ? "position" : "positions",
                     report.matches, report.matches == 1 ? "count matches" : "counts match",
                     report.differences.size(), report.skipped,
                     report.refused.any() ? ", " + refused_text(report.refused.count) : "",
                     report.seconds);
}

Json refused_json(const RefusedLines& refused) {
  Json lines = Json::array();
  for (const auto& [number, error] : refused.told) {
    lines.push_back({{"line", number},
                     {"field", error.field},
                     {"column", error.column},
                     {"message", error.message}});
  }
  return {{"refused", refused.count}, {"refusals", std::move(lines)}};
}

namespace {

/// What refused_json() said; nothing of reports that are older than it.
RefusedLines refused_of(const Json& json) {
  RefusedLines refused;
  refused.count = json.value("refused", std::size_t{0});
  for (const Json& line : json.value("refusals", Json::array())) {
    refused.told.push_back({line.at("line").get<int>(),
                            {ErrorCode::kInvalidInput, line.at("field").get<std::string>(),
                             line.at("column").get<int>(), line.at("message").get<std::string>()}});
  }
  return refused;
}

}  // namespace

std::string suite_json(const SuiteReport& report) {
  Json differences = Json::array();
  for (const SuiteDifference& difference : report.differences) {
    differences.push_back({{"line", difference.line},
                           {"fen", difference.fen},
                           {"depth", difference.depth.plies()},
                           {"expected", difference.expected.to_string()},
                           {"nodes", difference.nodes.to_string()}});
  }
  Json json{{"file", report.file},
            {"positions", report.positions},
            {"matches", report.matches},
            {"mismatches", report.differences.size()},
            {"skipped", report.skipped},
            {"seconds", report.seconds},
            {"differences", std::move(differences)}};
  json.update(refused_json(report.refused));
  json["read_as"] = report.read_as;
  return json_line(json);
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
  report.refused = refused_of(json);
  report.read_as = json.value("read_as", report.read_as);
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
  cases += refused_junit(report.refused, report.file);
  const std::size_t refused = refused_cases(report.refused);
  const std::string totals =
      junit_totals(lines.size() + refused, failures, refused, 0, report.seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"perft\" {}>\n"
      "  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n</testsuites>\n",
      totals, xml_text(report.file), totals, cases);
}

std::string refused_junit(const RefusedLines& refused, std::string_view suite) {
  std::string cases;
  const auto add = [&](const std::string& name, const std::string& why) {
    cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\">\n"
        "      <error type=\"refused\" message=\"{}\"/>\n    </testcase>\n",
        xml_text(suite), name, xml_text(why));
  };
  for (const auto& [number, error] : refused.told)
    add(fmt::format("line {}", number), error.to_string());
  if (refused.untold() > 0) add("more lines", refused_text(refused.untold()));
  return cases;
}

std::size_t refused_cases(const RefusedLines& refused) {
  return refused.told.size() + (refused.untold() > 0 ? 1 : 0);
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
