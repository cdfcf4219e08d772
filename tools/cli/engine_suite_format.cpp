#include "tools/cli/engine_suite_format.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/cli/bisect_format.h"
#include "tools/cli/framework/printable.h"
#include "tools/report/suite_format.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Says what differs or failed, and at which depth.
std::string what_happened(const EngineCase& at) {
  if (at.state == CaseState::kFailed) return fmt::format("depth {}: {}", at.depth.plies(), at.why);
  const std::string engine =
      at.nodes ? "the engine counts " + at.nodes->to_string() : "the engine counts something else";
  return fmt::format("depth {}: expected {}, {}{}", at.depth.plies(), at.expected.to_string(),
                     engine, at.other ? ": " + at.other->detail : "");
}

std::string positions(std::size_t number) {
  return fmt::format("{} {}", number, number == 1 ? "position" : "positions");
}

std::string shared_text(const SharedKind& shared, const EngineSuiteReport& report) {
  return fmt::format("{}: in {} of {} wrong positions, in {} of {} right ones",
                     words_for(shared.kind), shared.wrong, report.wrong, shared.right,
                     report.right);
}

std::string shared_text(const SharedTag& shared, const EngineSuiteReport& report) {
  return fmt::format("{}: of {} of {} positions that are wrong at depth {}, of {} of {} others",
                     printable(shared.tag), shared.wrong, report.wrong_of_tags,
                     report.tags_depth.plies(), shared.right, report.right_of_tags);
}

/// Returns text of a suite or an engine for XML. xml_text() must not receive control characters.
std::string xml(std::string_view text) { return xml_text(printable(text)); }

/// Returns a JUnit test case. A position that was not asked counts as skipped.
std::string junit_case(const EngineCase& at, const std::string& suite) {
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"line {}: {}\" time=\"{:.3f}\"", xml(suite),
                  at.line->number, xml(at.line->record.fen), at.seconds);
  const auto with = [&](std::string_view element, std::string_view type, std::string_view message) {
    return text + fmt::format(">\n      <{}{} message=\"{}\"/>\n    </testcase>\n", element,
                              type.empty() ? "" : fmt::format(" type=\"{}\"", type), xml(message));
  };
  switch (at.state) {
    case CaseState::kAgrees:
      return text + "/>\n";
    case CaseState::kDiffers:
      return with("failure", "mismatch", what_happened(at));
    case CaseState::kFailed:
      return with("error", "engine", what_happened(at));
    case CaseState::kSkipped:
      return with("skipped", "", at.why);
    case CaseState::kOverBudget:
      break;
  }
  return with("skipped", "", "not asked: the search ended before");
}

}  // namespace

std::string_view verdict_of(const EngineSuiteReport& report) {
  if (report.count(CaseState::kDiffers) > 0) return "DIFFERS";
  if (report.count(CaseState::kFailed) > 0) return "failed";
  return report.agrees() ? "agrees" : "nothing was asked";
}

std::string verdict_text(const EngineSuiteReport& report, const std::vector<Suite>& suites) {
  std::string text(verdict_of(report));
  const std::size_t not_asked = report.count(CaseState::kOverBudget);
  if (not_asked > 0) text += fmt::format(", {} of {} not asked", not_asked, report.cases.size());
  std::size_t refused = 0;
  for (const Suite& suite : suites) refused += suite.refused.count;
  return text + (refused > 0 ? ", " + refused_text(refused) : "");
}

std::string trouble_text(const EngineCase& at, const std::vector<Suite>& suites) {
  return fmt::format("{} line {}, {}  {}", printable(suites[at.suite].name), at.line->number,
                     printable(what_happened(at)), printable(at.line->record.fen));
}

std::string engine_suite_text(const EngineSuiteReport& report, const std::vector<Suite>& suites,
                              const EngineSpec& engine) {
  std::string text;
  for (std::size_t suite = 0; suite < suites.size(); ++suite) {
    const auto count = [&](CaseState state) { return report.count(state, suite); };
    const RefusedLines& refused = suites[suite].refused;
    text += fmt::format("{}: {}, {} agree, {} differ, {} failed, {} skipped, {} not asked{}\n",
                        printable(suites[suite].name), positions(suites[suite].lines.size()),
                        count(CaseState::kAgrees), count(CaseState::kDiffers),
                        count(CaseState::kFailed), count(CaseState::kSkipped),
                        count(CaseState::kOverBudget),
                        refused.any() ? ", " + refused_text(refused.count) : "");
  }
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<10} {}\n", name, value);
  };
  row("asked", fmt::format("{} leaves, {:.1f} s{}{}", report.nodes.to_string(), report.seconds,
                           report.budget_spent ? "; the budget ended the search" : "",
                           report.gave_up ? "; stopped because the engine failed too often" : ""));
  for (const SharedKind& shared : report.shared) row("shared", shared_text(shared, report));
  for (const SharedTag& shared : report.shared_tags) row("tag", shared_text(shared, report));
  const EngineCase* wrong = nullptr;  // the case with the smallest tree
  for (const EngineCase& at : report.cases) {
    const bool is_smaller = wrong == nullptr || at.expected < wrong->expected;
    if (at.state == CaseState::kDiffers && is_smaller) wrong = &at;
  }
  if (wrong != nullptr) {
    std::string asking = for_shell(engine.command);
    if (!engine.ask.empty()) asking += " --ask " + for_shell(engine.ask);
    if (engine.dialect != Dialect::kAuto)
      asking += fmt::format(" --dialect {}", to_string(engine.dialect));
    row("next", fmt::format("perft bisect {} --engine {} --fen {}", wrong->depth.plies(), asking,
                            for_shell(wrong->line->record.fen)));
  }
  return text;
}

Json engine_suite_json(const EngineSuiteReport& report, const std::vector<Suite>& suites) {
  Json all = Json::array();
  for (std::size_t suite = 0; suite < suites.size(); ++suite) {
    const auto count = [&](CaseState state) { return report.count(state, suite); };
    Json one{{"name", suites[suite].name},
             {"positions", suites[suite].lines.size()},
             {"agree", count(CaseState::kAgrees)},
             {"differ", count(CaseState::kDiffers)},
             {"failed", count(CaseState::kFailed)},
             {"skipped", count(CaseState::kSkipped)},
             {"not_asked", count(CaseState::kOverBudget)}};
    one.update(refused_json(suites[suite].refused));
    one["read_as"] = suites[suite].read_as;
    all.push_back(std::move(one));
  }
  Json differences = Json::array();
  Json failures = Json::array();
  for (const EngineCase& at : report.cases) {
    const bool differs = at.state == CaseState::kDiffers;
    if (!differs && at.state != CaseState::kFailed) continue;
    Json entry{{"suite", suites[at.suite].name},
               {"line", at.line->number},
               {"fen", at.line->record.fen},
               {"depth", at.depth.plies()},
               {"expected", at.expected.to_string()}};
    if (differs) {
      entry["nodes"] = at.nodes ? Json(at.nodes->to_string()) : Json();
      entry["causes"] = at.other ? Json::array({finding_json(*at.other)}) : Json::array();
      differences.push_back(std::move(entry));
    } else {
      entry["why"] = at.why;
      failures.push_back(std::move(entry));
    }
  }
  Json shared = Json::array();
  for (const SharedKind& kind : report.shared) {
    shared.push_back({{"kind", words_for(kind.kind)},
                      {"wrong", kind.wrong},
                      {"of_wrong", report.wrong},
                      {"right", kind.right},
                      {"of_right", report.right}});
  }
  Json tags = Json::array();
  for (const SharedTag& tag : report.shared_tags) {
    tags.push_back({{"tag", tag.tag},
                    {"depth", report.tags_depth.plies()},
                    {"wrong", tag.wrong},
                    {"of_wrong", report.wrong_of_tags},
                    {"right", tag.right},
                    {"of_right", report.right_of_tags}});
  }
  return {{"suites", std::move(all)},        {"nodes", report.nodes.to_string()},
          {"seconds", report.seconds},       {"budget_spent", report.budget_spent},
          {"gave_up", report.gave_up},       {"differences", std::move(differences)},
          {"failures", std::move(failures)}, {"shared", std::move(shared)},
          {"shared_tags", std::move(tags)},  {"verdict", verdict_of(report)}};
}

std::string engine_suite_junit(const EngineSuiteReport& report, const std::vector<Suite>& suites,
                               const std::string& engine) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  std::size_t all_refused = 0;
  for (const Suite& suite : suites) all_refused += refused_cases(suite.refused);
  text += fmt::format(
      "<testsuites name=\"perft suite --engine {}\" {}>\n", xml(engine),
      junit_totals(report.cases.size() + all_refused, report.count(CaseState::kDiffers),
                   report.count(CaseState::kFailed) + all_refused,
                   report.count(CaseState::kSkipped) + report.count(CaseState::kOverBudget),
                   report.seconds));
  for (std::size_t suite = 0; suite < suites.size(); ++suite) {
    const auto count = [&](CaseState state) { return report.count(state, suite); };
    const std::string& name = suites[suite].name;
    const std::size_t refused = refused_cases(suites[suite].refused);
    std::string cases;
    double seconds = 0;
    for (const EngineCase& at : report.cases) {
      if (at.suite != suite) continue;
      cases += junit_case(at, name);
      seconds += at.seconds;
    }
    cases += refused_junit(suites[suite].refused, printable(name));
    text += fmt::format(
        "  <testsuite name=\"{}\" {}>\n", xml(name),
        junit_totals(suites[suite].lines.size() + refused, count(CaseState::kDiffers),
                     count(CaseState::kFailed) + refused,
                     count(CaseState::kSkipped) + count(CaseState::kOverBudget), seconds));
    text += cases;
    const bool any_shared = !report.shared.empty() || !report.shared_tags.empty();
    if (any_shared && count(CaseState::kDiffers) > 0) {
      text += "    <system-out>";
      for (const SharedKind& shared : report.shared)
        text += xml("shared: " + shared_text(shared, report)) + '\n';
      for (const SharedTag& shared : report.shared_tags)
        text += xml("tag: " + shared_text(shared, report)) + '\n';
      text += "</system-out>\n";
    }
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace manyply
