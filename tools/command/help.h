// Help, made of commands alone.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/command/command.h"

namespace manyply {

inline constexpr int kHelpColumns = 90;  ///< of the help as it is printed

/// What `perft --help` prints: the commands, but those that this build lacks.
[[nodiscard]] std::string overview(std::span<const Command> commands, int columns = kHelpColumns);

/// What `perft COMMAND --help` prints.
[[nodiscard]] std::string help_of(const Command& command, int columns = kHelpColumns);

/// `text` in lines of at most `columns` characters, where its words are no longer; each ends with a
/// line end. Paragraphs are parted by empty lines. A line that begins with a space is left as it
/// is. Each line but the first begins with `indent` spaces, which count.
[[nodiscard]] std::string wrapped(std::string_view text, int columns, int indent = 0);

}  // namespace manyply
