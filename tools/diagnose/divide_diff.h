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

/// Returns the document of POST /v1/diff: one row for each move in `ours` or `pasted`, sorted; the
/// rules that the program breaks in this position, as far as its moves show them; and the move to
/// continue with. If the rows do not add up to the total, rows may be missing; then the document
/// contains neither rules nor a move.
///
/// `ours` is the divide of all legal moves. `right_as_fen` is whether the program is right if it
/// gets this position as a FEN; nullopt if unknown. `divide` counts other depths and positions,
/// because the paste may belong to one of them. Precondition: depth >= 1.
[[nodiscard]] nlohmann::ordered_json diff_document(const Line& line, Depth depth,
                                                   const std::vector<DivideEntry>& ours,
                                                   const EngineAnswer& pasted,
                                                   std::optional<bool> right_as_fen,
                                                   const OurDivide& divide);

/// Returns the document of a paste that parse_pasted_divides() has read. `ours` is the divide of
/// `depth`.
///
/// If there are several readings, the document describes the shallowest one that differs from our
/// counts, or else the deepest. For several depths, "depth" is the depth of that reading, and
/// "depths" lists which depths agree. If a depth has several readings, "reading" is the name of the
/// described one, "readings" lists all, and "disputed" lists the moves that they count differently.
[[nodiscard]] std::string diff_of_paste(const Line& line, Depth depth,
                                        const std::vector<DivideEntry>& ours,
                                        const std::vector<PastedDivide>& pasted,
                                        std::optional<bool> right_as_fen, const OurDivide& divide);

/// Returns the moves that readings of one depth count differently. The result is a JSON array of
/// objects with "depth", "move" and "counts", one count per reading; a count is null if the reading
/// does not list the move.
[[nodiscard]] nlohmann::ordered_json disputed_document(const std::vector<PastedDivide>& pasted);

// Finds rows that may have been lost, doubled or cut while copying. Such rows show no fault of the
// program.

struct PasteDoubts {
  std::vector<Move> lost{};          ///< missing moves that the program may have printed
  std::vector<Move> cut{};           ///< moves whose counts have only the first digits of ours
  std::vector<std::string> torn{};   ///< moves of lines that were cut
  std::vector<std::string> notes{};  ///< descriptions of all doubts
};

/// Returns the doubts about a paste. If its rows add up to a total, the only doubt is about missing
/// moves with the count 0, because many programs do not print those. Precondition: `theirs` is a
/// result of settled() and does not contradict itself.
[[nodiscard]] PasteDoubts doubts_about(const Line& line, const Comparison& compared,
                                       const EngineAnswer& theirs);

/// Returns `compared` without the rows in doubt.
[[nodiscard]] Comparison without_doubts(Comparison compared, const EngineAnswer& theirs,
                                        const PasteDoubts& doubts);

}  // namespace manyply
