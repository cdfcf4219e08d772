#include "tools/cli/framework/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/position_text.h"
#include "tools/cli/framework/help.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/framework/shared_flags.h"

namespace manyply {
namespace {

using Arguments = std::span<const std::string>;
using Commands = std::span<const Command>;

/// Returns the end of the message about an unknown command. It suggests the command or topic that
/// `name` probably stands for. If none is likely, it says how to list the commands.
std::string suggestion(Commands commands, std::string_view name) {
  if (Depth::parse(name).ok()) return "; did you mean 'perft count " + std::string(name) + "'?";
  std::vector<std::string> names{"help"};
  for (const Command* const command : listed_with_parts(commands)) {
    if (command->last_word() == name) return "; did you mean '" + std::string(command->name) + "'?";
    if (command->last_word() == command->name) names.emplace_back(command->name);
  }
  for (const Topic& topic : topics()) names.emplace_back(topic.name);
  const std::optional<std::string> meant = nearest(name, names);
  if (!meant) return "; 'perft --help' lists the commands";
  const char* const help = find_topic(*meant) != nullptr ? "perft help " : "";
  return std::string("; did you mean '") + help + *meant + "'?";
}

/// Returns the help of `command` if the user requested the help, otherwise an error. `words` starts
/// with the command's name. Precondition: `command` has parts, but the next word names no part.
ParsedCommandLine part_of(const Command& command, Arguments words, const HelpStyle& style) {
  const std::string name = command.name;
  const std::string help = "'perft " + name + " --help' lists its commands";
  if (words.size() < 2) return bad_input("", "'" + name + "' needs a command; " + help);
  const std::string& part = words[1];
  if (part == "-h" || part == "--help") return help_of(command, style);
  std::vector<std::string> parts;
  for (const Command& one : command.parts) parts.emplace_back(one.last_word());
  const std::optional<std::string> meant = nearest(part, parts);
  return bad_input("", "unknown command '" + name + ' ' + part + "'; " +
                           (meant ? "did you mean '" + name + ' ' + *meant + "'?" : help));
}

bool has_space(std::string_view text) { return text.find(' ') != std::string_view::npos; }

/// Returns an error if the shell has split an unquoted FEN. The error shows the FEN with quotes.
std::optional<Error> unquoted_fen(Arguments arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    const std::string& placement = arguments[i];
    const std::string& side = arguments[i + 1];
    if (std::ranges::count(placement, '/') != 7 || has_space(placement) ||
        (side != "w" && side != "b"))
      continue;
    std::string fen = placement;
    for (std::size_t j = i + 1;
         j < std::min(i + 6, arguments.size()) && arguments[j].substr(0, 2) != "--"; ++j) {
      fen += ' ' + arguments[j];
    }
    // Windows' cmd does not remove single quotes.
    if (fen.front() == '\'') fen.erase(0, 1);
    if (fen.back() == '\'') fen.pop_back();
    return bad_input("FEN", "put it in quotes: \"" + fen + "\"");
  }
  return std::nullopt;
}

/// Returns whether `word` is meant as a position: a FEN or its beginning, a name of a position, or
/// another text that position_text() recognises.
bool is_position(const std::string& word) {
  const PositionText text = position_text(word);
  return has_ranks(text.fen) || fen_of(text.fen) != text.fen || !text.refusal.empty() ||
         (has_space(word) && !text.moves.empty());
}

/// Inserts --fen before a position that has no flag, as in `count 5 kiwipete` or `divide kiwipete
/// 3`. Applies to commands that have the flag --fen and whose only positional argument is DEPTH.
/// `words` starts with the command. Returns an error if a word is the misspelled name of a
/// position.
std::optional<Error> name_position(const Command& command, std::vector<std::string>& words) {
  std::vector<const Argument*> places;
  for (const Argument& argument : command.arguments) {
    if (!argument.is_flag()) places.push_back(&argument);
  }
  const std::vector<std::string> flags = flags_of(command);
  if (places.size() != 1 || std::string_view(places[0]->name) != "DEPTH" ||
      std::ranges::count(flags, "--fen") == 0)
    return std::nullopt;
  std::optional<std::size_t> found;
  std::vector<std::string> others;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word.starts_with("--")) {
      // The user has given the flag, so it need not be inserted.
      if (word.starts_with("--fen")) return std::nullopt;
      const auto flag = std::ranges::find(command.arguments, word, &Argument::name);
      const bool takes_next = flag != command.arguments.end() && !flag->is_switch();
      i += takes_next ? 1 : 0;
    } else if (is_position(words[i])) {
      if (found) return std::nullopt;
      found = i;
    } else if (!word.starts_with('-') && !Depth::parse(word).ok()) {
      others.push_back(words[i]);
    }
  }
  if (found) {
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(*found), "--fen");
  } else if (others.size() == 1) {
    Question misspelt;
    return flags::kFen.take(misspelt, others[0]);
  }
  return std::nullopt;
}

/// Declares argument `index` of `command` to CLI11. Passes its values to `call`. Stores the first
/// error in `error`, and sets its field to the argument's name if the error has no field.
void declare(CLI::App& app, const Command& command, std::size_t index, const Call& call,
             std::optional<Error>& error) {
  const Argument& argument = command.arguments[index];
  const auto take = [&call, &error, &argument, index](const std::string& text) {
    auto complaint = call.take(index, text);
    if (!complaint || error) return;
    if (complaint->field.empty()) complaint->field = argument.name;
    error = std::move(complaint);
  };
  const std::string name = argument.name;
  if (!argument.is_flag() && argument.value == nullptr) {  // may be repeated
    app.add_option_function<std::vector<std::string>>(
        name,
        [take](const std::vector<std::string>& texts) { std::ranges::for_each(texts, take); });
  } else if (!argument.is_flag()) {
    app.add_option_function<std::string>(name, take)->required(*argument.value != '?');
  } else if (argument.value == nullptr) {
    app.add_flag_callback(name, [take] { take({}); });
  } else {
    app.add_option_function<std::string>(name, take)
        ->type_name(argument.value)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
}

/// Returns CLI11's message. Rewords the message if it is hard to understand.
std::string text_of(const CLI::ParseError& problem) {
  std::string text = problem.what();
  constexpr std::string_view kMissing = " missing";  // CLI11: "--threads: 1 required N missing"
  const std::size_t colon = text.find(": ");
  if (problem.get_name() != "ArgumentMismatch" || !text.ends_with(kMissing) ||
      colon == std::string::npos)
    return text;
  const std::size_t value = text.rfind(' ', text.size() - kMissing.size() - 1) + 1;
  return text.substr(0, colon) + ": " + text.substr(value, text.size() - kMissing.size() - value) +
         " is required after this flag";
}

Error usage_error(const std::string& message, const std::string& command) {
  return bad_input("", printable(message) + "; 'perft " +
                           (command.empty() ? "--help" : command + " --help") + "' shows how");
}

/// Returns the commands that have this flag: "'bisect'", "'bisect' and 'suite'", "'count', 'divide'
/// and others".
std::string commands_with(std::string_view flag, Commands commands) {
  std::vector<std::string> names;
  for (const Command* const command : listed_with_parts(commands)) {
    if (std::ranges::count(command->arguments, flag, &Argument::name) > 0)
      names.push_back('\'' + std::string(command->name) + '\'');
  }
  if (names.empty()) return "";
  if (names.size() > 2) return names[0] + ", " + names[1] + " and others";
  return names.size() == 1 ? names[0] : names[0] + " and " + names[1];
}

/// Returns the error for an unexpected word. `command` is null if the user named no command.
Error unexpected(const std::string& word, const Command* command, Commands commands) {
  const std::string name = command != nullptr ? command->name : "";
  const std::string refusal = "'" + word + "' is unexpected here";
  const std::size_t name_at = word.find_first_not_of('-');
  if (word.starts_with('-') && name_at != std::string::npos) {
    const std::string flag = word.substr(0, word.find('='));
    if (const std::string others = commands_with(flag, commands); !others.empty())
      return bad_input("", refusal + "; it is a flag of " + others);
    std::vector<std::string> flags{"help"};
    if (command == nullptr) flags.emplace_back("version");
    if (command != nullptr) {
      for (const std::string& known : flags_of(*command)) flags.push_back(known.substr(2));
    }
    if (const auto meant = nearest(std::string_view(flag).substr(name_at), flags))
      return bad_input("", refusal + "; did you mean '--" + *meant + "'?");
    return usage_error(refusal, name);
  }
  if (command != nullptr && std::ranges::count(flags_of(*command), "--fen") > 0) {
    if (is_position(word)) return bad_input("", refusal + "; only one position is allowed");
    const std::vector<std::string> names = words_of({ValueKind::kPosition});
    if (const auto meant = nearest(word, names))
      return bad_input("", refusal + "; did you mean '" + *meant + "'?");
  }
  return usage_error(refusal, name);
}

}  // namespace

const Command* find_command(Commands commands, Arguments words) {
  if (words.empty()) return nullptr;
  const auto found = std::ranges::find(commands, words[0], &Command::last_word);
  if (found == commands.end()) return nullptr;
  const Command* const part = find_command(found->parts, words.subspan(1));
  return part != nullptr ? part : &*found;
}

ParsedCommandLine parse_command_line(Arguments arguments, Commands commands,
                                     const HelpStyle& style) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  if (!words.empty() && words[0] == "help") {  // `help count` means `count --help`
    words.erase(words.begin());
    if (const Topic* const topic = words.size() == 1 ? find_topic(words[0]) : nullptr)
      return help_of(*topic, style);
    words.emplace_back("--help");
  }
  if (words.empty()) return usage_error("no command given", "");
  const Command* const meant = find_command(commands, words);
  if (words[0][0] != '-' && meant == nullptr)
    return bad_input("", "unknown command '" + words[0] + "'" + suggestion(commands, words[0]));
  if (meant != nullptr && meant->missing != nullptr)
    return bad_input("", "this build does not have '" + words[0] + "': " + meant->missing);
  if (meant != nullptr && !meant->parts.empty()) return part_of(*meant, words, style);
  if (auto error = unquoted_fen(words)) return *std::move(error);

  const std::string name = meant != nullptr ? meant->name : "";
  // The commands that are declared to CLI11, which accepts only names without spaces. If the user
  // gives a command of two words, such as "campaign create", only "create" is declared.
  std::vector<const Command*> known;
  if (meant != nullptr && meant->last_word() != words[0]) {
    known.push_back(meant);
    words.erase(words.begin());
  } else {
    for (const Command& command : commands) {
      if (command.missing == nullptr && command.parts.empty()) known.push_back(&command);
    }
  }
  if (meant != nullptr) {
    if (auto misspelt = name_position(*meant, words)) return *std::move(misspelt);
  }
  Call call;  // the command that the user gave
  std::optional<Error> error;
  std::vector<Call> calls;
  calls.reserve(known.size());  // declare() stores references to the elements
  CLI::App app("", "perft");
  app.allow_windows_style_options(false);  // a slash starts a path
  app.set_help_flag("-h,--help");
  app.set_version_flag("-V,--version", "perft (Manyply) " MANYPLY_VERSION);
  app.require_subcommand(1);
  for (const Command* const command : known) {
    CLI::App& sub = *app.add_subcommand(std::string(command->last_word()));
    const std::size_t place = calls.size();
    calls.push_back(command->call());
    for (std::size_t i = 0; i < command->arguments.size(); ++i)
      declare(sub, *command, i, calls.back(), error);
    sub.callback([&call, &calls, place] { call = std::move(calls[place]); });
  }

  try {
    std::ranges::reverse(words);  // CLI11 expects a vector in reverse order
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    const auto asked = app.get_subcommands();
    if (asked.empty()) return overview(commands, style);
    return help_of(**std::ranges::find(known, asked.back()->get_name(), &Command::last_word),
                   style);
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + '\n';
  } catch (const CLI::ParseError& problem) {
    // Report an unknown flag first, because the flag may cause other errors. For example, the
    // flag's value may have been read as a depth.
    const std::vector<std::string> extra = app.remaining(true);
    const auto flag = std::ranges::find_if(
        extra, [](const std::string& word) { return word.size() > 1 && word[0] == '-'; });
    if (flag != extra.end()) return unexpected(*flag, meant, commands);
    if (error) return *error;
    return extra.empty() ? usage_error(text_of(problem), name)
                         : unexpected(extra[0], meant, commands);
  }
  if (error) return *std::move(error);
  return call;
}

std::string named_as(std::string_view program, std::string text) {
  constexpr std::string_view kUsual = "perft ";
  if (program == "perft") return text;
  for (std::size_t at = 0; (at = text.find(kUsual, at)) != std::string::npos;) {
    const std::size_t before = text.find_last_not_of(' ', at == 0 ? 0 : at - 1);
    const bool begins_line = at == 0 || before == std::string::npos || text[before] == '\n';
    const bool begins_column = at > 1 && text.compare(at - 2, 2, "  ") == 0;
    const bool begins_command =
        begins_line || begins_column || text[at - 1] == '\'' || text[before] == '|';
    if (begins_command) text.replace(at, kUsual.size() - 1, program);
    at += begins_command ? program.size() : kUsual.size();
  }
  return text;
}

int fail(Io& io, const Error& error) {
  if (error.code == ErrorCode::kCancelled && io.unheard()) return kExitOk;
  const std::string line = error.code == ErrorCode::kCancelled
                               ? "interrupted"
                               : named_as(io.program, printable(error.to_string()));
  const char* const who = "perft:";
  io.err << painted(who, Colour::kRed, io.err_colours) << ' ' << line << '\n' << std::flush;
  return error.code == ErrorCode::kCancelled ? kExitInterrupted : kExitError;
}

int run_perft(Arguments arguments, Io& io, Commands commands) try {
  ParsedCommandLine parsed = parse_command_line(arguments, commands, help_style(io));
  if (const Error* error = std::get_if<Error>(&parsed)) return fail(io, *error);
  if (const std::string* text = std::get_if<std::string>(&parsed)) {
    io.out << *text;
    return kExitOk;
  }
  return std::get<Call>(parsed).run(io);
} catch (const std::bad_alloc&) {
  return fail(io, {ErrorCode::kUnavailable, "", 0, "out of memory"});
} catch (const std::exception& problem) {
  return fail(io, {ErrorCode::kInternal, "internal error", 0, problem.what()});
}

int typing_errors(std::string_view a, std::string_view b) {
  // A row belongs to a prefix of `a`. Its element j is the number of typing errors between this
  // prefix and the first j letters of `b`. The three rows belong to successive prefixes of `a`.
  std::array<std::vector<int>, 3> rows;
  for (std::vector<int>& row : rows) row.resize(b.size() + 1);
  auto& [before, last, row] = rows;
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> names) {
  constexpr std::size_t kTold = 3;  // minimum letters per typing error, and in a common prefix
  constexpr std::size_t kLongest = 100;
  if (word.size() > kLongest) return std::nullopt;
  const std::string* best = nullptr;
  int fewest = 0;
  std::size_t longest = 0;
  for (const std::string& name : names) {
    const int errors = typing_errors(word, name);
    const bool near = errors <= static_cast<int>(std::max(word.size(), name.size()) / kTold);
    if (near && (best == nullptr || errors < fewest)) {
      best = &name;
      fewest = errors;
    }
  }
  if (best != nullptr) return *best;
  for (const std::string& name : names) {
    const auto same =
        static_cast<std::size_t>(std::ranges::mismatch(word, name).in1 - word.begin());
    if (same >= kTold && same > longest) {
      best = &name;
      longest = same;
    }
  }
  return best != nullptr ? std::optional(*best) : std::nullopt;
}

}  // namespace manyply
