#include "tools/cli/framework/manual.h"

#include <algorithm>

#include "tools/cli/framework/flags.h"
#include "tools/cli/framework/help.h"

namespace manyply {
namespace {

constexpr int kColumns = 60;  // so that no line exceeds 80 columns after escaping

/// Escapes `text` for roff so that it is printed literally: quotes are kept, and hyphens of flags
/// can be copied into a shell.
std::string escaped(std::string_view text) {
  std::string roff;
  char before = ' ';
  for (const char c : text) {
    const bool in_word = before != ' ' && before != '-' && before != '\'' && before != '(' &&
                         before != '"' && before != ',';
    switch (c) {
      case '\\':
        roff += "\\e";
        break;
      case '\'':
        roff += "\\(aq";
        break;
      case '^':
        roff += "\\(ha";
        break;
      case '~':
        roff += "\\(ti";
        break;
      case '-':
        roff += in_word ? "-" : "\\-";
        break;
      default:
        roff += c;
    }
    before = c;
  }
  return roff.starts_with('.') ? "\\&" + roff : roff;
}

/// Collects lines of roff.
class Page {
 public:
  void line(const std::string& roff) { text_ += roff + '\n'; }
  void section(const std::string& name) { line(".SH " + name); }

  /// Adds paragraphs; lines that start with a space are kept as they are.
  void paragraphs(std::string_view text) {
    bool as_it_is = false;
    for (const std::string& row : lines_of(wrapped(body_of(text), kColumns))) {
      const bool indented = row.starts_with(' ');
      if (indented != as_it_is) line(indented ? ".RS 4\n.nf" : ".fi\n.RE");
      as_it_is = indented;
      constexpr std::size_t kMargin = 2;  // the page has its own margin
      line(row.empty() ? ".PP"
                       : escaped(row.substr(std::min(row.find_first_not_of(' '), kMargin))));
    }
    if (as_it_is) line(".fi\n.RE");
  }

  /// Adds an entry that explains `name` (bold) and `value`.
  void entry(std::string_view name, const char* value, std::string_view help) {
    const std::string what = value == nullptr ? "" : " \\fI" + escaped(value) + "\\fR";
    line(".TP\n\\fB" + escaped(name) + "\\fR" + what);
    paragraphs(help);
  }

  void examples(const std::vector<std::string>& rows) {
    if (rows.empty()) return;
    line(rows.size() == 1 ? ".PP\nExample:\n.PP\n.RS 4\n.nf" : ".PP\nExamples:\n.PP\n.RS 4\n.nf");
    for (const std::string& row : rows) line(escaped(row));
    line(".fi\n.RE");
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void describe(const Command& command, Page& page) {
  page.line(".SS perft " + escaped(usage_of(command)));
  page.paragraphs(std::string(command.summary) + '.');
  if (*command.about != '\0') {
    page.line(".PP");
    page.paragraphs(command.about);
  }
  for (const bool flags : {false, true}) {
    for (const Argument& argument : command.arguments) {
      if (argument.is_flag() != flags) continue;
      page.entry(argument.name, flags ? argument.value : nullptr, with_names(argument.help));
    }
  }
  page.examples(lines_of(command.examples));
}

struct ManualOptions {
  const std::vector<Command>* commands = nullptr;
  std::string date;
};

int run_manual(const ManualOptions& options, Io& io) {
  io.out << manual(*options.commands, options.date);
  return kExitOk;
}

constexpr Flag<ManualOptions> kDate{"DATE", "", "date of the page, such as 2025-11-22",
                                    [](ManualOptions& options, const std::string& text) {
                                      return options.date = text, accepted();
                                    }};

}  // namespace

std::string manual(std::span<const Command> commands, std::string_view date) {
  Page page;
  page.line(".\\\" Made of the commands' own words by: perft manual DATE");
  page.line(".TH PERFT 1 " + std::string(date) +
            " \"Manyply " MANYPLY_VERSION "\" \"User Commands\"");
  page.section("NAME");
  page.line("perft \\- count legal chess move sequences, exactly and on all cores");
  page.section("SYNOPSIS");
  page.line(".B perft\n.I COMMAND\n.RI [ OPTIONS ]");
  page.section("DESCRIPTION");
  page.paragraphs(
      "perft(N) is the number of legal move sequences of N half-moves from a chess position. "
      "Authors of move generators compare it with known values. Data goes to standard output, "
      "everything else to standard error. 'perft help COMMAND' and 'perft help TOPIC' print parts "
      "of this page; topics are the sections after the commands.");
  page.section("OPTIONS");
  for (const auto& [name, help] : {kHelpFlag, kVersionFlag}) page.entry(name, nullptr, help);
  page.section("COMMANDS");
  for (const Command* const command : listed_with_parts(commands)) describe(*command, page);
  for (const Topic& topic : topics()) {
    page.section('"' + std::string(topic.section) + '"');
    page.paragraphs(with_names(topic.text));
  }
  page.section("ENVIRONMENT");
  page.entry("NO_COLOR", nullptr,
             "if set and not empty, output has no colours. Output that is not a terminal never has "
             "colours");
  return page.text();
}

Command manual_command(const std::vector<Command>& all) {
  return make_command<ManualOptions>(
      {.name = "manual", .summary = "Print the manual page perft(1), in roff", .hidden = true},
      {kDate}, run_manual, ManualOptions{&all, {}});
}

}  // namespace manyply
