// Makes untrusted text safe for a terminal or a shell command line.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

/// Returns `text` as one line without control sequences: line ends and tabs become spaces, other
/// control characters and invalid UTF-8 become \xNN.
[[nodiscard]] std::string printable(std::string_view text);

/// Returns `text` quoted as one word for the shell: in single quotes, or in double quotes on
/// Windows.
[[nodiscard]] std::string for_shell(std::string_view text);

}  // namespace manyply
