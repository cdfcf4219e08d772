// Help, made of commands alone.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/framework/command.h"
#include "tools/cli/framework/topics.h"

namespace manyply {

/// For whom help is printed.
struct HelpStyle {
  int columns = 90;
  bool colours = false;
  std::string program = "perft";  ///< as in Io
};
/// For who reads io.out: as wide as a terminal there, within reason.
[[nodiscard]] HelpStyle help_style(const Io& io);

/// What `perft --help` prints: the commands that are listed.
[[nodiscard]] std::string overview(std::span<const Command> commands, const HelpStyle& style = {});

/// What `perft COMMAND --help` prints; of one with parts, what parts there are.
[[nodiscard]] std::string help_of(const Command& command, const HelpStyle& style = {});

/// What `perft help TOPIC` prints.
[[nodiscard]] std::string help_of(const Topic& topic, const HelpStyle& style = {});

// What the manual and the shells' completions are made of, too.

struct HelpFlag {
  const char* name;
  const char* help;
};
inline constexpr HelpFlag kHelpFlag{"-h,--help", "this help"};
inline constexpr HelpFlag kVersionFlag{"-V,--version", "the version"};  ///< of no command

/// Those that are listed, each one before its parts.
[[nodiscard]] std::vector<const Command*> listed_with_parts(std::span<const Command> commands);
/// "count [OPTIONS] DEPTH", "campaign COMMAND [OPTIONS]".
[[nodiscard]] std::string usage_of(const Command& command);
/// Their names, without --help.
[[nodiscard]] std::vector<std::string> flags_of(const Command& command);
/// `text` with all names that may stand there: of the kernels that this program was built with for
/// KERNELS, of positions for POSITIONS.
[[nodiscard]] std::string with_names(std::string text);
/// The words that a shell may offer as its value.
[[nodiscard]] std::vector<std::string> words_of(const Values& values);
/// The lines of `examples`, without what parts them from the code around.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view raw);
/// `about` without the line end at its beginning.
[[nodiscard]] std::string_view body_of(std::string_view raw);

/// `text` in lines of at most `columns` characters, where its words are no longer; each ends with a
/// line end. Paragraphs are parted by empty lines. A line that begins with a space is left as it
/// is. Each line but the first begins with `indent` spaces, which count.
[[nodiscard]] std::string wrapped(std::string_view text, int columns, int indent = 0);

}  // namespace manyply
