// Recognises answers that are right for another question: for another position, for another depth,
// or for the sum of all plies. Such an answer has a single cause, although many of its moves and
// counts are wrong.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/counting.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/engine/engine_protocol.h"
#include "tools/text/engine_answer.h"

namespace manyply {

/// Returns our divide: each legal move with its count, in the order of legal_moves(). Errors:
/// kUnavailable if the count would take too long; otherwise those of the count, such as kCancelled.
using OurDivide = std::function<Result<std::vector<DivideEntry>>(const Line&, Depth)>;

/// Returns the sum of the counts.
[[nodiscard]] NodeCount total_of(const std::vector<DivideEntry>& divide);

struct AskedQuestion {
  const Line& line;
  Depth depth;
  const std::vector<DivideEntry>& ours;  ///< the right answer
};

/// The conclusions from one answer, without further questions to the program.
struct OtherQuestion {
  std::optional<Finding> finding{};
  /// A possible but unproved explanation: "each count is what it would be if every ply …".
  std::string hint{};
};

/// Returns the other question to which `theirs` is a right answer, if there is one. `before` is the
/// position of the previous question, if there was one.
[[nodiscard]] OtherQuestion question_answered(const AskedQuestion& asked,
                                              const EngineAnswer& theirs, const OurDivide& divide,
                                              const std::optional<Line>& before);

/// Returns a finding if `theirs` is a right answer to another question. Asks the program further
/// questions, unless the answer lists the moves of another position. Returns a finding about depths
/// or plies only if the further answers rule out other explanations. Errors: those of the program.
[[nodiscard]] Result<std::optional<Finding>> question_answered(const AskedQuestion& asked,
                                                               const EngineAnswer& theirs,
                                                               const OurDivide& divide,
                                                               AskedProgram& program);

/// Returns a finding if a program that prints only totals has answered another question. `ours` is
/// the right total. `total` is the program's wrong total; nullopt if the program only says whether
/// a number is right. Returns no finding if `ours` exceeds 20 million. Errors: those of the
/// program.
[[nodiscard]] Result<std::optional<Finding>> question_of_total(const Line& line, Depth depth,
                                                               NodeCount ours,
                                                               std::optional<NodeCount> total,
                                                               const OurDivide& divide,
                                                               AskedProgram& program);

/// Returns a line that starts one move earlier than `line` and plays the double step that the en
/// passant square of the FEN implies. Returns nullopt if `line` has moves, if its FEN has no en
/// passant square, or if the position before the step or the step itself is illegal.
[[nodiscard]] std::optional<Line> with_double_step_played(const Line& line);

// Recognises answers about another position.

/// Returns a finding if the answer lists exactly the legal moves of another position. These moves
/// must differ from the legal moves at the end of `line`: in at least one move if the answer
/// mentions the other position, otherwise in at least four. Reads all lines again for each tried
/// position, including the lines that were not understood for `line`.
///
/// Tries the positions that `theirs.lines` mention, the position with the other side to move, the
/// earlier positions of `line`, the start position, and `before`, the position of the previous
/// question. The position with the other side to move may be illegal. Then it is enough that all
/// listed moves start from pieces of that side. Finally tries well-known positions (see
/// position_names()) and the position after each legal move. Skips these last positions if the
/// answer is longer than 32 KiB, or if all its lines were understood and all its moves are legal at
/// the end of `line`.
[[nodiscard]] std::optional<Finding> position_answered(const Line& line, const EngineAnswer& theirs,
                                                       const std::optional<Line>& before);

/// Returns a finding if a divide seems to belong to another position. In such a divide, an illegal
/// move does not show that the program breaks a rule. The divide may be incomplete. Either of two
/// signs is enough. First: all moves are legal in a position that the text mentions, but some are
/// illegal at the end of `line`. Second: at most a quarter of the counts agree, at least two moves
/// are illegal, and at least a quarter of the illegal moves start from squares that are empty or
/// have an enemy piece at the end of `line`.
[[nodiscard]] std::optional<Finding> looks_like_another_position(const Line& line,
                                                                 const Comparison& compared,
                                                                 const EngineAnswer& theirs);

/// Returns a line that starts at `setup` and has no moves; nullopt if the position is illegal.
[[nodiscard]] std::optional<Line> line_of(const Setup& setup, CastlingNotation notation);

}  // namespace manyply
