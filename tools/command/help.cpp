#include "tools/command/help.h"

#include <algorithm>

#include "core/kernel.h"

namespace manyply {
namespace {

constexpr int kNameColumns = 22;  // of what is explained

/// "  --threads N         worker threads", or the explanation below a name that leaves it no room.
std::string row(const std::string& name, std::string_view explanation, int columns) {
  std::string text = "  " + name;
  const std::string margin(kNameColumns, ' ');
  text += text.size() < margin.size() ? margin.substr(text.size()) : '\n' + margin;
  return text + wrapped(explanation, columns, kNameColumns);
}

/// With the kernels that this program was built with, where they are to be named.
std::string explanation_of(const Argument& argument) {
  constexpr std::string_view kPlace = "KERNELS";
  std::string text = argument.help;
  if (const std::size_t at = text.find(kPlace); at != std::string::npos) {
    std::string names = "auto";
    for (const Kernel& kernel : all_kernels()) names += ", " + std::string(kernel.name);
    text.replace(at, kPlace.size(), names);
  }
  return text;
}

std::string usage_of(const Command& command) {
  std::string text = "Usage: perft " + std::string(command.name) + " [OPTIONS]";
  for (const Argument& argument : command.arguments) {
    if (argument.is_flag()) continue;
    const std::string name = argument.name;
    text += argument.value != nullptr ? " " + name : " [" + name + "...]";
  }
  return text + '\n';
}

/// Raw strings begin on a line of their own.
std::string_view body_of(std::string_view raw) {
  if (raw.starts_with('\n')) raw.remove_prefix(1);
  return raw;
}

constexpr const char* kHelpFlag = "-h,--help";
constexpr const char* kThisHelp = "this help";

}  // namespace

std::string overview(std::span<const Command> commands, int columns) {
  std::string text =
      "Counts chess move paths (perft), exactly and on every core.\n"
      "Usage: perft [OPTIONS] COMMAND\n\nOptions:\n" +
      row(kHelpFlag, kThisHelp, columns) + row("-V,--version", "the version", columns) +
      "\nCommands:\n";
  for (const Command& command : commands) {
    if (command.missing == nullptr) text += row(command.name, command.summary, columns);
  }
  return text + "\n'perft COMMAND --help' tells more about a command.\n";
}

std::string help_of(const Command& command, int columns) {
  std::string positional;
  std::string flags;
  for (const Argument& argument : command.arguments) {
    std::string name = argument.name;
    if (argument.is_flag()) {
      if (argument.value != nullptr) name += ' ' + std::string(argument.value);
      flags += row(name, explanation_of(argument), columns);
    } else {
      if (argument.value == nullptr) name += " ...";
      positional += row(name, explanation_of(argument), columns);
    }
  }
  std::string text = wrapped(command.summary, columns) + usage_of(command);
  if (!positional.empty()) text += "\nArguments:\n" + positional;
  text += "\nOptions:\n" + row(kHelpFlag, kThisHelp, columns) + flags + '\n' +
          wrapped(body_of(command.about), columns);
  const std::string_view examples = body_of(command.examples);
  if (examples.empty()) return text;
  text += examples.find('\n') == std::string_view::npos ? "\nExample:\n" : "\nExamples:\n";
  for (std::size_t at = 0; at < examples.size();) {
    const std::size_t end = std::min(examples.find('\n', at), examples.size());
    text += "  " + std::string(examples.substr(at, end - at)) + '\n';
    at = end + 1;
  }
  return text;
}

std::string wrapped(std::string_view text, int columns, int indent) {
  const auto room = static_cast<std::size_t>(std::max(1, columns));
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string result;
  std::size_t used = margin.size();  // of the line that is being filled
  bool filling = false;              // whether that has a word yet
  const auto end_line = [&] {
    if (filling) result += '\n' + margin;
    filling = false;
    used = margin.size();
  };
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line.front() == ' ') {
      end_line();
      result += std::string(line) + '\n';
      continue;
    }
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      const std::string_view word = line.substr(at, end - at);
      if (filling && used + 1 + word.size() > room) end_line();
      result += (filling ? " " : "") + std::string(word);
      used += (filling ? 1 : 0) + word.size();
      filling = true;
      at = std::min(line.find_first_not_of(' ', end), line.size());
    }
  }
  if (filling) result += '\n';
  return result;
}

}  // namespace manyply
