// Recognises answers that are right, but to another question: about another position, another
// depth, or all plies. This one cause then replaces many wrong moves and counts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/counting.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/engine/engine_protocol.h"

namespace manyply {

/// Returns our own divide: each legal move with its count, in legal_moves() order; an error if the
/// count is impossible or takes too long.
using OurDivide = std::function<Result<std::vector<DivideEntry>>(const Line&, Depth)>;

struct AskedQuestion {
  const Line& line;
  Depth depth;
  const std::vector<DivideEntry>& ours;  ///< the right answer
};

/// The conclusions from an answer, without asking the program again.
struct OtherQuestion {
  std::optional<Finding> finding{};
  /// A suspicion that may have another reason: "each count is what it would be if every ply …".
  std::string hint{};
};

/// Returns the other question that `theirs` answers correctly, if any. `before` is the position of
/// the question before, if there was one.
[[nodiscard]] OtherQuestion question_answered(const AskedQuestion& asked,
                                              const EngineAnswer& theirs, const OurDivide& divide,
                                              const std::optional<Line>& before);

/// Likewise for a program that can be asked again. Returns a finding only after more questions have
/// ruled out other reasons. Errors: the program's.
[[nodiscard]] Result<std::optional<Finding>> question_answered(const AskedQuestion& asked,
                                                               const EngineAnswer& theirs,
                                                               const OurDivide& divide,
                                                               AskedProgram& program);

/// Likewise for a total other than `ours`. `total` is nullopt if the program only says whether a
/// number is right.
[[nodiscard]] Result<std::optional<Finding>> question_of_total(const Line& line, Depth depth,
                                                               NodeCount ours,
                                                               std::optional<NodeCount> total,
                                                               const OurDivide& divide,
                                                               AskedProgram& program);

/// Returns the position before the double step that the FEN of `line` implies, with the step
/// played; nullopt if the line has moves, or if no such position is legal.
[[nodiscard]] std::optional<Line> with_double_step_played(const Line& line);

}  // namespace manyply
