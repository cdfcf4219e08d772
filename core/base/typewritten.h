// Undoes typographic changes that word processors, web pages and chat programs make to text.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

/// Returns `text` with typographic quotes, dashes, apostrophes and blanks replaced by their ASCII
/// equivalents, and without byte order marks and zero-width spaces. All other bytes stay unchanged.
[[nodiscard]] std::string typewritten(std::string_view text);

/// Returns `text` with only typographic blanks replaced, and without byte order marks and
/// zero-width spaces. Quotes, dashes and apostrophes stay unchanged.
[[nodiscard]] std::string with_plain_blanks(std::string_view text);

}  // namespace manyply
