// A pasted divide against our own: what differs, why, and where to look next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/counting.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/diagnose/pasted_divides.h"

namespace manyply {

/// A document, as POST /v1/diff answers it: one row for each move of either side, ascending; the
/// rules that the program breaks in this very position, as far as its moves tell; and the move to
/// go down into. Of rows that are not those of the total neither rule nor move is told: some may be
/// lost. `ours` are all legal moves with their counts. Preconditions: depth >= 1. `right_as_fen`:
/// whether the program is right when it is told this position as a FEN, if that is known. `divide`
/// counts other depths and positions, whose divide the pasted one may be.
[[nodiscard]] std::string diff_document(const Line& line, Depth depth,
                                        const std::vector<DivideEntry>& ours,
                                        const EngineAnswer& pasted,
                                        std::optional<bool> right_as_fen, const OurDivide& divide);

/// The document of a paste, which parse_pasted_divides() has read: of several readings that of the
/// shallowest one that differs, or else of the deepest. Of several depths its member "depth" says
/// which that is, and "depths" which of them agree; where a depth has several readings, "reading"
/// names it, "readings" has all of them, and "disputed" the moves in which they differ. `ours` is
/// of `depth`.
[[nodiscard]] std::string diff_of_paste(const Line& line, Depth depth,
                                        const std::vector<DivideEntry>& ours,
                                        const std::vector<PastedDivide>& pasted,
                                        std::optional<bool> right_as_fen, const OurDivide& divide);

/// The moves that readings of one depth count differently, a JSON array: "depth", "move", and in
/// "counts" what each reading has; null where it does not list the move.
[[nodiscard]] std::string disputed_document(const std::vector<PastedDivide>& pasted);

}  // namespace manyply
