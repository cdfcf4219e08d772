#include "tools/cli/framework/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text_span.h"
#include "core/kernel.h"
#include "core/position_names.h"
#include "tools/cli/framework/colour.h"

namespace manyply {
namespace {

constexpr std::size_t kNameColumns = 22;  // width of the names' column

std::string paragraph(std::string_view text, const HelpStyle& style, int indent = 0) {
  return wrapped(named_as(style.program, std::string(text)), style.columns, indent);
}

/// Returns "  --threads N         worker threads". The explanation goes below a name that is too
/// long.
std::string row(std::string_view name, std::string_view explanation, const HelpStyle& style) {
  const std::string margin(kNameColumns, ' ');
  const std::size_t used = 2 + name.size();
  return "  " + painted(name, Colour::kBold, style.colours) +
         (used < margin.size() ? margin.substr(used) : '\n' + margin) +
         paragraph(explanation, style, static_cast<int>(kNameColumns));
}

std::string heading(std::string_view text, const HelpStyle& style) {
  return '\n' + painted(text, Colour::kBold, style.colours) + '\n';
}

std::string usage_line(const std::string& usage, const HelpStyle& style) {
  return painted("Usage:", Colour::kBold, style.colours) + ' ' + style.program + ' ' + usage + '\n';
}

std::string rows_of(std::span<const Command> commands, const HelpStyle& style) {
  std::string rows = heading("Commands:", style);
  for (const Command& command : commands) {
    if (command.is_listed()) rows += row(command.last_word(), command.summary, style);
  }
  return rows;
}

/// Lists the commands that this build lacks, and why.
std::string missing_of(std::span<const Command> commands, const HelpStyle& style) {
  std::string names;
  const char* why = nullptr;
  for (const Command& command : commands) {
    if (command.missing == nullptr) continue;
    names += (names.empty() ? "" : ", ") + std::string(command.name);
    why = command.missing;
  }
  if (why == nullptr) return "";
  return heading("Missing:", style) + "  " + paragraph(names + ": " + why, style, 2);
}

}  // namespace

std::vector<const Command*> listed_with_parts(std::span<const Command> commands) {
  std::vector<const Command*> listed;
  for (const Command& command : commands) {
    if (!command.is_listed()) continue;
    listed.push_back(&command);
    for (const Command& part : command.parts) listed.push_back(&part);
  }
  return listed;
}

HelpStyle help_style(const Io& io) {
  constexpr int kNarrowest = 40;
  constexpr int kWidest = 100;  // longer lines are hard to read
  HelpStyle style;
  if (io.out_columns > 0) style.columns = std::clamp(io.out_columns, kNarrowest, kWidest);
  style.colours = io.out_colours;
  style.program = io.program;
  return style;
}

std::string usage_of(const Command& command) {
  std::string text = command.name;
  if (!command.parts.empty()) text += " COMMAND";
  text += " [OPTIONS]";
  for (const Argument& argument : command.arguments) {
    if (argument.is_flag()) continue;
    const std::string name = argument.name;
    const bool may_miss = argument.value != nullptr && *argument.value == '?';
    text += argument.value == nullptr ? " [" + name + "...]"
            : may_miss                ? " [" + name + "]"
                                      : " " + name;
  }
  return text;
}

std::vector<std::string> flags_of(const Command& command) {
  std::vector<std::string> flags;
  for (const Argument& argument : command.arguments) {
    if (argument.is_flag()) flags.emplace_back(argument.name);
  }
  return flags;
}

std::string with_names(std::string text) {
  for (const auto& [place, kind] :
       {std::pair("KERNELS", ValueKind::kKernel), std::pair("POSITIONS", ValueKind::kPosition)}) {
    const std::size_t at = text.find(place);
    if (at != std::string::npos)
      text.replace(at, std::string_view(place).size(),
                   fmt::format("{}", fmt::join(words_of({kind}), ", ")));
  }
  return text;
}

std::vector<std::string> words_of(const Values& values) {
  std::vector<std::string> words(values.words.begin(), values.words.end());
  if (values.kind == ValueKind::kKernel) {
    words.emplace_back("auto");
    for (const Kernel& kernel : all_kernels()) words.emplace_back(kernel.name);
  } else if (values.kind == ValueKind::kPosition) {
    for (const PositionName& position : position_names()) words.emplace_back(position.name);
  }
  return words;
}

std::string_view body_of(std::string_view raw) {
  if (raw.starts_with('\n')) raw.remove_prefix(1);
  return raw;
}

std::vector<std::string> lines_of(std::string_view raw) {
  std::vector<std::string> lines;
  for (std::string_view rest = body_of(raw); !rest.empty();) lines.emplace_back(cut_line(rest));
  return lines;
}

std::string overview(std::span<const Command> commands, const HelpStyle& style) {
  std::string text =
      paragraph(
          "Counts the legal move sequences of a chess position (perft), exactly and on all cores.",
          style) +
      usage_line("[OPTIONS] COMMAND", style) + heading("Options:", style) +
      row(kHelpFlag.name, kHelpFlag.help, style) +
      row(kVersionFlag.name, kVersionFlag.help, style) + rows_of(commands, style) +
      missing_of(commands, style) + heading("Topics:", style);
  for (const Topic& topic : topics()) text += row(topic.name, topic.summary, style);
  return text + '\n' +
         paragraph("'perft COMMAND --help' describes a command, 'perft help TOPIC' a topic.",
                   style);
}

std::string help_of(const Topic& topic, const HelpStyle& style) {
  return paragraph(topic.summary, style) + '\n' +
         paragraph(with_names(std::string(body_of(topic.text))), style);
}

std::string help_of(const Command& command, const HelpStyle& style) {
  std::string positional;
  std::string flags;
  for (const Argument& argument : command.arguments) {
    std::string name = argument.name;
    if (argument.is_flag()) {
      if (!argument.is_switch()) name += ' ' + std::string(argument.value);
      flags += row(name, with_names(argument.help), style);
    } else {
      if (argument.value == nullptr) name += " ...";
      positional += row(name, with_names(argument.help), style);
    }
  }
  std::string text = paragraph(command.summary, style) + usage_line(usage_of(command), style);
  if (!command.parts.empty()) text += rows_of(command.parts, style);
  if (!positional.empty()) text += heading("Arguments:", style) + positional;
  text += heading("Options:", style) + row(kHelpFlag.name, kHelpFlag.help, style) + flags;
  if (*command.about != '\0') text += '\n' + paragraph(body_of(command.about), style);
  const std::vector<std::string> examples = lines_of(command.examples);
  if (examples.empty()) return text;
  text += heading(examples.size() == 1 ? "Example:" : "Examples:", style);
  for (const std::string& example : examples)
    text += "  " + named_as(style.program, example) + '\n';
  return text;
}

std::string wrapped(std::string_view text, int columns, int indent) {
  const auto room = static_cast<std::size_t>(std::max(1, columns));
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string result;
  std::size_t used = margin.size();  // columns of the current line
  bool filling = false;              // whether the current line has a word
  const auto end_line = [&] {
    if (filling) result += '\n' + margin;
    filling = false;
    used = margin.size();
  };
  while (!text.empty()) {
    const std::string_view line = cut_line(text);
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
