// Splits pasted text, or the text of a file, into the lines of a divide, in any encoding.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace manyply {

/// Returns the lines of `bytes`, which are UTF-8, or UTF-16 with a byte order mark. JSON gives one
/// line for each object with a move in it, and one for each other value. Lines end with LF, CR,
/// both, or the two characters `\n` of a string. The error says that `bytes` are not text.
Result<std::vector<std::string>> pasted_lines(std::string_view bytes);

}  // namespace manyply
