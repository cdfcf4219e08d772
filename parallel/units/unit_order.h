// The order in which units are counted. It affects times, never answers.
#pragma once

#include "parallel/split/root_splitter.h"
#include "parallel/units/unit_source.h"

namespace manyply {

/// One group, units with the most legal moves first. The number of moves is a cheap estimate of a
/// unit's size; large units first means a short wait for the last one.
UnitOrder biggest_first(const RootSplit& split, const Kernel& kernel);

/// Groups of units that share window entries (parallel/README.md, "Splitting and order"). A window
/// hits when two parents at remaining depth 3 have the same child. Such parents differ only in
/// pieces of the side to move, so units are grouped by the pieces of the other side.
UnitOrder grouped_for_window(const RootSplit& split, int unit_depth);

/// Returns grouped_for_window() if the job has a table, otherwise biggest_first().
UnitOrder order_for(const RootSplit& split, int unit_depth, bool has_table, const Kernel& kernel);

}  // namespace manyply
