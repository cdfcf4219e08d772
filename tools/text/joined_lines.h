// Lines of a divide that stand on one, as they come out of terminals, chats and JSON strings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace manyply {

/// `a2a3: 380 b2b3: 420 … Nodes searched: 8902` as the lines that it was: what stands before the
/// first row, the rows, what stands behind the last. A line with fewer than four rows in it, or
/// whose counts stand before the moves, stays one line: it can be read as it is.
[[nodiscard]] std::vector<std::string> lines_apart(std::string_view line);

}  // namespace manyply
