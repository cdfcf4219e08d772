// Finds the divides in a pasted text, in all ways in which the text can be read. Compares a pasted
// divide with ours, and reports the differences, their causes, and the next position to examine.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/counting.h"
#include "core/line.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/diagnose/other_question.h"
#include "tools/text/engine_answer.h"

namespace manyply {

/// One way to read a pasted text. Two readings of the same depth differ in a count, in their moves,
/// or in their totals. Only the user knows which reading is meant.
struct PastedDivide {
  /// "column 'mine'", "second divide, line 53"; empty if there is only one reading
  std::string name;
  Depth depth;  ///< assumed depth
  EngineAnswer answer;
  std::optional<int> depth_told{};  ///< depth according to the text; nullopt if it gives none
  std::size_t table = 0;            ///< number of the table in the text, from 1
};

/// Returns all readings of `text`, which another program printed for the position at the end of
/// `line`. Each column of counts, each table, and each side of a diff is a reading. Equal readings
/// are returned once. Only the text is used to find the readings, not our own counts. All readings
/// get the given depth. Returns an error if `text` contains control characters that no text has, if
/// it has no divide, or if a line that matters (see EngineOutputParser) was not understood.
[[nodiscard]] Result<std::vector<PastedDivide>> read_paste(std::string_view text, const Line& line,
                                                           Depth depth);

/// Assigns depths up to `depth` to the readings, and sorts the readings by depth. First groups the
/// readings; all readings of a group get the same depth. If the text gives the depths of two
/// readings, they are in one group only if these depths are equal. If it does not, they are in one
/// group if they come from the same table or have similar counts. If there is only one group,
/// changes nothing.
///
/// If the text gives a different depth for each group, the groups get these depths. Otherwise a
/// group gets the depth at which our total is nearest to the sum of its first reading. `divide`
/// counts our totals. But if these depths do not ascend, and at least one sum differs from our
/// total, they are discarded: the last group gets `depth`, the group before it one ply less, and so
/// on. If `divide` returns kUnavailable, returns only the last group, with `depth`. Errors: there
/// are more groups than plies in `depth`; other errors of `divide`.
[[nodiscard]] Result<std::vector<PastedDivide>> with_depths(std::vector<PastedDivide> pasted,
                                                            const Line& line, Depth depth,
                                                            const OurDivide& divide);

/// Calls read_paste() and with_depths().
[[nodiscard]] Result<std::vector<PastedDivide>> parse_pasted_divides(std::string_view text,
                                                                     const Line& line, Depth depth,
                                                                     const OurDivide& divide);

/// A move that has different counts in readings of the same depth.
struct DisputedMove {
  Depth depth;
  std::string move;
  /// One element for each reading of the paste; nullopt if the reading has another depth or does
  /// not list the move.
  std::vector<std::optional<NodeCount>> counts;
};

/// Returns the disputed moves of all depths, sorted by depth and move.
[[nodiscard]] std::vector<DisputedMove> disputed_moves(const std::vector<PastedDivide>& pasted);

/// Returns whether at least one depth has several readings.
[[nodiscard]] bool has_rivals(const std::vector<PastedDivide>& pasted);

/// Returns lines that describe how readings of the same depth differ. Example: "The text has two
/// columns of counts, at depth 3; they differ in 1 move:", "a1d1: 1884 (column 'mine'), 1885
/// (column 'stockfish')". Empty if no depth has several readings.
[[nodiscard]] std::vector<std::string> rivals_told(const std::vector<PastedDivide>& pasted);

// The report on a divide.

/// Returns `{"name": …, "rule": …, "detail": …, "moves": […]}`.
[[nodiscard]] nlohmann::ordered_json finding_json(const Finding& finding);

/// Returns the document with which the server answers POST /v1/diff. "rows" has one row for each
/// move in `ours` or `pasted`, sorted by move. "next" is the position to examine next, one move
/// after the end of `line`; null if there is none. "causes" has the rules that the program breaks
/// at the end of `line`. If the whole paste seems to answer another question, "causes" has only
/// this fault. In three cases, "causes" has no broken rules and "next" is null: lines were not
/// understood, most counts are wrongly 0, or the rows do not add up to the total.
///
/// `ours` is the divide of all legal moves at `depth`. `right_as_fen` says whether the program is
/// right when it gets this position as a FEN; nullopt if unknown. `divide` counts other depths and
/// positions, because the paste may belong to one of them. Precondition: depth >= 1.
[[nodiscard]] nlohmann::ordered_json diff_document(const Line& line, Depth depth,
                                                   const std::vector<DivideEntry>& ours,
                                                   const EngineAnswer& pasted,
                                                   std::optional<bool> right_as_fen,
                                                   const OurDivide& divide);

/// Returns the document of `pasted`, the result of parse_pasted_divides(), as JSON text. `ours` is
/// our divide at `depth`.
///
/// The document describes one reading: the shallowest one that differs from our counts or whose
/// rows do not add up to its total. If there is no such reading, the document describes the deepest
/// one. If there are several depths, "depth" is the depth of the described reading, and "depths"
/// lists all depths, and whether the counts of each depth agree. If a depth has several readings,
/// "reading" is the name of the described reading, "readings" lists all readings, and "disputed"
/// lists the moves that have different counts in readings of the same depth.
[[nodiscard]] std::string diff_of_paste(const Line& line, Depth depth,
                                        const std::vector<DivideEntry>& ours,
                                        const std::vector<PastedDivide>& pasted,
                                        std::optional<bool> right_as_fen, const OurDivide& divide);

/// Returns the moves that have different counts in readings of the same depth. The result is a JSON
/// array of objects with "depth", "move" and "counts". "counts" has one element per reading of the
/// paste: a count, or null if the reading has another depth or does not list the move.
[[nodiscard]] nlohmann::ordered_json disputed_document(const std::vector<PastedDivide>& pasted);

}  // namespace manyply
