// Text of strangers on a terminal, and in the command line of a shell.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

/// `text` as one line that moves no cursor and sets no colour: line ends and tabs as spaces, other
/// control characters and what is no UTF-8 as \xNN.
[[nodiscard]] std::string printable(std::string_view text);

/// `text` as one word of a shell, in quotes: single ones, or double ones where those are none.
[[nodiscard]] std::string for_shell(std::string_view text);

}  // namespace manyply
