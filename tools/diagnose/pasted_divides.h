// The divides in a pasted text, each in every way in which it can be read.
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
/// their totals; which of them is meant only the user knows.
struct PastedDivide {
  std::string name;  ///< "column 'mine'", "second divide, line 53"; empty: the only one
  Depth depth;       ///< that it is taken to be of
  EngineAnswer answer;
  std::optional<int> depth_told{};  ///< what the text says of its depth
  std::size_t table = 0;            ///< of the text; its columns are of one depth unless it says so
};

/// What another program printed of the position where `line` ends, in any way that
/// EngineOutputParser knows: each column of counts, each table, each side of a diff. Readings that
/// state the same are one. The text alone tells them apart, never our own counts. All get `depth`.
/// The error says that there is no divide in it, or which line was not understood.
[[nodiscard]] Result<std::vector<PastedDivide>> read_paste(std::string_view text, const Line& line,
                                                           Depth depth);

/// The same, ascending by depth, where the paste may have a divide of each depth up to `depth`:
/// of that which the text names, or whose total, as `divide` counts it, is next to that of the
/// paste. Divides whose counts are alike are of one depth. Only those of `depth` are left if
/// `divide` cannot count others.
[[nodiscard]] Result<std::vector<PastedDivide>> with_depths(std::vector<PastedDivide> pasted,
                                                            const Line& line, Depth depth,
                                                            const OurDivide& divide);

/// read_paste() and with_depths().
[[nodiscard]] Result<std::vector<PastedDivide>> parse_pasted_divides(std::string_view text,
                                                                     const Line& line, Depth depth,
                                                                     const OurDivide& divide);

/// A move that readings of one depth count differently.
struct DisputedMove {
  Depth depth;
  std::string move;
  std::vector<std::optional<NodeCount>> counts;  ///< of each reading; nothing: it does not list it
};

/// Those of all depths, ascending by depth and move.
[[nodiscard]] std::vector<DisputedMove> disputed_moves(const std::vector<PastedDivide>& pasted);

/// Whether a depth has several readings.
[[nodiscard]] bool has_rivals(const std::vector<PastedDivide>& pasted);

/// That there are several readings of a depth, and where they differ: "The text has two columns of
/// counts, at depth 3; they differ in 1 move:", "a1d1: 1884 (column 'mine'), 1885 (column
/// 'stockfish')". Empty without rivals.
[[nodiscard]] std::vector<std::string> rivals_told(const std::vector<PastedDivide>& pasted);

}  // namespace manyply
