// What a command is: its words, its arguments, what it does. Whoever parses, helps, lists or
// completes commands reads it here, and nowhere else.
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
#include <vector>

#include "core/result.h"
#include "tools/cli/framework/io.h"

namespace manyply {

/// What an argument's text may be, as far as a shell can help to type it.
enum class ValueKind : std::uint8_t {
  kAny,
  kWord,  ///< one of Values::words and nothing else
  kFile,  ///< or one of Values::words
  kFolder,
  kProgram,   ///< a command line, for the shell
  kPosition,  ///< a FEN or a name
  kKernel,
};
struct Values {
  ValueKind kind = ValueKind::kAny;
  std::span<const std::string_view> words = {};
};

/// A flag ("--threads") or a positional argument ("DEPTH"), as people see it.
struct Argument {
  const char* name;
  /// Names a flag's value in the help; a flag without one is a switch. A positional argument
  /// without one may be given any number of times, also never; one with "?" once, or never.
  const char* value;
  const char* help;  ///< wrapped when it is printed; see with_names()
  Values values = {};

  [[nodiscard]] bool is_flag() const { return name[0] == '-'; }
  [[nodiscard]] bool is_switch() const { return is_flag() && value == nullptr; }
};

/// An argument of commands whose options are `Options`, or are derived from it.
template <typename Options>
struct Flag {
  const char* name;
  const char* value;
  const char* help;
  /// Puts the text (of a switch: an empty one) where it belongs, or says what is wrong with it.
  std::optional<Error> (*take)(Options& options, const std::string& text);
  Values values = {};
};

/// One flag or a list of flags, of `Options` or of what that is derived from.
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

  [[nodiscard]] const std::vector<std::pair<Argument, Take>>& all() const { return all_; }

 private:
  template <typename Part>
  void add(const Flag<Part>& flag) {
    all_.emplace_back(Argument{flag.name, flag.value, flag.help, flag.values}, flag.take);
  }

  std::vector<std::pair<Argument, Take>> all_;
};

/// What a command asks of the program around it.
struct Needs {
  /// SIGTERM ends it as Ctrl-C does: it serves until it is told to stop, or starts programs that
  /// would outlive it.
  bool ends_on_sigterm = false;
  /// What it prints is not what it is for: it goes on when nobody reads that any more.
  bool outlives_readers = false;
};

/// A command line being understood, then run.
class Call {
 public:
  Call() = default;
  virtual ~Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Gives the command's argument `index` its text; what is wrong with it, if anything.
  virtual std::optional<Error> take(std::size_t index, const std::string& text) = 0;
  /// Prints data to io.out and everything else to io.err; an ExitCode.
  virtual int run(Io& io) const = 0;
};

struct Command {
  const char* name = "";      ///< "count"; of a part both words: "campaign create"
  const char* summary = "";   ///< one line
  const char* about = "";     ///< paragraphs, shown below the flags; see wrapped()
  const char* examples = "";  ///< command lines
  Needs needs = {};
  const char* missing = nullptr;  ///< why this build cannot run it
  bool hidden = false;            ///< for those who build this, not for those who use it
  /// Commands of two words that begin with this one's; it then does nothing itself.
  std::vector<Command> parts = {};

  // By make_command():
  std::vector<Argument> arguments = {};
  std::function<std::unique_ptr<Call>()> call = {};  ///< none if it is missing

  /// Whether help, manual and shells tell of it.
  [[nodiscard]] bool is_listed() const { return missing == nullptr && !hidden; }

  /// What it is called among its neighbours: "create".
  [[nodiscard]] std::string_view last_word() const {
    const std::string_view words = name;
    return words.substr(words.rfind(' ') + 1);
  }
};

/// `words` with its arguments, and what runs. `Options` starts out as `start`.
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
  class OneCall : public Call {
   public:
    OneCall(std::vector<typename FlagsOf<Options>::Take> takes, int (*run)(const Options&, Io&),
            Options start)
        : takes_(std::move(takes)), run_(run), options_(std::move(start)) {}
    std::optional<Error> take(std::size_t index, const std::string& text) override {
      return takes_.at(index)(options_, text);
    }
    int run(Io& io) const override { return run_(options_, io); }

   private:
    std::vector<typename FlagsOf<Options>::Take> takes_;
    int (*run_)(const Options&, Io&);
    Options options_;
  };
  words.call = [takes = std::move(takes), run,
                start = std::move(start)]() -> std::unique_ptr<Call> {
    return std::make_unique<OneCall>(takes, run, start);
  };
  return words;
}

/// Says what went wrong, in one line on io.err, and returns the exit code for it.
int fail(Io& io, const Error& error);

/// `text`, in which the commands that it suggests begin with `program` instead of "perft".
/// A command is "perft " at the start of a line, behind spaces or behind an apostrophe.
[[nodiscard]] std::string named_as(std::string_view program, std::string text);

}  // namespace manyply
