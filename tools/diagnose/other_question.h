// Answers that are right, but to another question than was asked: about another position, another
// depth, or all plies. One cause, where the moves and counts one by one would be many.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/counting.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/engine/asked_program.h"

namespace manyply {

/// Our own divide: each legal move with its count, in legal_moves() order. An error where it is not
/// to be had, or takes too long.
using OurDivide = std::function<Result<std::vector<DivideEntry>>(const Line&, Depth)>;

struct AskedQuestion {
  const Line& line;
  Depth depth;
  const std::vector<DivideEntry>& ours;  ///< the right answer
};

/// What one may see of an answer without asking for more.
struct OtherQuestion {
  std::optional<Finding> finding{};
  /// What looks so, but may as well have another reason: "each count is one more than ours, …".
  std::string hint{};
};

/// Which question `theirs` answers rightly, if not this one. `before` was asked before, if
/// anything.
[[nodiscard]] OtherQuestion question_answered(const AskedQuestion& asked,
                                              const EngineAnswer& theirs, const OurDivide& divide,
                                              const std::optional<Line>& before);

/// The same for a program that can be asked once more, so that nothing is taken for certain that
/// has another reason. Errors are the program's.
[[nodiscard]] Result<std::optional<Finding>> question_answered(const AskedQuestion& asked,
                                                               const EngineAnswer& theirs,
                                                               const OurDivide& divide,
                                                               AskedProgram& program);

/// The same for a total that is not `ours`; without a total for a program that only says whether a
/// number is right.
[[nodiscard]] Result<std::optional<Finding>> question_of_total(const Line& line, Depth depth,
                                                               NodeCount ours,
                                                               std::optional<NodeCount> total,
                                                               const OurDivide& divide,
                                                               AskedProgram& program);

/// The position before the double step that the FEN of `line` tells of, and the step played;
/// nothing if the line has moves, or no such position is legal.
[[nodiscard]] std::optional<Line> with_double_step_played(const Line& line);

}  // namespace manyply
