// EPD lines with perft counts, in the format of test suites: `FEN ;D1 20 ;D2 400`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "core/fen.h"

namespace manyply {

/// The number of nodes that an EPD line states for a depth.
struct EpdCount {
  Depth depth;
  NodeCount nodes;
};

/// A position and its counts.
struct EpdRecord {
  NamedPosition root;
  std::string fen;               ///< FEN or name as written, without surrounding spaces
  std::vector<EpdCount> counts;  ///< in the order written; never empty; each depth once
};

/// Parses one line. The text before the first `;` is a FEN of 4 to 6 fields or a name. After each
/// `;` there is a count (`D3 8902`, `d3 8902`). Additional spaces are allowed. `#` starts a
/// comment.
///
/// Returns nullopt for an empty line or a comment. If the line has errors, returns the first one
/// with its column in the line. The error's field is "depth", "count" or a field that
/// parse_position() reports.
Result<std::optional<EpdRecord>> parse_epd_line(std::string_view line);

}  // namespace manyply
