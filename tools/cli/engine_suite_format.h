// Formats the output of `perft suite --engine`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/cli/engine_suite.h"

namespace manyply {

/// Returns "tricky line 45, depth 2: expected 264, the engine counts 265  FEN", or how the case
/// failed. No line end.
[[nodiscard]] std::string trouble_text(const EngineCase& at, const std::vector<Suite>& suites);

/// Returns the outcome of each suite, the kinds of moves and tags that wrong positions share, the
/// next step, and the verdict. `engine` provides its command line.
[[nodiscard]] std::string engine_suite_text(const EngineSuiteReport& report,
                                            const std::vector<Suite>& suites,
                                            const EngineSpec& engine);

/// Returns the report as JSON.
[[nodiscard]] nlohmann::ordered_json engine_suite_json(const EngineSuiteReport& report,
                                                       const std::vector<Suite>& suites);

/// Returns the report in JUnit format for continuous integration: one test suite per suite, one
/// test case per position.
[[nodiscard]] std::string engine_suite_junit(const EngineSuiteReport& report,
                                             const std::vector<Suite>& suites,
                                             const std::string& engine);

/// Returns "agrees", "DIFFERS", "failed" or "nothing was asked".
[[nodiscard]] std::string_view verdict_of(const EngineSuiteReport& report);
/// Also says what the verdict does not cover: "agrees, 114 of 187 not asked, 1 line refused".
[[nodiscard]] std::string verdict_text(const EngineSuiteReport& report,
                                       const std::vector<Suite>& suites);

}  // namespace manyply
