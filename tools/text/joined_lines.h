// Splits divides whose rows stand on one line, as they are copied from terminals, chats and JSON
// strings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace manyply {

/// Returns the lines that `line` was before it was joined. `a2a3: 380 b2b3: 420 … Nodes searched:
/// 8902` becomes the text before the first row, one line per row, and the text after the last row.
/// A line with fewer than four rows, or with counts before the moves, is returned whole, because it
/// can be read as it is.
[[nodiscard]] std::vector<std::string> lines_apart(std::string_view line);

}  // namespace manyply
