// Splits a printed text into tables: divides of several depths, or several divides of one depth.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/text/divide_reading.h"

namespace manyply {

/// Returns the tables in `printed` in their order, at least one. A total that the rows before it
/// add up to ends a table. A new table begins where the moves of the previous one are repeated, but
/// not at one move that is listed twice. Rows that add up to one total are one table.
[[nodiscard]] std::vector<PrintedLines> tables_of(const PrintedLines& printed);

/// Returns the lines of `printed` from line number `first` on.
[[nodiscard]] PrintedLines lines_from(const PrintedLines& printed, std::size_t first);

}  // namespace manyply
