// Text of users inside error messages.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

/// `text` in quotes, fit for one line of any terminal or log: bytes that are not printable ASCII as
/// \xNN, and cut off behind some 40 characters with "...".
[[nodiscard]] std::string quote(std::string_view text);
[[nodiscard]] inline std::string quote(char c) { return quote(std::string_view(&c, 1)); }

}  // namespace manyply
