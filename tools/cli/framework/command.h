// The definition of a command: its name, arguments and function. Parser, help, manual page and
// shell completion all use this one definition. Also parses and runs command lines.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "tools/cli/framework/io.h"

namespace manyply {

/// The kind of text that an argument accepts. Shell completion offers texts of this kind.
enum class ValueKind : std::uint8_t {
  kAny,
  kWord,  ///< exactly one of Values::words
  kFile,  ///< a file name or one of Values::words
  kFolder,
  kProgram,   ///< a command line for the shell
  kPosition,  ///< a FEN or the name of a position
  kKernel,
};
/// The values that an argument accepts.
struct Values {
  ValueKind kind = ValueKind::kAny;
  std::span<const std::string_view> words = {};
};

/// A flag ("--threads") or a positional argument ("DEPTH") as shown to users.
struct Argument {
  const char* name;
  /// For a flag, the name of its value in the help; null for a switch. For a positional argument,
  /// how often it may occur: null = any number of times, "?" = at most once, "" = exactly once.
  const char* value;
  const char* help;  ///< wrapped when printed; see with_names()
  Values values = {};

  /// Returns whether the argument is a flag. If not, it is positional.
  [[nodiscard]] bool is_flag() const { return name[0] == '-'; }
  /// Returns whether the argument is a flag without a value.
  [[nodiscard]] bool is_switch() const { return is_flag() && value == nullptr; }
};

/// An argument for all commands whose options are `Options` or a class derived from `Options`.
template <typename Options>
struct Flag {
  const char* name;
  const char* value;
  const char* help;
  /// Stores the text in `options`, or returns an error about the text. If the error has no field,
  /// the parser sets the field to `name`. The text of a switch is empty.
  std::optional<Error> (*take)(Options& options, const std::string& text);
  Values values = {};
};

/// One or several arguments. Their values are stored in an `Options` or in one of its base classes.
template <typename Options>
class FlagsOf {
 public:
  using Take = std::function<std::optional<Error>(Options&, const std::string&)>;

  template <typename Part>
    requires std::derived_from<Options, Part>
  FlagsOf(const Flag<Part>& flag) {
    add(flag);
  }
  template <typename Part, std::size_t N>
    requires std::derived_from<Options, Part>
  FlagsOf(const std::array<Flag<Part>, N>& flags) {
    for (const Flag<Part>& flag : flags) add(flag);
  }

  /// Returns the arguments, each with the function that stores its value (Flag::take).
  [[nodiscard]] const std::vector<std::pair<Argument, Take>>& all() const { return all_; }

 private:
  template <typename Part>
  void add(const Flag<Part>& flag) {
    all_.emplace_back(Argument{flag.name, flag.value, flag.help, flag.values}, flag.take);
  }

  std::vector<std::pair<Argument, Take>> all_;
};

/// The behaviour that a command needs from its process.
struct Needs {
  /// SIGTERM stops the command as the first Ctrl-C does. Set for the server and for campaign
  /// workers. Also set for commands that start child processes, which would otherwise run on.
  bool ends_on_sigterm = false;
  /// The command continues if the reader of standard output goes away. Set for commands that do
  /// more than print, such as `serve` and `submit`.
  bool outlives_readers = false;
};

/// A parsed command line, ready to run.
struct Call {
  /// Passes `text` to the argument Command::arguments[index]. Returns an error if the text is
  /// invalid.
  std::function<std::optional<Error>(std::size_t index, const std::string& text)> take;
  /// Runs the command and returns an ExitCode. Prints data to io.out and everything else to io.err.
  std::function<int(Io& io)> run;
};

/// A command of `perft`.
struct Command {
  const char* name = "";      ///< "count"; both words for a command of two words: "campaign create"
  const char* summary = "";   ///< one line
  const char* about = "";     ///< paragraphs that are shown below the flags; see wrapped()
  const char* examples = "";  ///< command lines
  Needs needs = {};
  const char* missing = nullptr;  ///< why this build cannot run the command; null if it can
  bool hidden = false;            ///< for developers; not listed in the help
  /// Commands of two words that start with this name. A command with such parts cannot be run by
  /// itself.
  std::vector<Command> parts = {};

  // Set by make_command():
  std::vector<Argument> arguments = {};
  std::function<Call()> call = {};  ///< empty if `missing` or `parts` is set

  /// Returns whether help, manual page and completion list the command.
  [[nodiscard]] bool is_listed() const { return missing == nullptr && !hidden; }

  /// Returns the last word of the command's name: "create".
  [[nodiscard]] std::string_view last_word() const {
    const std::string_view words = name;
    return words.substr(words.rfind(' ') + 1);
  }
};

/// Adds arguments and a function to the command `words`, which already has its name and its help
/// texts. Each call of the command begins with its own options, a copy of `start`.
template <typename Options>
Command make_command(Command words, std::initializer_list<FlagsOf<Options>> flags,
                     int (*run)(const Options& options, Io& io), Options start = {}) {
  std::vector<typename FlagsOf<Options>::Take> takes;
  for (const FlagsOf<Options>& some : flags) {
    for (const auto& [argument, take] : some.all()) {
      words.arguments.push_back(argument);
      takes.push_back(take);
    }
  }
  words.call = [takes = std::move(takes), run, start = std::move(start)] {
    const auto options = std::make_shared<Options>(start);
    return Call{[takes, options](std::size_t index, const std::string& text) {
                  return takes.at(index)(*options, text);
                },
                [run, options](Io& io) { return run(*options, io); }};
  };
  return words;
}

/// Prints the error as one line on io.err and returns kExitError. For kCancelled, prints
/// "interrupted" and returns kExitInterrupted. But if the command was cancelled because the reader
/// of io.out has gone, prints nothing and returns kExitOk.
int fail(Io& io, const Error& error);

/// Returns `text` with "perft" replaced by `program` in the commands that the text suggests. A
/// suggested command is "perft " at the start of a line, after two spaces, or after an apostrophe
/// or a pipe.
[[nodiscard]] std::string named_as(std::string_view program, std::string text);

// Parses the command line of `perft`.

/// The format of help texts.
struct HelpStyle {
  int columns = 90;
  bool colours = false;
  std::string program = "perft";  ///< Io::program
};

/// The result of parsing: a command to run, a text to print (help, version), or an error.
using ParsedCommandLine = std::variant<Call, std::string, Error>;

/// Parses `arguments`, without the program's name. Help is formatted in `style`.
ParsedCommandLine parse_command_line(std::span<const std::string> arguments,
                                     std::span<const Command> commands,
                                     const HelpStyle& style = {});

/// Returns the command at the start of `words`. If the next word is the name of a part of the
/// command, returns the part. Returns null if the command is unknown.
[[nodiscard]] const Command* find_command(std::span<const Command> commands,
                                          std::span<const std::string> words);

/// Parses and runs a command line, and prints errors. Returns the exit code. Does everything that
/// `perft` does, except for signals and streams. Does not throw.
int run_perft(std::span<const std::string> arguments, Io& io, std::span<const Command> commands);

// Suggestions for mistyped names.

/// Returns the number of typing errors between two words: letters that are changed, missing or
/// extra, and swapped neighbours.
[[nodiscard]] int typing_errors(std::string_view a, std::string_view b);

/// Returns the name that `word` probably stands for; nullopt if no name is similar. First looks for
/// the name with the fewest typing errors. Allows one error per three letters of the longer word.
/// If no name is that similar, looks for the name that shares the longest prefix with `word`. The
/// prefix must have at least three letters.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> names);

}  // namespace manyply
