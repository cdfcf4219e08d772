// A pasted divide against our own: what differs, why, and where to look next.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/counting.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/diagnose/other_question.h"
#include "tools/text/engine_output.h"

namespace manyply {

/// What another program printed of the position where `line` ends, in any way that
/// EngineOutputParser knows; of several depths the last one. The error says that there is no divide
/// in it, or which line was not understood.
Result<EngineAnswer> parse_pasted_divide(std::string_view text, const Line& line, Depth depth);

/// One of the divides of a paste.
struct PastedDivide {
  Depth depth;  ///< that it is taken to be of
  EngineAnswer answer;
};

/// The same of a paste that may have a divide of each depth up to `depth`, ascending: whose totals
/// are next to ours, or, where that is not clear, in the order in which they stand there.
Result<std::vector<PastedDivide>> parse_pasted_divides(std::string_view text, const Line& line,
                                                       Depth depth, const OurDivide& divide);

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

/// The document of a paste: of several divides that of the shallowest one that differs, or else of
/// the deepest; then its member "depth" says which that is, and "depths" which of them agree.
/// `ours` is of `depth`.
[[nodiscard]] std::string diff_of_paste(const Line& line, Depth depth,
                                        const std::vector<DivideEntry>& ours,
                                        const std::vector<PastedDivide>& pasted,
                                        std::optional<bool> right_as_fen, const OurDivide& divide);

}  // namespace manyply
