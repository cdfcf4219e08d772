// Compares a pasted divide with ours. Reports the differences, their causes, and the next position
// to examine.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/counting.h"
#include "tools/diagnose/comparison.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/diagnose/pasted_readings.h"
#include "tools/text/engine_answer.h"

namespace manyply {

/// Returns the document of POST /v1/diff. It contains one row for each move in `ours` or `pasted`,
/// in sorted order, and the move after which to search further. If the moves show which rules the
/// program breaks in this position, it also contains these rules. If the rows do not add up to the
/// total, rows may be missing. In that case the document contains neither rules nor a move.
///
/// `ours` is the divide of all legal moves. `right_as_fen` says whether the program is right when
/// it gets this position as a FEN; nullopt if unknown. `divide` counts other depths and positions,
/// because the paste may belong to one of them. Precondition: depth >= 1.
[[nodiscard]] nlohmann::ordered_json diff_document(const Line& line, Depth depth,
                                                   const std::vector<DivideEntry>& ours,
                                                   const EngineAnswer& pasted,
                                                   std::optional<bool> right_as_fen,
                                                   const OurDivide& divide);

/// Returns the document of `pasted`, the result of parse_pasted_divides(). `ours` is the divide of
/// `depth`.
///
/// The document describes one reading. This is the shallowest reading that differs from our counts.
/// If all readings agree with our counts, this is the deepest reading. If there are several depths,
/// "depth" is the depth of the described reading, and "depths" lists the depths that agree. If a
/// depth has several readings, "reading" is the name of the described reading. "readings" then
/// lists all readings, and "disputed" lists the moves that have different counts in these readings.
[[nodiscard]] std::string diff_of_paste(const Line& line, Depth depth,
                                        const std::vector<DivideEntry>& ours,
                                        const std::vector<PastedDivide>& pasted,
                                        std::optional<bool> right_as_fen, const OurDivide& divide);

/// Returns the moves that have different counts in the readings of one depth. The result is a JSON
/// array of objects with "depth", "move" and "counts". "counts" has one count per reading, or null
/// if the reading does not list the move.
[[nodiscard]] nlohmann::ordered_json disputed_document(const std::vector<PastedDivide>& pasted);

// Finds rows that may have been lost, doubled or cut when the text was copied. Such rows show no
// fault of the program.

struct PasteDoubts {
  std::vector<Move> lost{};          ///< missing moves that the program may have printed
  std::vector<Move> cut{};           ///< moves whose counts are the first digits of our counts
  std::vector<std::string> torn{};   ///< moves of lines that were cut
  std::vector<std::string> notes{};  ///< descriptions of all doubts
};

/// Returns the doubts about a paste. If the rows add up to a total, the only doubt is about missing
/// moves that have the count 0. Many programs do not print such moves. Precondition: `theirs` is a
/// result of settled() and does not contradict itself.
[[nodiscard]] PasteDoubts doubts_about(const Line& line, const Comparison& compared,
                                       const EngineAnswer& theirs);

/// Returns `compared` without the doubtful rows.
[[nodiscard]] Comparison without_doubts(Comparison compared, const EngineAnswer& theirs,
                                        const PasteDoubts& doubts);

}  // namespace manyply
