// Texts that `perft` writes about itself: help, help topics, the manual page, and completions for
// shells (completion.cpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/framework/command.h"

// Topics, which concern all commands. `perft help TOPIC` and a section of the manual page show
// them.

namespace manyply {

/// A help text that is not about a single command.
struct Topic {
  const char* name;     ///< one word that is not the name of a command
  const char* section;  ///< section of the manual page
  const char* summary;  ///< one line
  /// Paragraphs, see wrapped(); POSITIONS is replaced by the names of positions.
  const char* text;
};

/// Returns all topics.
[[nodiscard]] std::span<const Topic> topics();
/// Returns the topic with this name; null if unknown.
[[nodiscard]] const Topic* find_topic(std::string_view name);

/// Returns the style for io.out. Uses io.out_columns as the width, within limits, and 90 columns if
/// io.out_columns is 0.
[[nodiscard]] HelpStyle help_style(const Io& io);

/// Returns the text of `perft --help`: all listed commands.
[[nodiscard]] std::string overview(std::span<const Command> commands, const HelpStyle& style = {});

/// Returns the text of `perft COMMAND --help`. For a command with parts, this is the list of its
/// parts.
[[nodiscard]] std::string help_of(const Command& command, const HelpStyle& style = {});

/// Returns the text of `perft help TOPIC`.
[[nodiscard]] std::string help_of(const Topic& topic, const HelpStyle& style = {});

// These functions are also used for the manual page and shell completion.

/// A flag that the parser itself handles.
struct HelpFlag {
  const char* name;
  const char* help;
};
inline constexpr HelpFlag kHelpFlag{"-h,--help", "this help"};
inline constexpr HelpFlag kVersionFlag{"-V,--version", "the version"};  ///< commands do not have it

/// Returns the listed commands, each followed by its parts.
[[nodiscard]] std::vector<const Command*> listed_with_parts(std::span<const Command> commands);
/// Returns "count [OPTIONS] DEPTH", "campaign COMMAND [OPTIONS]".
[[nodiscard]] std::string usage_of(const Command& command);
/// Returns the names of the command's flags, without --help.
[[nodiscard]] std::vector<std::string> flags_of(const Command& command);
/// Returns `text` with two words replaced: KERNELS by "auto" and the kernels in this build, and
/// POSITIONS by the names of all positions.
[[nodiscard]] std::string with_names(std::string text);
/// Returns the words that a shell may offer for this value.
[[nodiscard]] std::vector<std::string> words_of(const Values& values);
/// Returns the lines of a raw string, without its leading line end.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view raw);
/// Returns a raw string without its leading line end.
[[nodiscard]] std::string_view body_of(std::string_view raw);

/// Wraps `text` to lines of at most `columns` characters; longer words stay whole. The last line
/// also has a line end. Empty lines separate paragraphs. A line that starts with a space is not
/// changed. Indents all lines except the first by `indent` spaces; `columns` includes these spaces.
[[nodiscard]] std::string wrapped(std::string_view text, int columns, int indent = 0);

// The manual pages perft(1) and perft-COMMAND(1). They are generated from the list of commands.

/// Return a page in roff with the macros of man(7). The page describes all commands, or one command
/// with its parts. `date` has the form 2025-11-22.
[[nodiscard]] std::string manual(std::span<const Command> commands, std::string_view date);
[[nodiscard]] std::string manual_of(const Command& command, std::string_view date);

/// Returns the unlisted command `perft manual DATE`, which runs when packages are built. The
/// command prints perft(1) or the page of one command. `all` are the commands to describe. The
/// command reads `all` only when it runs, so commands can be added until then. `all` must outlive
/// the command.
[[nodiscard]] Command manual_command(const std::vector<Command>& all);

/// Returns the command `perft completion SHELL`, which prints a script for bash, zsh or fish. A
/// script may be sourced. It may also be installed in the shell's completion folder as `perft`,
/// `_perft` or `perft.fish`. `all` are the commands to complete. The command
/// reads `all` only when it runs, so commands can be added until then. `all` must outlive the
/// command.
[[nodiscard]] Command completion_command(const std::vector<Command>& all);

}  // namespace manyply
