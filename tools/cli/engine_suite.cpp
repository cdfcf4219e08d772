#include "tools/cli/engine_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/cli/diagnosis_format.h"
#include "tools/cli/engine_asking.h"
#include "tools/cli/framework/io.h"
#include "tools/diagnose/divide_diff.h"
#include "tools/report/document_members.h"
#include "tools/report/suite_format.h"

namespace manyply {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Largest number of leaves of a tree that is searched for kinds of moves: kWrongTree for positions
/// that the engine counted wrong, kRightTree for positions that it counted right.
constexpr std::uint64_t kWrongTree = 300'000;
constexpr std::uint64_t kRightTree = 20'000;

/// Returns the kinds of moves in the tree of the position. The tree is as deep as possible, but at
/// most `depth`. A depth of 2 is always possible. A greater depth is possible if the suite has a
/// count for this depth, and this count is at most `most`.
std::vector<MoveKindSeen> kinds_of(const EngineCase& at, Depth depth, std::uint64_t most) {
  Depth deepest(std::min(depth.plies(), 2));
  for (const EpdCount& count : at.line->record.counts) {
    if (count.depth <= depth && count.nodes <= NodeCount(most))
      deepest = std::max(deepest, count.depth);
  }
  const Result<Line> line = parse_line(at.line->record.fen, "", std::nullopt);
  if (!line) return {};
  const MoveKinds found = kinds_below(*line, deepest);
  std::vector<MoveKindSeen> kinds;
  for (std::size_t i = 0; i < kMoveKindsSeen; ++i) {
    if (found[i]) kinds.push_back(static_cast<MoveKindSeen>(i));
  }
  return kinds;
}

/// Compares how often wrong and right positions have a property. Returns the share of wrong
/// positions with the property minus the share of right positions with the property: `wrong` /
/// `of_wrong` - `right` / `of_right`. Returns nullopt if the property does not distinguish wrong
/// positions (see SharedProperties), or if there are too few positions to compare.
std::optional<double> telling(std::size_t wrong, std::size_t of_wrong, std::size_t right,
                              std::size_t of_right) {
  constexpr std::size_t kFewest = 3;
  if (of_wrong == 0 || of_right < kFewest) return std::nullopt;
  const auto share = [](std::size_t part, std::size_t all) {
    return static_cast<double>(part) / static_cast<double>(all);
  };
  const double difference = share(wrong, of_wrong) - share(right, of_right);
  return share(wrong, of_wrong) >= 0.8 && difference >= 0.2 ? std::optional(difference)
                                                            : std::nullopt;
}

/// Compares wrong and right positions, each given by its properties.
template <typename Property>
SharedProperties<Property> shared_properties(const std::vector<std::vector<Property>>& wrong,
                                             const std::vector<std::vector<Property>>& right) {
  struct Counts {
    std::size_t wrong = 0;
    std::size_t right = 0;
  };
  std::map<Property, Counts> counts;
  for (const auto& position : wrong) {
    for (const Property& property : position) ++counts[property].wrong;
  }
  for (const auto& position : right) {
    for (const Property& property : position) ++counts[property].right;
  }
  const auto difference = [&](const auto& of) {
    return telling(of.wrong, wrong.size(), of.right, right.size());
  };
  SharedProperties<Property> shared{wrong.size(), right.size(), {}};
  for (const auto& [property, count] : counts) {
    if (difference(count)) shared.all.push_back({property, count.wrong, count.right});
  }
  std::ranges::stable_sort(shared.all, std::greater(), difference);
  return shared;
}

/// One run of ask_suites(). Asks the questions of all suites together, smallest first.
class SuiteRun {
 public:
  SuiteRun(std::unique_ptr<Engine>& engine, const std::vector<Suite>& suites,
           const EngineSuiteOptions& options, const std::stop_token& stop)
      : engine_(engine), options_(options), stop_(stop) {
    for (std::size_t suite = 0; suite < suites.size(); ++suite) {
      for (const SuiteLine& line : suites[suite].lines) {
        EngineCase& at = report_.cases.emplace_back();
        at.suite = suite;
        at.line = &line;
      }
    }
    list_questions();
  }

  Result<EngineSuiteReport> run() {
    for (const Question& question : questions_) {
      EngineCase& at = report_.cases[question.place];
      if (at.state != CaseState::kOverBudget && at.state != CaseState::kAgrees) continue;
      if (!affordable(question.count)) {
        report_.budget_spent = true;
        break;
      }
      options_.on_question(at, question.count.depth);
      if (auto error = ask(at, question.count)) return *std::move(error);
      if (at.state == CaseState::kDiffers || at.state == CaseState::kFailed)
        options_.on_trouble(at);
      if (failures_ == kMostFailures) {
        report_.gave_up = true;
        break;
      }
    }
    report_.seconds = Seconds(Clock::now() - start_).count();
    compare_kinds();
    compare_tags();
    return std::move(report_);
  }

 private:
  struct Question {
    std::size_t place;  ///< index in report_.cases
    EpdCount count;
  };

  /// Lists the counts within the limits, smallest first. Marks a position as skipped if it has no
  /// such count, or if it is a Chess960 position and the engine does not support Chess960.
  void list_questions() {
    for (std::size_t place = 0; place < report_.cases.size(); ++place) {
      EngineCase& at = report_.cases[place];
      const EpdRecord& record = at.line->record;
      const auto skip = [&](const char* why) {
        at.state = CaseState::kSkipped;
        at.why = why;
      };
      if (record.root.notation == CastlingNotation::kChess960 && !engine_->knows_chess960()) {
        skip("the engine does not offer UCI_Chess960");
        continue;
      }
      bool any = false;
      for (const EpdCount& count : record.counts) {
        if (count.depth.plies() == 0 || count.depth > options_.max_depth ||
            (options_.limits.max_nodes && count.nodes > *options_.limits.max_nodes))
          continue;
        questions_.push_back({place, count});
        any = true;
      }
      if (!any) skip("the limits exclude all of its counts");
    }
    std::ranges::stable_sort(questions_, {}, [](const Question& q) { return q.count.nodes; });
  }

  /// Returns whether the budget allows one more question.
  [[nodiscard]] bool affordable(const EpdCount& count) const {
    if (options_.budget.nodes && report_.nodes + count.nodes > *options_.budget.nodes) return false;
    return !options_.budget.seconds || Clock::now() - start_ < *options_.budget.seconds;
  }

  /// Asks for one count and records the result in `at`. A failure of the engine is recorded, not
  /// returned. Errors: kCancelled, and those of options_.count.
  std::optional<Error> ask(EngineCase& at, const EpdCount& count) {
    const EpdRecord& record = at.line->record;
    const Result<Line> line = parse_line(record.fen, "", std::nullopt);
    if (!line) return line.error();
    if (is_down_) {
      if (auto error = start_again()) return failed(at, count, *error);
    }
    const Clock::time_point begin = Clock::now();
    const Result<Engine::Verdict> verdict = engine_->check(*line, count.depth, count.nodes);
    at.seconds += Seconds(Clock::now() - begin).count();
    ++at.asked;
    if (!verdict) return failed(at, count, verdict.error());
    if (verdict->unread.empty()) failures_ = 0;
    if (verdict->unread.empty() && verdict->agrees) {
      at.state = CaseState::kAgrees;
      at.agreed = std::max(at.agreed, count.depth);
      report_.nodes += count.nodes;
      return std::nullopt;
    }
    if (verdict->unread.empty() && engine_->divides()) {
      if (auto error = incomplete_answer(*engine_, *line, count.depth, verdict->answer))
        return failed(at, count, *error);
    }
    at.depth = count.depth;
    at.expected = count.nodes;
    if (!verdict->unread.empty()) {
      at.state = CaseState::kFailed;
      at.why = "not understood: " + to_string(verdict->unread.front());
      ++failures_;
      return std::nullopt;
    }
    at.nodes = verdict->total;
    const Result<NodeCount> ours = options_.count(record, count.depth);
    if (!ours) return ours.error();
    at.state = *ours == count.nodes ? CaseState::kDiffers : CaseState::kFailed;
    if (at.state == CaseState::kFailed) {
      at.why = fmt::format("the suite is wrong: it expects {}, but the correct count is {}",
                           count.nodes.to_string(), ours->to_string());
      return std::nullopt;
    }
    return explain(at, *line, *verdict);
  }

  /// Tests whether the engine's wrong count is right for another position or depth. Omits this test
  /// if the expected count is too large. The test may ask the engine for further counts. If the
  /// engine then fails, records no explanation and returns no error. Returns all other errors.
  std::optional<Error> explain(EngineCase& at, const Line& line, const Engine::Verdict& verdict) {
    constexpr std::uint64_t kMostLeaves = 1'000'000;
    if (at.expected > NodeCount(kMostLeaves)) return std::nullopt;
    const OurDivide divide = [](const Line& asked, Depth depth) {
      return manyply::divide(asked.here(), depth);
    };
    const Result<std::vector<DivideEntry>> ours = divide(line, at.depth);
    if (!ours) return ours.error();
    Result<std::optional<Finding>> other =
        engine_->divides()
            ? question_answered({line, at.depth, *ours}, verdict.answer, divide, *engine_)
            : question_of_total(line, at.depth, at.expected, verdict.total, divide, *engine_);
    if (other) {
      at.other = *std::move(other);
      return std::nullopt;
    }
    if (other.error().code != ErrorCode::kUnavailable) return other.error();
    is_down_ = true;
    return std::nullopt;
  }

  /// Starts the engine again after a failure.
  std::optional<Error> start_again() {
    EngineWords said;
    Result<std::unique_ptr<Engine>> again = Engine::open(options_.engine, stop_, said);
    if (!again) return again.error();
    engine_ = std::move(again).value();
    is_down_ = false;
    return std::nullopt;
  }

  /// If the engine caused `error`, records a failure; the engine is then restarted before the next
  /// question. Otherwise only returns `error`.
  std::optional<Error> failed(EngineCase& at, const EpdCount& count, const Error& error) {
    if (error.code != ErrorCode::kUnavailable) return error;
    at.state = CaseState::kFailed;
    at.depth = count.depth;
    at.expected = count.nodes;
    at.why = error.message;
    is_down_ = true;
    ++failures_;
    return std::nullopt;
  }

  /// Finds the kinds of moves that distinguish wrong positions from right positions.
  void compare_kinds() {
    std::vector<std::vector<MoveKindSeen>> wrong;
    std::vector<std::vector<MoveKindSeen>> right;
    if (report_.count(CaseState::kDiffers) == 0) return;
    for (const EngineCase& at : report_.cases) {
      if (at.state == CaseState::kDiffers) wrong.push_back(kinds_of(at, at.depth, kWrongTree));
      if (at.state == CaseState::kAgrees) right.push_back(kinds_of(at, at.agreed, kRightTree));
    }
    report_.kinds = shared_properties(wrong, right);
  }

  /// Finds the tags that distinguish wrong positions from right positions. EngineSuiteReport::tags
  /// defines the depth of the comparison, and which positions are wrong or right.
  void compare_tags() {
    const auto tagged = [](const EngineCase& at) { return !at.line->tags.empty(); };
    const auto differs = [&](const EngineCase& at) {
      return at.state == CaseState::kDiffers && tagged(at);
    };
    if (std::ranges::none_of(report_.cases, differs)) return;
    Depth shallowest{Depth::kMax};
    for (const EngineCase& at : report_.cases) {
      if (differs(at)) shallowest = std::min(shallowest, at.depth);
    }
    std::vector<std::vector<std::string>> wrong;
    std::vector<std::vector<std::string>> right;
    for (const EngineCase& at : report_.cases) {
      if (differs(at) && at.depth == shallowest) wrong.push_back(at.line->tags);
      const bool right_so_far = at.state == CaseState::kAgrees || at.agreed >= shallowest;
      if (tagged(at) && right_so_far) right.push_back(at.line->tags);
    }
    if (right.empty()) return;  // the wrong positions are compared with right ones
    report_.tags_depth = shallowest;
    report_.tags = shared_properties(wrong, right);
  }

  std::unique_ptr<Engine>& engine_;
  const EngineSuiteOptions& options_;
  const std::stop_token& stop_;
  const Clock::time_point start_ = Clock::now();
  std::vector<Question> questions_;
  EngineSuiteReport report_;
  int failures_ = 0;  // consecutive failures
  bool is_down_ = false;
};

}  // namespace

bool EngineSuiteReport::agrees() const {
  return count(CaseState::kDiffers) == 0 && count(CaseState::kFailed) == 0 &&
         count(CaseState::kAgrees) > 0;
}

std::size_t EngineSuiteReport::count(CaseState state) const {
  return static_cast<std::size_t>(std::ranges::count(cases, state, &EngineCase::state));
}

std::size_t EngineSuiteReport::count(CaseState state, std::size_t suite) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      cases, [&](const EngineCase& at) { return at.state == state && at.suite == suite; }));
}

Result<EngineSuiteReport> ask_suites(std::unique_ptr<Engine>& engine,
                                     const std::vector<Suite>& suites,
                                     const EngineSuiteOptions& options,
                                     const std::stop_token& stop) {
  return SuiteRun(engine, suites, options, stop).run();
}

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

/// Returns a name and a text for each kind of moves and each tag that the wrong positions share.
/// The name is "shared" for a kind of moves, and "tag" for a tag.
std::vector<std::pair<std::string, std::string>> shared_texts(const EngineSuiteReport& report) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [kind, wrong, right] : report.kinds.all) {
    texts.emplace_back(
        "shared",
        fmt::format("{}: in {} of {} wrong positions, in {} of {} right ones", words_for(kind),
                    wrong, report.kinds.wrong, right, report.kinds.right));
  }
  for (const auto& [tag, wrong, right] : report.tags.all) {
    texts.emplace_back(
        "tag",
        fmt::format("{}: in {} of {} positions that are wrong at depth {}, in {} of {} right ones",
                    printable(tag), wrong, report.tags.wrong, report.tags_depth.plies(), right,
                    report.tags.right));
  }
  return texts;
}

/// Prepares text of a suite or an engine for XML. Escapes control characters first, because
/// xml_text() does not accept them.
std::string xml(std::string_view text) { return xml_text(printable(text)); }

/// Returns a JUnit test case. If the engine was not asked about the position, the case is reported
/// as skipped.
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
  return with("skipped", "", "not asked: the run ended before this position");
}

std::string_view verdict_of(const EngineSuiteReport& report) {
  if (report.count(CaseState::kDiffers) > 0) return "DIFFERS";
  if (report.count(CaseState::kFailed) > 0) return "failed";
  return report.agrees() ? "agrees" : "nothing was asked";
}

}  // namespace

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
  text += text_line(
      "asked", fmt::format("{} leaves, {:.1f} s{}{}", report.nodes.to_string(), report.seconds,
                           report.budget_spent ? "; the budget ended the search" : "",
                           report.gave_up ? "; stopped because the engine failed too often" : ""));
  for (const auto& [name, shared] : shared_texts(report)) text += text_line(name, shared);
  const EngineCase* wrong = nullptr;  // the case that differs at the smallest expected count
  for (const EngineCase& at : report.cases) {
    const bool is_smaller = wrong == nullptr || at.expected < wrong->expected;
    if (at.state == CaseState::kDiffers && is_smaller) wrong = &at;
  }
  if (wrong != nullptr) {
    std::string asking = for_shell(engine.command);
    if (!engine.ask.empty()) asking += " --ask " + for_shell(engine.ask);
    if (engine.dialect != Dialect::kAuto)
      asking += fmt::format(" --dialect {}", to_string(engine.dialect));
    text +=
        text_line("next", fmt::format("perft bisect {} --engine {} --fen {}", wrong->depth.plies(),
                                      asking, for_shell(wrong->line->record.fen)));
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
  const auto add_shares = [](Json& array, Json property, const auto& of_it, const auto& all) {
    property.update({{"wrong", of_it.wrong},
                     {"of_wrong", all.wrong},
                     {"right", of_it.right},
                     {"of_right", all.right}});
    array.push_back(std::move(property));
  };
  Json shared = Json::array();
  for (const auto& kind : report.kinds.all)
    add_shares(shared, {{"kind", words_for(kind.what)}}, kind, report.kinds);
  Json tags = Json::array();
  for (const auto& tag : report.tags.all) {
    add_shares(tags, {{"tag", tag.what}, {"depth", report.tags_depth.plies()}}, tag, report.tags);
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
  const auto all_shared = shared_texts(report);
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
    if (!all_shared.empty() && count(CaseState::kDiffers) > 0) {
      text += "    <system-out>";
      for (const auto& [what, shared] : all_shared)
        text += xml(fmt::format("{}: {}", what, shared)) + '\n';
      text += "</system-out>\n";
    }
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace manyply
