// Orders of work. Answers never depend on them; times do.
#pragma once

#include "parallel/split/root_splitter.h"
#include "parallel/units/unit_source.h"

namespace manyply {

/// One group, largest number of legal moves first: a cheap guess at size, for a short tail.
UnitOrder biggest_first(const RootSplit& split, const Kernel& kernel);

/// Groups of units that share window entries (README.md, "Splitting and order"). The window's hits
/// join parents at depth 3 that differ only in pieces of the side which moved last above it; so
/// units are grouped by the pieces of the other side, which those parents have in common.
UnitOrder grouped_for_window(const RootSplit& split, int unit_depth);

/// How a job in one go likes its units: grouped if they share a table, else the largest first.
UnitOrder order_for(const RootSplit& split, int unit_depth, bool has_table, const Kernel& kernel);

}  // namespace manyply
