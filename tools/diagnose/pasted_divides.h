// Finds the divides in a pasted text, in every way in which it can be read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/line.h"
#include "tools/diagnose/other_question.h"
#include "tools/text/engine_answer.h"

namespace manyply {

/// One way to read a paste. Two readings of one depth differ in a count, in their moves, or in
/// their totals. Only the user knows which reading is meant.
struct PastedDivide {
  std::string name;  ///< "column 'mine'", "second divide, line 53"; empty if it is the only one
  Depth depth;       ///< assumed depth
  EngineAnswer answer;
  std::optional<int> depth_told{};  ///< depth according to the text
  std::size_t table = 0;            ///< number of the table in the text
};

/// Returns all readings of another program's output for the position at the end of `line`: each
/// column of counts, each table, each side of a diff. Equal readings are returned once. The
/// readings are found from the text only, without our own counts. All get the given depth. Returns
/// an error if the text has no divide, or if a line was not understood.
[[nodiscard]] Result<std::vector<PastedDivide>> read_paste(std::string_view text, const Line& line,
                                                           Depth depth);

/// Assigns depths up to `depth` to the readings and sorts them by depth. A reading's depth is the
/// one in the text, or else the one whose total, counted by `divide`, is nearest. Divides with
/// similar counts get the same depth. If `divide` cannot count the other depths, returns only the
/// readings of `depth`.
[[nodiscard]] Result<std::vector<PastedDivide>> with_depths(std::vector<PastedDivide> pasted,
                                                            const Line& line, Depth depth,
                                                            const OurDivide& divide);

/// Calls read_paste() and with_depths().
[[nodiscard]] Result<std::vector<PastedDivide>> parse_pasted_divides(std::string_view text,
                                                                     const Line& line, Depth depth,
                                                                     const OurDivide& divide);

/// A move that readings of one depth count differently.
struct DisputedMove {
  Depth depth;
  std::string move;
  std::vector<std::optional<NodeCount>> counts;  ///< of each reading; nullopt if it lacks the move
};

/// Returns the disputed moves of all depths, sorted by depth and move.
[[nodiscard]] std::vector<DisputedMove> disputed_moves(const std::vector<PastedDivide>& pasted);

/// Returns whether at least one depth has several readings.
[[nodiscard]] bool has_rivals(const std::vector<PastedDivide>& pasted);

/// Returns lines that describe how readings of one depth differ: "The text has two columns of
/// counts, at depth 3; they differ in 1 move:", "a1d1: 1884 (column 'mine'), 1885 (column
/// 'stockfish')". Empty if no depth has several readings.
[[nodiscard]] std::vector<std::string> rivals_told(const std::vector<PastedDivide>& pasted);

}  // namespace manyply
