// Finds the divides in a pasted text. If the text can be read in several ways, finds the divides of
// each way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/line.h"
#include "tools/diagnose/other_question.h"
#include "tools/text/engine_answer.h"

namespace manyply {

/// One way to read a pasted text. Two readings of one depth differ in a count, in their moves, or
/// in their totals. Only the user knows which reading is meant.
struct PastedDivide {
  /// "column 'mine'", "second divide, line 53"; empty if there is only one reading
  std::string name;
  Depth depth;  ///< assumed depth
  EngineAnswer answer;
  std::optional<int> depth_told{};  ///< depth according to the text
  std::size_t table = 0;            ///< number of the table in the text
};

/// Returns all readings of `text`, which another program printed for the position at the end of
/// `line`. Each column of counts, each table, and each side of a diff is a reading. Equal readings
/// are returned once. Only the text is used to find the readings, not our own counts. All readings
/// get the given depth. Returns an error if the text has no divide, or if a line was not
/// understood.
[[nodiscard]] Result<std::vector<PastedDivide>> read_paste(std::string_view text, const Line& line,
                                                           Depth depth);

/// Assigns depths up to `depth` to the readings and sorts the readings by depth. If the text gives
/// the depth of each reading, uses these depths. Otherwise each reading gets the depth at which our
/// total, counted by `divide`, is nearest to the reading's total. Readings with similar counts get
/// the same depth. If `divide` cannot count all depths up to `depth`, returns only the readings of
/// the last divide in the text, with `depth`.
[[nodiscard]] Result<std::vector<PastedDivide>> with_depths(std::vector<PastedDivide> pasted,
                                                            const Line& line, Depth depth,
                                                            const OurDivide& divide);

/// Calls read_paste() and with_depths().
[[nodiscard]] Result<std::vector<PastedDivide>> parse_pasted_divides(std::string_view text,
                                                                     const Line& line, Depth depth,
                                                                     const OurDivide& divide);

/// A move that has different counts in the readings of one depth.
struct DisputedMove {
  Depth depth;
  std::string move;
  /// One count for each reading; nullopt if the reading does not list the move.
  std::vector<std::optional<NodeCount>> counts;
};

/// Returns the disputed moves of all depths, sorted by depth and move.
[[nodiscard]] std::vector<DisputedMove> disputed_moves(const std::vector<PastedDivide>& pasted);

/// Returns whether at least one depth has several readings.
[[nodiscard]] bool has_rivals(const std::vector<PastedDivide>& pasted);

/// Returns lines that describe how readings of one depth differ. Example: "The text has two columns
/// of counts, at depth 3; they differ in 1 move:", "a1d1: 1884 (column 'mine'), 1885 (column
/// 'stockfish')". Empty if no depth has several readings.
[[nodiscard]] std::vector<std::string> rivals_told(const std::vector<PastedDivide>& pasted);

}  // namespace manyply
