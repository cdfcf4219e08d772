#include <fmt/format.h>

#include <array>
#include <string_view>

#include "tools/cli/framework/help.h"
#include "tools/cli/framework/shared_flags.h"

namespace manyply {
namespace {

constexpr std::string_view kHead = "completion for perft, made by: perft completion ";

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

/// Puts text in single quotes of a shell. `quote` replaces each quote inside the text.
std::string quoted(std::string_view text, std::string_view quote) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += quote;
    } else {
      result += c;
    }
  }
  return result + '\'';
}

/// Puts a backslash before each character of `special` in `text`.
std::string guarded(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// Returns the words that may be typed where one of `commands` is expected.
std::vector<std::string> words_for(std::span<const Command> commands) {
  std::vector<std::string> words;
  for (const Command& command : commands) {
    if (command.is_listed()) words.emplace_back(command.last_word());
  }
  return words;
}

std::string topic_words() {
  std::vector<std::string> words;
  for (const Topic& topic : topics()) words.emplace_back(topic.name);
  return joined(words);
}

/// Returns the words that need a second word to be a command: "help", "campaign".
std::vector<std::string> unfinished(std::span<const Command> commands) {
  std::vector<std::string> names{"help"};
  for (const Command& command : commands) {
    if (!command.parts.empty()) names.emplace_back(command.name);
  }
  return names;
}

// ---------------------------------------------------------------- bash

/// Returns the bash code that offers `values`.
std::string bash_offer(const Values& values) {
  std::string words;
  const std::vector<std::string> all = words_of(values);
  if (!all.empty()) words = " -W '" + joined(all) + "'";
  switch (values.kind) {
    case ValueKind::kFile:
      return "_perft_offer -f" + words;
    case ValueKind::kFolder:
      return "_perft_offer -d" + words;
    case ValueKind::kProgram:
      return "_perft_offer -c -f" + words;
    default:
      return words.empty() ? ":" : "_perft_offer" + words;
  }
}

std::string bash_case(const Command& command) {
  const std::string name = command.name;
  if (!command.parts.empty()) {
    return fmt::format("    {0} | 'help {0}') _perft_offer -W '{1} --help' ;;\n", name,
                       joined(words_for(command.parts)));
  }
  std::string text = "    '" + name + "')\n      case $flag in\n";
  std::string positional;
  for (const Argument& argument : command.arguments) {
    if (argument.is_switch()) continue;
    const std::string offer = bash_offer(argument.values);
    if (argument.is_flag()) {
      text += "        " + std::string(argument.name) + ") " + offer + "; return ;;\n";
    } else if (offer != ":") {
      positional += "      " + offer + '\n';
    }
  }
  text += "      esac\n      if [[ $cur == -* ]]; then\n        _perft_offer -W '" +
          joined(flags_of(command)) + " --help'\n        return\n      fi\n";
  return text + positional + "      ;;\n";
}

// ---------------------------------------------------------------- zsh

std::string zsh_action(const Values& values) {
  const std::vector<std::string> words = words_of(values);
  std::string list = "(" + joined(words) + ")";
  switch (values.kind) {
    case ValueKind::kFile:
      return words.empty() ? "_files" : "_alternative 'files::_files' 'names::" + list + "'";
    case ValueKind::kFolder:
      return "_files -/";
    case ValueKind::kProgram:
      return "_cmdstring";
    default:
      // If there are no words, the list is "()". zsh then offers nothing for this argument. Any
      // other action would make zsh suppress its other offers, too.
      return list;
  }
}

/// Returns a description in the format of _arguments: `[description]`.
std::string zsh_what(std::string_view help) { return "[" + guarded(help, "[]:\\") + "]"; }

std::string zsh_quoted(const std::string& text) { return quoted(text, "'\\''"); }

/// Returns rows in the format of `_describe`.
std::string zsh_names(std::span<const Command> commands) {
  std::string names;
  for (const Command& command : commands) {
    if (!command.is_listed()) continue;
    names += "        " +
             zsh_quoted(guarded(command.last_word(), ":") + ":" + guarded(command.summary, "\\")) +
             '\n';
  }
  return names;
}

std::string zsh_case(const Command& command) {
  const std::string name = command.name;
  if (!command.parts.empty()) {
    return fmt::format(
        "        {0} | 'help {0}')\n          commands=(\n{1}          )\n"
        "          _describe -t commands command commands\n          ;;\n",
        name, zsh_names(command.parts));
  }
  std::string text = "        '" + name + "')\n          _arguments \\\n" +
                     "            '(- *)'{-h,--help}" + zsh_quoted(zsh_what(kHelpFlag.help));
  int place = 0;
  for (const Argument& argument : command.arguments) {
    const std::string name = argument.name;
    const std::string action =
        guarded(argument.value != nullptr && argument.is_flag() ? argument.value : name, ":") +
        ":" + zsh_action(argument.values);
    std::string spec;
    if (argument.is_switch()) {
      spec = name + zsh_what(with_names(argument.help));
    } else if (argument.is_flag()) {
      spec = fmt::format("{}={}:{}", name, zsh_what(with_names(argument.help)), action);
    } else {
      const bool may_miss = argument.value != nullptr && *argument.value == '?';
      spec = (argument.value == nullptr ? "*" : std::to_string(++place)) + (may_miss ? "::" : ":") +
             action;
    }
    text += " \\\n            " + zsh_quoted(spec);
  }
  return text + "\n          ;;\n";
}

// ---------------------------------------------------------------- fish

std::string fish_quoted(std::string_view text) { return quoted(guarded(text, "\\"), "\\'"); }

std::string fish_offer(const Values& values) {
  const std::vector<std::string> words = words_of(values);
  const std::string list = words.empty() ? "" : " -a " + fish_quoted(joined(words));
  switch (values.kind) {
    case ValueKind::kFile:
      return " -F" + list;
    case ValueKind::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kProgram:
      return " -x -a '(__fish_complete_command)'";
    default:
      return " -x" + list;
  }
}

std::string fish_rows(const Command& command) {
  const std::string of_it = fmt::format("complete -c perft -n \"__perft_is {}{}\"", command.name,
                                        command.parts.empty() ? "" : " ''");
  std::string text = of_it + " -s h -l help -d " + fish_quoted(kHelpFlag.help) + '\n';
  for (const Argument& argument : command.arguments) {
    if (argument.is_flag()) {
      text += of_it + " -l " + std::string(argument.name).substr(2) +
              (argument.is_switch() ? "" : " -r" + fish_offer(argument.values)) + " -d " +
              fish_quoted(with_names(argument.help)) + '\n';
    } else if (!words_of(argument.values).empty() || argument.values.kind == ValueKind::kFile) {
      text += of_it + fish_offer(argument.values) + '\n';
    }
  }
  return text;
}

// ---------------------------------------------------------------- the scripts

std::string bash_completion(std::span<const Command> commands) {
  std::string text = "# bash " + std::string(kHead) + R"(bash
_perft_offer() {
  local IFS=$'\n' at
  # The words after -W are separated by spaces, but compgen splits at line ends (IFS).
  local -a how=("$@")
  for at in "${!how[@]}"; do [[ ${how[at]} == -W ]] && how[at + 1]=${how[at + 1]// /$'\n'}; done
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "${how[@]}" -- "$cur")
  [[ ${how[0]} != -W ]] && compopt -o filenames 2>/dev/null
}
_perft() {
  # bash splits words before and after =.
  local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  if [[ $cur == = ]]; then
    cur=
  elif [[ $flag == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD == 1)); then
    command=
  fi
  case $command in
)";
  const std::string names = joined(words_for(commands));
  text += fmt::format(
      R"(    {}) ((COMP_CWORD > 2)) && command+=" ${{COMP_WORDS[2]}}" ;;
  esac
  case $command in
    '') _perft_offer -W '{} help --help --version' ;;
    help) _perft_offer -W '{} {}' ;;
)",
      fmt::join(unfinished(commands), " | "), names, names, topic_words());
  for (const Command* const command : listed_with_parts(commands)) text += bash_case(*command);
  return text + "  esac\n}\ncomplete -F _perft perft\n";
}

std::string zsh_completion(std::span<const Command> commands) {
  std::string text = "#compdef perft\n# zsh " + std::string(kHead) + R"(zsh
_perft() {
  local curcontext=$curcontext state line ret=1
  local -a commands
  _arguments -C '(- *)'{-h,--help}'[this help]' '(- *)'{-V,--version}'[the version]' \
    '1: :->command' '*:: :->argument' && return
  case $state in
    command | argument)
      commands=(
)" + zsh_names(commands) +
                     R"(      )
      ;|
    command)
      commands+=('help:Show the help of a command')
      _describe -t commands command commands && ret=0
      ;;
    argument)
      if [[ $words[1] == ()" +
                     fmt::format("{}", fmt::join(unfinished(commands), "|")) +
                     R"() && CURRENT -gt 2 ]]; then
        words=("$words[1] $words[2]" "${(@)words[3,-1]}")
        (( CURRENT -= 1 ))
      fi
      curcontext=${curcontext%:*:*}:perft-${words[1]// /-}:
      case $words[1] in
        help)
          _describe -t commands command commands
          compadd )" +
                     topic_words() +
                     R"(
          ;;
)";
  for (const Command* const command : listed_with_parts(commands)) text += zsh_case(*command);
  return text + R"(      esac && ret=0
      ;;
  esac
  return ret
}
if [[ $funcstack[1] == _perft ]]; then
  _perft "$@"
else
  compdef _perft perft
fi
)";
}

std::string fish_completion(std::span<const Command> commands) {
  std::string text = "# fish " + std::string(kHead) + R"(fish
# Succeeds if the typed words, except flags, begin with the arguments. An empty argument means that
# no further word has been typed.
function __perft_is
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        string match -q -- '-*' $word; and continue
        test "$word" = "$argv[1]"
        or return
        set -e argv[1]
        set -q argv[1]
        or return 0
    end
    test -z "$argv[1]"
end
complete -c perft -f
complete -c perft -n __perft_is -s h -l help -d 'this help'
complete -c perft -n __perft_is -s V -l version -d 'the version'
complete -c perft -n __perft_is -a help -d 'Show the help of a command'
)";
  for (const Topic& topic : topics()) {
    text += fmt::format("complete -c perft -n \"__perft_is help ''\" -a {} -d {}\n", topic.name,
                        fish_quoted(topic.summary));
  }
  for (const Command* const command : listed_with_parts(commands)) {
    const std::string_view name = command->name;
    const std::string_view before = name.substr(0, name.size() - command->last_word().size());
    for (const char* const help : {"", "help "}) {
      text += fmt::format("complete -c perft -n \"__perft_is {}{}''\" -a {} -d {}\n", help, before,
                          command->last_word(), fish_quoted(command->summary));
    }
    text += fish_rows(*command);
  }
  return text;
}

// ---------------------------------------------------------------- the command

struct CompletionOptions {
  const std::vector<Command>* commands = nullptr;
  std::string (*script)(std::span<const Command>) = nullptr;
};

constexpr std::array kShells{
    Choice<std::string (*)(std::span<const Command>)>{"bash", bash_completion},
    Choice<std::string (*)(std::span<const Command>)>{"zsh", zsh_completion},
    Choice<std::string (*)(std::span<const Command>)>{"fish", fish_completion}};

constexpr Flag<CompletionOptions> kShell{"SHELL", "", "bash, zsh or fish",
                                         [](CompletionOptions& options, const std::string& text) {
                                           return store(choose(kShells, text), options.script,
                                                        "shell");
                                         },
                                         names_of<kShells>()};

int run_completion(const CompletionOptions& options, Io& io) {
  io.out << options.script(*options.commands);
  return kExitOk;
}

}  // namespace

Command completion_command(const std::vector<Command>& all) {
  return make_command<CompletionOptions>(
      {.name = "completion",
       .summary = "Print a shell completion script for perft's commands and flags",
       .about = R"(
For the current shell: source <(perft completion bash), source <(perft completion zsh), or perft
completion fish | source. For all future shells: put the script into the shell's completion folder,
as the installation does; the file must be named perft for bash, _perft for zsh, perft.fish for
fish.)",
       .examples = R"(
perft completion bash > ~/.local/share/bash-completion/completions/perft
perft completion zsh > ~/.zfunc/_perft    # a folder in fpath
perft completion fish > ~/.config/fish/completions/perft.fish)"},
      {kShell}, run_completion, CompletionOptions{&all, nullptr});
}

}  // namespace manyply
