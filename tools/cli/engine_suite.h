// Suites asked of somebody else's engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/cli/engine_asking.h"
#include "tools/cli/suite_file.h"
#include "tools/diagnose/move_kinds.h"
#include "tools/diagnose/other_question.h"
#include "tools/engine/engine.h"

namespace manyply {

enum class CaseState : std::uint8_t {
  kAgrees,
  kDiffers,
  kFailed,      ///< the engine crashed, hung, was not understood; or the suite's count is wrong
  kSkipped,     ///< the engine knows no Chess960, or limits exclude every count
  kOverBudget,  ///< not asked at all
};

/// One position of a suite, and what came of it. Asked are its counts, the shallowest first, until
/// one differs.
struct EngineCase {
  std::size_t suite = 0;  ///< its place among the suites
  const SuiteLine* line = nullptr;
  CaseState state = CaseState::kOverBudget;
  Depth agreed;                    ///< the deepest count that agreed
  std::size_t asked = 0;           ///< of its counts
  Depth depth;                     ///< of what differs or failed
  NodeCount expected;              ///< there
  std::optional<NodeCount> nodes;  ///< what the engine counts there, where it tells
  std::string why;                 ///< it failed or was skipped
  std::optional<Finding> other;    ///< what differs is right, but answers another question
  double seconds = 0;              ///< that the answers took
};

/// A kind of moves, and how many positions have some within the depth that was wrong, or right.
struct SharedKind {
  MoveKindSeen kind{};
  std::size_t wrong = 0;
  std::size_t right = 0;
};

/// A tag, and how many positions have it: of those that differ at the depth of the shallowest
/// difference, and of those that are right as deep as that, or as deep as they were asked.
struct SharedTag {
  std::string tag;
  std::size_t wrong = 0;
  std::size_t right = 0;
};

struct EngineSuiteReport {
  std::vector<EngineCase> cases;  ///< in the order of the suites
  bool gave_up = false;           ///< it failed ten times in a row: the rest was not asked
  bool budget_spent = false;      ///< something was not asked
  NodeCount nodes;                ///< of all answers that agreed
  double seconds = 0;
  std::size_t wrong = 0;  ///< positions whose kinds of moves were compared
  std::size_t right = 0;
  /// Kinds that many of the wrong positions have and few of the right ones; the most telling first.
  std::vector<SharedKind> shared;
  /// The same of tags, where the suites have some.
  std::vector<SharedTag> shared_tags;
  Depth tags_depth;               ///< of the shallowest difference
  std::size_t wrong_of_tags = 0;  ///< positions with tags that differ there
  std::size_t right_of_tags = 0;

  /// Whether the engine answered right what it was asked, and was asked something.
  [[nodiscard]] bool agrees() const;
  [[nodiscard]] std::size_t count(CaseState state) const;
  [[nodiscard]] std::size_t count(CaseState state, std::size_t suite) const;
};

struct EngineSuiteOptions {
  EngineSpec engine;
  SuiteLimits limits;
  Depth max_depth{Depth::kMax};
  Budget budget;
  /// Our own count: a suite may be wrong, and then nobody else is.
  std::function<Result<NodeCount>(const EpdRecord&, Depth)> count;
  /// Told before each question, and after a case that differs or failed.
  std::function<void(const EngineCase&, Depth)> on_question = [](const EngineCase&, Depth) {};
  std::function<void(const EngineCase&)> on_trouble = [](const EngineCase&) {};
};

/// Asks `engine`, which is started again where it fails, every count of every suite that the
/// options allow, the smallest first. Errors: kCancelled, and those of `options.count`.
Result<EngineSuiteReport> ask_suites(std::unique_ptr<Engine>& engine,
                                     const std::vector<Suite>& suites,
                                     const EngineSuiteOptions& options,
                                     const std::stop_token& stop);

/// The kinds that tell the wrong positions from the right ones: each of them is in four of five
/// wrong positions at least, and in a share of the right ones that is smaller by a fifth at least.
[[nodiscard]] std::vector<SharedKind> shared_kinds(const std::vector<MoveKinds>& wrong,
                                                   const std::vector<MoveKinds>& right);

/// The tags that do so, by the same measure.
[[nodiscard]] std::vector<SharedTag> shared_tags(
    const std::vector<std::vector<std::string>>& wrong,
    const std::vector<std::vector<std::string>>& right);

}  // namespace manyply
