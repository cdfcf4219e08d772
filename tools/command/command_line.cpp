#include "tools/command/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <vector>

#include "tools/command/flags.h"
#include "tools/command/help.h"
#include "tools/command/printable.h"

namespace manyply {
namespace {

using Arguments = std::span<const std::string>;
using Commands = std::span<const Command>;

/// The command that `name` was probably meant to be: same beginning, or one letter off.
std::string suggestion(Commands commands, std::string_view name) {
  if (Depth::parse(name).ok()) return "; did you mean 'perft count " + std::string(name) + "'?";
  for (const Command& command : commands) {
    if (command.missing != nullptr) continue;
    const std::string_view other = command.name;
    const auto [a, b] = std::ranges::mismatch(name, other);
    const auto same = static_cast<std::size_t>(a - name.begin());
    const std::string_view rest_a = name.substr(same);
    const std::string_view rest_b = other.substr(same);
    const bool one_off =
        (!rest_a.empty() && rest_a.substr(1) == rest_b) ||
        (!rest_b.empty() && rest_a == rest_b.substr(1)) ||
        (!rest_a.empty() && !rest_b.empty() && rest_a.substr(1) == rest_b.substr(1));
    if (one_off || same >= 3) return "; did you mean '" + std::string(other) + "'?";
  }
  return "; 'perft --help' lists the commands";
}

Error unknown_command(Commands commands, const std::string& name) {
  return bad_input("", "unknown command '" + name + "'" + suggestion(commands, name));
}

bool has_space(std::string_view text) { return text.find(' ') != std::string_view::npos; }

/// A FEN that the shell took apart because its quotes were forgotten.
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
    return bad_input("FEN", "put it in quotes: \"" + fen + "\"");
  }
  return std::nullopt;
}

/// Declares the argument `index` of `command` to CLI11; what it is given goes to `call`, its first
/// complaint to `error`.
void declare(CLI::App& app, const Command& command, std::size_t index, Call& call,
             std::optional<Error>& error) {
  const Argument& argument = command.arguments[index];
  const auto take = [&call, &error, index](const std::string& text) {
    if (auto complaint = call.take(index, text); complaint && !error) error = std::move(complaint);
  };
  const std::string name = argument.name;
  if (!argument.is_flag() && argument.value == nullptr) {  // any number of them
    app.add_option_function<std::vector<std::string>>(
        name,
        [take](const std::vector<std::string>& texts) { std::ranges::for_each(texts, take); });
  } else if (!argument.is_flag()) {
    app.add_option_function<std::string>(name, take)->required();
  } else if (argument.value == nullptr) {
    app.add_flag_callback(name, [take] { take({}); });
  } else {
    app.add_option_function<std::string>(name, take)
        ->type_name(argument.value)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
}

Error usage_error(const std::string& message, const std::string& command) {
  const std::string help = command.empty() ? "--help" : command + " --help";
  return bad_input("", message.substr(0, message.find('\n')) + "; 'perft " + help + "' shows how");
}

Error unexpected(const std::string& word, const std::string& command) {
  const bool position =
      word == "startpos" || word == "kiwipete" || std::ranges::count(word, '/') == 7;
  if (position)
    return bad_input("", "'" + word + "' is not expected here; a position goes after --fen");
  return usage_error("'" + word + "' is not expected here", command);
}

}  // namespace

const Command* find_command(Commands commands, std::string_view name) {
  const auto found = std::ranges::find(commands, name, &Command::name);
  return found == commands.end() ? nullptr : &*found;
}

ParsedCommandLine parse_command_line(Arguments arguments, Commands commands) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  if (!words.empty() && words[0] == "help") {  // `help count` is `count --help`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (words.empty()) return usage_error("no command given", "");
  const Command* const meant = find_command(commands, words[0]);
  if (words[0][0] != '-' && meant == nullptr) return unknown_command(commands, words[0]);
  if (meant != nullptr && meant->missing != nullptr)
    return bad_input("", "'" + words[0] + "' is missing: " + meant->missing);
  if (auto error = unquoted_fen(words)) return *std::move(error);

  std::unique_ptr<Call> call;  // of the command that is given
  std::optional<Error> error;
  std::vector<std::unique_ptr<Call>> calls;
  CLI::App app("", "perft");
  app.set_help_flag("-h,--help");
  app.set_version_flag("-V,--version", "perft (Manyply) " MANYPLY_VERSION);
  app.require_subcommand(1);
  for (const Command& command : commands) {
    if (command.missing != nullptr) continue;
    CLI::App& sub = *app.add_subcommand(command.name);
    const std::size_t place = calls.size();
    calls.push_back(command.call());
    for (std::size_t i = 0; i < command.arguments.size(); ++i)
      declare(sub, command, i, *calls.back(), error);
    sub.callback([&call, &calls, place] { call = std::move(calls[place]); });
  }

  const std::string name = meant != nullptr ? words[0] : "";
  try {
    std::ranges::reverse(words);  // the order CLI11 takes a vector in
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    const auto asked = app.get_subcommands();
    return asked.empty() ? overview(commands)
                         : help_of(*find_command(commands, asked.back()->get_name()));
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + '\n';
  } catch (const CLI::ExtrasError& problem) {
    if (error) return *error;
    const std::vector<std::string> extra = app.remaining(true);
    return extra.empty() ? usage_error(problem.what(), name) : unexpected(extra[0], name);
  } catch (const CLI::ParseError& problem) {
    if (error) return *error;
    return usage_error(problem.what(), name);
  }
  if (error) return *std::move(error);
  return call;
}

int fail(Io& io, const Error& error) {
  if (error.code == ErrorCode::kCancelled && io.unheard()) return kExitOk;
  const std::string line =
      error.code == ErrorCode::kCancelled ? "interrupted" : printable(error.to_string());
  io.err << "perft: " << line << '\n' << std::flush;
  return error.code == ErrorCode::kCancelled ? kExitInterrupted : kExitError;
}

int run_perft(Arguments arguments, Io& io, Commands commands) try {
  ParsedCommandLine parsed = parse_command_line(arguments, commands);
  if (const Error* error = std::get_if<Error>(&parsed)) return fail(io, *error);
  if (const std::string* text = std::get_if<std::string>(&parsed)) {
    io.out << *text;
    return kExitOk;
  }
  return std::get<std::unique_ptr<Call>>(parsed)->run(io);
} catch (const std::bad_alloc&) {
  return fail(io, {ErrorCode::kUnavailable, "", 0, "out of memory"});
} catch (const std::exception& problem) {
  return fail(io, {ErrorCode::kInternal, "internal error", 0, problem.what()});
}

}  // namespace manyply
