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
/// their totals; only the user knows which one is meant.
struct PastedDivide {
  std::string name;  ///< "column 'mine'", "second divide, line 53"; empty if it is the only one
  Depth depth;       ///< assumed depth
  EngineAnswer answer;
  std::optional<int> depth_told{};  ///< depth according to the text
  std::size_t table = 0;            ///< number of the table in the text
};

/// Returns all readings of the output of another program for the position at the end of `line`:
/// each column of counts, each table, each side of a diff. Equal readings are returned once. Only
/// the text separates them, never our own counts. All have the given depth. Returns an error if
/// there is no divide, or a line was not understood.
[[nodiscard]] Result<std::vector<PastedDivide>> read_paste(std::string_view text, const Line& line,
                                                           Depth depth);

/// Assigns depths up to `depth` to the readings and sorts them by depth. The depth is the one in
/// the text, or else the one with the nearest total, which `divide` counts. Divides with similar
/// counts have the same depth. Returns only those of `depth` if `divide` cannot count the others.
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

/// Returns whether a depth has several readings.
[[nodiscard]] bool has_rivals(const std::vector<PastedDivide>& pasted);

/// Returns sentences about several readings of one depth and their differences: "The text has two
/// columns of counts, at depth 3; they differ in 1 move:", "a1d1: 1884 (column 'mine'), 1885
/// (column 'stockfish')". Empty if no depth has several readings.
[[nodiscard]] std::vector<std::string> rivals_told(const std::vector<PastedDivide>& pasted);

}  // namespace manyply
