// Compares a pasted divide with ours: what differs, why, and where to look next.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/counting.h"
#include "tools/diagnose/comparison.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/diagnose/pasted_divides.h"
#include "tools/text/engine_answer.h"

namespace manyply {

/// Returns the document of POST /v1/diff: one row for each move of either side, sorted; the rules
/// that the program breaks in this position, as far as its moves show them; and the move to
/// continue with. If the rows do not add up to the total, some may be missing, and it contains
/// neither rules nor a move. `ours` are all legal moves with their counts. `right_as_fen` is
/// whether the program is right for this position given as a FEN, if known. `divide` counts other
/// depths and positions, to which the pasted divide may belong. Precondition: depth >= 1.
[[nodiscard]] nlohmann::ordered_json diff_document(const Line& line, Depth depth,
                                                   const std::vector<DivideEntry>& ours,
                                                   const EngineAnswer& pasted,
                                                   std::optional<bool> right_as_fen,
                                                   const OurDivide& divide);

/// Returns the document of a paste that parse_pasted_divides() has read. If there are several
/// readings, it is about the shallowest one that differs, or else the deepest. For several depths,
/// "depth" is the depth of that reading, and "depths" lists which depths agree. If a depth has
/// several readings, "reading" is the name of that reading, "readings" lists all of them, and
/// "disputed" the moves in which they differ. `ours` is the divide of `depth`.
[[nodiscard]] std::string diff_of_paste(const Line& line, Depth depth,
                                        const std::vector<DivideEntry>& ours,
                                        const std::vector<PastedDivide>& pasted,
                                        std::optional<bool> right_as_fen, const OurDivide& divide);

/// Returns the moves that readings of one depth count differently, as a JSON array with "depth",
/// "move", and in "counts" the count of each reading; null if it does not list the move.
[[nodiscard]] nlohmann::ordered_json disputed_document(const std::vector<PastedDivide>& pasted);

// Finds what a paste leaves open: rows may have been lost, doubled or cut while copying, so they
// show no fault of the program.

struct PasteDoubts {
  std::vector<Move> lost{};          ///< missing moves that the program may have printed
  std::vector<Move> cut{};           ///< moves whose counts are the beginnings of ours
  std::vector<std::string> torn{};   ///< moves of lines that were cut
  std::vector<std::string> notes{};  ///< descriptions of all of them
};

/// Returns the doubts about a paste. If its rows add up to a total, only missing rows of 0 are in
/// doubt, since many programs leave them out. Precondition: `theirs` is settled and does not
/// contradict itself.
[[nodiscard]] PasteDoubts doubts_about(const Line& line, const Comparison& compared,
                                       const EngineAnswer& theirs);

/// Returns `compared` without the rows in doubt.
[[nodiscard]] Comparison without_doubts(Comparison compared, const EngineAnswer& theirs,
                                        const PasteDoubts& doubts);

}  // namespace manyply
