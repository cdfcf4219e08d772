// What somebody pastes, or has in a file, as lines of a divide: whatever its encoding.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace manyply {

/// The lines of UTF-8, or of UTF-16 with its mark; of JSON, our own and others', a line for each
/// object with a move in it, and for each value elsewhere. Ends of lines are LF, CR, both, or the
/// two characters `\n` of a string. The error says that this is no text.
Result<std::vector<std::string>> pasted_lines(std::string_view bytes);

}  // namespace manyply
