// Text that came through a word processor, a page or a chat.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

/// `text` with the quotes, dashes, apostrophes and blanks of typesetters as those of typewriters,
/// and without marks of byte order and blanks of no width. All other bytes stay.
[[nodiscard]] std::string typewritten(std::string_view text);

/// The same for blanks only; quotes stay unchanged.
[[nodiscard]] std::string with_plain_blanks(std::string_view text);

}  // namespace manyply
