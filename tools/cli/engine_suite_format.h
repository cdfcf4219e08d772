// What `perft suite --engine` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/cli/engine_suite.h"

namespace manyply {

/// "tricky line 45, depth 2: expected 264, the engine counts 265  FEN", or how it failed: for
/// people, and without a line end.
[[nodiscard]] std::string trouble_text(const EngineCase& at, const std::vector<Suite>& suites);

/// What came of each suite, which kinds of moves and which tags the wrong positions share, how to
/// go on, and the verdict. `command` is the engine's.
[[nodiscard]] std::string engine_suite_text(const EngineSuiteReport& report,
                                            const std::vector<Suite>& suites,
                                            const EngineSpec& engine);

[[nodiscard]] nlohmann::ordered_json engine_suite_json(const EngineSuiteReport& report,
                                                       const std::vector<Suite>& suites);

/// As JUnit has it, which continuous integration reads: a test suite for each suite, a test case
/// for each position.
[[nodiscard]] std::string engine_suite_junit(const EngineSuiteReport& report,
                                             const std::vector<Suite>& suites,
                                             const std::string& engine);

/// "agrees", "DIFFERS", "failed", "nothing was asked".
[[nodiscard]] std::string_view verdict_of(const EngineSuiteReport& report);
/// And for people, what that verdict is not about: "agrees, 114 of 187 not asked, 1 line refused".
[[nodiscard]] std::string verdict_text(const EngineSuiteReport& report,
                                       const std::vector<Suite>& suites);

}  // namespace manyply
