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

/// Returns `{"name": …, "rule": …, "detail": …, "moves": […]}`.
[[nodiscard]] nlohmann::ordered_json finding_json(const Finding& finding);

/// Returns the document with which the server answers POST /v1/diff. "rows" has one row for each
/// move in `ours` or `pasted`, sorted by move. "next" is the position to examine next, which is one
/// move further; null if there is none. "causes" has the rules that the program breaks in this
/// position. But if the whole paste seems to answer another question, this is the only cause. If
/// lines were not understood, if most counts are wrongly 0, or if the rows do not add up to the
/// total, "causes" has no broken rules, and "next" is null.
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
