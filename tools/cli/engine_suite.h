// Checks an engine: compares its counts with the expected counts of suites.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/cli/engine_asking.h"
#include "tools/cli/suite_file.h"
#include "tools/diagnose/kinds_in_tree.h"
#include "tools/diagnose/other_question.h"
#include "tools/engine/engine.h"

namespace manyply {

/// The result for one position.
enum class CaseState : std::uint8_t {
  kAgrees,
  kDiffers,
  kFailed,   ///< the engine crashed, hung or was not understood, or the suite's count is wrong
  kSkipped,  ///< the engine does not support Chess960, or limits exclude every count
  /// The run ended before the engine was asked: the budget was spent, or the engine failed too
  /// often.
  kOverBudget,
};

/// One position of a suite and its result. The engine is asked for the counts of the position,
/// smallest first, until one count differs or fails.
struct EngineCase {
  std::size_t suite = 0;  ///< index of the suite
  const SuiteLine* line = nullptr;
  CaseState state = CaseState::kOverBudget;
  Depth agreed;                    ///< the deepest depth that agreed; 0 = none
  std::size_t asked = 0;           ///< number of counts that the engine was asked for
  Depth depth;                     ///< depth of the count that differs or failed
  NodeCount expected;              ///< expected count at `depth`
  std::optional<NodeCount> nodes;  ///< the engine's count at `depth`, if there is one
  std::string why;                 ///< why the position failed or was skipped
  std::optional<Finding> other;    ///< set if `nodes` is right for another depth or position
  double seconds = 0;              ///< total time of the engine's answers
};

/// The properties that many wrong positions and few right positions have. A property is a kind of
/// move that occurs in the tree of the position, or a tag of the position. At least 80 % of the
/// wrong positions have such a property. Its share among the right positions is at least 20
/// percentage points smaller. If fewer than three positions are right, no property qualifies.
template <typename Property>
struct SharedProperties {
  struct One {
    Property what;
    std::size_t wrong;  ///< number of wrong positions that have the property
    std::size_t right;
  };
  std::size_t wrong = 0;   ///< number of wrong positions that were compared
  std::size_t right = 0;   ///< number of right positions that were compared
  std::vector<One> all{};  ///< the most significant property comes first
};

/// The results of all suites.
struct EngineSuiteReport {
  std::vector<EngineCase> cases;  ///< in the order of the suites
  /// The engine failed kMostFailures times in a row, so it was not asked for further counts.
  bool gave_up = false;
  bool budget_spent = false;  ///< some counts were not asked for, because the budget was spent
  NodeCount nodes;            ///< sum of the engine's counts that agreed
  double seconds = 0;         ///< time of the whole run
  /// The kinds of moves. A position is wrong if the engine's count differs, right if it agrees.
  SharedProperties<MoveKindSeen> kinds;
  /// The tags of the positions that have tags. All positions are compared at the same depth: the
  /// smallest depth at which any position with tags differs. A position is wrong if it differs at
  /// that depth. It is right if it agrees up to that depth, or at every depth that the engine was
  /// asked for.
  SharedProperties<std::string> tags;
  Depth tags_depth;  ///< depth at which tags were compared

  /// Returns whether at least one position agrees, and none differs or failed.
  [[nodiscard]] bool agrees() const;
  /// Returns the number of cases in this state.
  [[nodiscard]] std::size_t count(CaseState state) const;
  /// Returns the number of cases of one suite in this state.
  [[nodiscard]] std::size_t count(CaseState state, std::size_t suite) const;
};

/// The engine, the limits, and callbacks of ask_suites().
struct EngineSuiteOptions {
  EngineSpec engine;
  SuiteLimits limits;
  Depth max_depth{Depth::kMax};
  Budget budget;
  /// Returns our count. If it differs from the suite's count, the suite is wrong.
  std::function<Result<NodeCount>(const EpdRecord&, Depth)> count;
  /// Called before each question.
  std::function<void(const EngineCase&, Depth)> on_question = [](const EngineCase&, Depth) {};
  /// Called after a case that differs or failed.
  std::function<void(const EngineCase&)> on_trouble = [](const EngineCase&) {};
};

/// Asks `engine` for the counts of all suites together, smallest first. Omits counts that exceed
/// the limits of `options`. Restarts the engine if it fails. Errors: kCancelled, and those of
/// `options.count`.
Result<EngineSuiteReport> ask_suites(std::unique_ptr<Engine>& engine,
                                     const std::vector<Suite>& suites,
                                     const EngineSuiteOptions& options,
                                     const std::stop_token& stop);

// Formats the output of `perft suite --engine`.

/// Returns "tricky line 45, depth 2: expected 264, the engine counts 265  FEN". If the case failed,
/// the text says how it failed. There is no line end.
[[nodiscard]] std::string trouble_text(const EngineCase& at, const std::vector<Suite>& suites);

/// Returns the result of each suite, the kinds of moves and tags that wrong positions share, and
/// the next step. The next step is a command line of `perft bisect` for `engine`.
[[nodiscard]] std::string engine_suite_text(const EngineSuiteReport& report,
                                            const std::vector<Suite>& suites,
                                            const EngineSpec& engine);

/// Returns the report as JSON.
[[nodiscard]] nlohmann::ordered_json engine_suite_json(const EngineSuiteReport& report,
                                                       const std::vector<Suite>& suites);

/// Returns the report in JUnit format for continuous integration. The report has a test suite for
/// each suite, and a test case for each position.
[[nodiscard]] std::string engine_suite_junit(const EngineSuiteReport& report,
                                             const std::vector<Suite>& suites,
                                             const std::string& engine);

/// Returns "agrees", "DIFFERS", "failed" or "nothing was asked", followed by the numbers of
/// positions and lines that this verdict does not cover: "agrees, 114 of 187 not asked, 1 line
/// refused".
[[nodiscard]] std::string verdict_text(const EngineSuiteReport& report,
                                       const std::vector<Suite>& suites);

}  // namespace manyply
