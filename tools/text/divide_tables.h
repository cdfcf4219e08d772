// Where one table of a printed text ends and the next one begins: divides of several depths, or
// several divides of one depth.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/text/divide_reading.h"

namespace manyply {

/// The tables in `printed`, in their order; at least one. Only the text tells them apart: a total
/// that the rows before it add up to ends a table, and a table begins where moves of the one before
/// stand again. A move that stands twice in one list begins no table. Rows that add up to one total
/// are one table.
[[nodiscard]] std::vector<PrintedLines> tables_of(const PrintedLines& printed);

/// The lines of `printed` from line number `first` on.
[[nodiscard]] PrintedLines lines_from(const PrintedLines& printed, std::size_t first);

}  // namespace manyply
