// EPD lines with perft counts, as suites are written: `FEN ;D1 20 ;D2 400`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"
#include "core/node_count.h"

namespace manyply {

struct EpdCount {
  Depth depth;
  NodeCount nodes;
};

struct EpdRecord {
  NamedPosition root;
  std::string fen;               ///< as written, without the space around it
  std::vector<EpdCount> counts;  ///< as written, never empty, no depth twice
};

/// Reads one line: a FEN of 4 to 6 fields, or a name, before the first `;` and a count after each
/// (`D3 8902`, `d3 8902`). Spaces are free, `#` starts a comment. Nothing for a line without more
/// than that. One error for the first thing that is wrong: a field of the FEN, "depth" or "count",
/// with its column in the line.
Result<std::optional<EpdRecord>> parse_epd_line(std::string_view line);

}  // namespace manyply
