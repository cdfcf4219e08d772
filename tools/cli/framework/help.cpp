#include "tools/cli/framework/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/text.h"
#include "core/kernel.h"
#include "core/position_text.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/framework/shared_flags.h"

namespace manyply {
namespace {

constexpr std::size_t kNameColumns = 22;  // width of the column of names

std::string paragraph(std::string_view text, const HelpStyle& style, int indent = 0) {
  return wrapped(named_as(style.program, std::string(text)), style.columns, indent);
}

/// Returns "  --threads N         worker threads". If the name is too long, the explanation starts
/// on the next line.
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

/// Lists the commands that are missing in this build, and the reason, which is the same for all.
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

namespace {

constexpr const char* kPositionsText = R"(
A position is a FEN of 4 to 6 fields in quotes, or a name: POSITIONS. Give it with --fen, or as an
argument: perft count 5 kiwipete. Other forms that users copy are accepted, too:

  position fen FEN moves e2e4       also: startpos e2e4
  a UCI log                         its last position is used
  a line of EPD
  "FEN"  FEN;  fen = "FEN";         in quotes or backticks; source code, JSON
  a FEN with underscores instead of spaces
  a FEN that ends early             means White to move, no castling
  an address of Lichess or Chess.com
  a game in PGN                     its last position, without variations
  [FEN "..."]                       the position of this FEN
  1. e4 e5                          the position after these moves

A position of a variant with other rules is refused, and the error names the variant. The output
names the position that was counted.

Castling rights may be written as KQkq, X-FEN or Shredder-FEN. If the rights can only occur in
Chess960, the output says so, and castling moves are written as king takes rook (e1h1). --chess960
selects that notation for every position.

An impossible position is refused: a king that could be captured, a castling right without its rook,
an en passant square that no pawn has passed. The error names the field and its column. Positions
that no game can reach are counted if neither side has more than 16 pieces. Stockfish counts some of
these positions wrong, such as a check together with an unrelated en passant square.

Moves are written in UCI, "e2e4 e7e5", or in algebraic notation, "1. e4 e5 2. Nf3".

Numbers may be written as 1000000, 1_000_000, 1e6 or 1M, and sizes as 512M, 512MiB or 1.5G. A size
without a unit is in MiB, as in UCI. The size off means no table.)";

constexpr const char* kMethodsText = R"(
count has two methods; the output names the one that was used. The hashed method searches the tree
and looks up positions in a transposition table. The method by configurations stores, in a matrix,
the number of paths to each pair of a White and a Black piece placement. It makes a move of one side
for all placements of the other side at once. This method is usually faster. It compares whole
placements instead of keys, so false matches are impossible.

By default, count uses configurations from depth 5 on. With a flag about the table, or with a divide
and --checkpoint, it uses the hashed method. --memory 8G limits the memory of a count by
configurations; the default is about half of the free memory. If the matrices do not fit, the total
is counted in parts, one after the other; perft prints the least number of parts, the memory and the
expected time before it starts. --parts N sets the number of parts. If the matrices of a divide do
not fit, each root move is counted separately, in parts if necessary. --device gpu counts the last
two plies on a GPU by OpenCL. This is experimental: its counts are exact in tests, which run on a
processor, but it has never run on a GPU.

The hashed method uses a table from depth 5 on. By default, the table is as large as the count can
use, at most half of the free memory. --hash 4G sets the size, and --hash off counts without a
table. The count does not depend on kernel or number of threads. A position is identified by a key
of 128 random bits. Each result says how many key bits a match compares, and how many false matches
are expected: about 4e-16 for perft(9). --key-seed selects other keys. --key-bits 24 makes weak
keys, to demonstrate that verify finds false matches: verify searches for the smallest subtree that
differs, and names the cause.

--checkpoint FILE stores finished parts of a count by configurations, or subtrees of a hashed count.
If the command is killed, run it again: it continues from the stored results, even with another
kernel, another number of threads or less memory. If the end of the file is damaged, the subtrees or
parts stored there are counted again. A file of another count is refused.

On machines with several memory nodes, --interleave spreads the table over them, and --pin keeps
each thread on its core.)";

constexpr const char* kFormatsText = R"(
text is for reading. json is one object per count; counts are decimal strings, because JavaScript
loses digits above 2^53. csv has the header move,nodes, a row for each root move, and a total.
stockfish is byte for byte the output of 'go perft' in Stockfish 15.1, with its order of moves; the
other formats sort root moves by their text.

leaves/s is the number of paths counted per second, the figure that other programs publish.
visited/s measures the work: it is the number of positions per second whose moves were generated or
counted. Leaves, and positions whose count was in a table, are not included.

'known' is match, mismatch or unknown. Each total is compared with published values, which exist for
the start position to depth 15 and for well-known test positions.

Data goes to standard output, everything else to standard error. If standard error is a terminal, a
line shows the current phase, then rate, share and remaining time. With --progress json, JSON lines
are written instead; with --progress never, nothing. If the reader of a pipe goes away, the command
ends without an error message. If standard output is closed from the start, that is an error.)";

constexpr const char* kExitCodesText = R"(
  0    success; all comparisons agree
  1    a count differs from a published value, a suite, check's VALUE, the
       signature, a second count (verify) or an engine's count; or a check
       of keys found a fault
  2    usage, input or run-time error, reported in one line with the field and
       its column; or nothing differs, but lines of a suite were refused, or
       none of its counts was compared
  130  Ctrl-C: no partial count is printed. A second Ctrl-C kills at once

The help of a command describes any other meaning of its exit codes.)";

constexpr const char* kEnginesText = R"(
bisect and suite --engine can ask these programs. The kind is detected, or set with --dialect.

  UCI      answers 'position fen ... moves ...' and then 'go perft N',
           'divide N' or 'perft N'; other commands of UCI are not required
  xboard   answers 'setboard FEN' instead of 'position'
  script   is run as CMD DEPTH FEN [MOVES] and prints a divide or a total,
           as for perftree
  checker  is run as CMD FEN DEPTH VALUE and exits with 0 if VALUE is right,
           like JudDperft

--ask and --run support programs with other commands:

  perft bisect 4 --engine ./Ethereal --ask 'perft {depth}'
  perft bisect 4 --engine ./crafty --ask 'setboard {fen}\nperft {depth}'
  perft bisect 4 --run './gen --fen {fen} --depth {depth}'

Most notations of a divide's rows are accepted: e2e4: 20, 1. e2-e4 = 20, 20 e2e4, Nf3: 20, O-O 20,
"e7e8q": 20, promotions printed four times as two squares, and at depth 1 moves without counts. Also
accepted are a total without rows, a table of totals by depth, and a divide for each depth (the last
one is used). If a line looks like a row but cannot be read, such as e1g1: -20 from an overflowed
counter, the output quotes the line, the verdict is 'not understood', and no cause is given.

If a program counts right, but not what was asked, the report has only one cause, which says what
was counted: the program ignores the FEN, the side to move or the moves (fen-not-taken,
side-not-taken, moves-not-played, another-position), counts depth differently (another-depth), or
counts all plies (counts-every-ply). Every other cause names a broken rule and the move that breaks
it. In JSON each cause has a stable name.

An engine that crashes, prints without end, contradicts itself, or exceeds --timeout has failed; the
report does not call it wrong. The message shows the question and the engine's last lines on
standard error. In a suite, the engine is started again for the next position, until ten positions
in a row have failed.

If suites have tags, the output lists the tags that the wrong positions share. To tag positions of
your own suite, define a tag with a line '#tag p pawns: nothing but pawns', and write '#p' after a
position.)";

constexpr const char* kSuitesText = R"(
A suite is a list of positions with expected counts. Its form is detected from its contents, and
reported in one line unless it is ordinary EPD. suite, batch and bisect --suite read the same forms.

  FEN ;D1 20 ;D2 400                  EPD; also perft 1 20, 1 20, perft 3 = 8902,
                                      among operations such as id "start"; bm e4
  FEN,20,400    "FEN",3,8902          rows, with , ; | tab or two spaces between
  fen,depth,nodes    FEN|D1|D2        a header for the rows below; also in Markdown
  FEN (a line), 1 20 (lines below)    also: id X, epd FEN, perft N COUNT
  FEN (a line), Depth Nodes Captures ...       a table below, as copied from a page
  [{"fen": FEN, "depth": 3, "nodes": 8902}]    JSON: lists, objects by name or by
  {"start": {"fen": FEN, "results": {"1": 20}}}    FEN, or one per line; extra commas
  fen: FEN    [[test]] fen = "FEN"    YAML and TOML with the same members, INI
  ("FEN", 4, 197_281),    { fen: 'FEN', depth: 3 }    tables in source code
  <tr><td>FEN</td><td>3</td>    tables in HTML pages

Counts may be grouped: 1,234,567, 1.234.567, 1'234'567, 1_234_567, 1 234 567. 8902.0 is a whole
number; 1.19E+08 is refused because digits are missing. Comments start with #, // or --. Files may
be UTF-8, or UTF-16 with a byte order mark, with any line ends. Names of positions (id, name, title)
and tags are kept when a suite is written. A text may have at most one value per four bytes, and a
line of YAML at most 65,536 bytes.

Numbers without names are either the counts from depth 1 on, or pairs of a depth and a count. Small
trees are counted to find out which. A file whose numbers are ambiguous is refused, because a guess
could be wrong; name the columns in a header.

If a line is not understood, it is quoted with its number and column, and the other lines are used.
With --lenient, impossible positions are reported and left out. If the limits exclude all counts of
a suite, the suite has not passed, and the exit code is 2.)";

constexpr std::array kTopics{
    Topic{"positions", "POSITIONS AND NUMBERS", "Notations of positions, moves, numbers and sizes",
          kPositionsText},
    Topic{"methods", "METHODS AND TABLES", "How counts are made: methods, tables, checkpoints",
          kMethodsText},
    Topic{"suites", "SUITES",
          "Suites: positions with expected counts, and the forms that are accepted", kSuitesText},
    Topic{"formats", "OUTPUT", "Output formats and streams", kFormatsText},
    Topic{"exit-codes", "EXIT STATUS", "Meaning of exit codes", kExitCodesText},
    Topic{"engines", "ENGINES", "Supported programs and the verdicts on them", kEnginesText},
};

}  // namespace

std::span<const Topic> topics() { return kTopics; }

const Topic* find_topic(std::string_view name) {
  const auto found = std::ranges::find(kTopics, name, &Topic::name);
  return found == kTopics.end() ? nullptr : &*found;
}

namespace {

constexpr int kColumns = 60;  // even after escaping, no line then exceeds 80 columns

/// Escapes `text` for roff, which then prints the text literally. Apostrophes stay straight, and
/// the hyphens of flags stay hyphens, so users can copy both into a shell.
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

  /// Adds paragraphs. Lines that start with a space are not filled.
  void paragraphs(std::string_view text) {
    bool as_it_is = false;
    for (const std::string& row : lines_of(wrapped(body_of(text), kColumns))) {
      const bool indented = row.starts_with(' ');
      if (indented != as_it_is) line(indented ? ".RS 4\n.nf" : ".fi\n.RE");
      as_it_is = indented;
      constexpr std::size_t kMargin = 2;  // the page already has a margin
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

void describe_below_usage(const Command& command, Page& page) {
  page.line(".SS perft " + escaped(usage_of(command)));
  describe(command, page);
}

/// Begins a page. `name` is "perft" or "perft-count". Lists of pages show `summary` after the name.
Page begun(std::string_view name, std::string_view summary, std::string_view date) {
  Page page;
  std::string title(name);
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  page.line(".\\\" Generated from the commands' help texts by: perft manual DATE");
  page.line(".TH " + title + " 1 " + std::string(date) +
            " \"Manyply " MANYPLY_VERSION "\" \"User Commands\"");
  page.section("NAME");
  page.line(std::string(name) + " \\- " + escaped(summary));
  page.section("SYNOPSIS");
  return page;
}

struct ManualOptions {
  const std::vector<Command>* commands = nullptr;
  std::string date;
  std::string command;  ///< if empty, the page describes all commands
};

int run_manual(const ManualOptions& options, Io& io) {
  const std::vector<Command>& all = *options.commands;
  if (options.command.empty()) {
    io.out << manual(all, options.date);
    return kExitOk;
  }
  const auto found = std::ranges::find_if(all, [&](const Command& command) {
    return command.is_listed() && command.name == options.command;
  });
  if (found == all.end()) {
    return fail(io, bad_input("--command", "'" + options.command +
                                               "' is no command; 'perft --help' lists them"));
  }
  io.out << manual_of(*found, options.date);
  return kExitOk;
}

constexpr std::array<Flag<ManualOptions>, 2> kManualFlags{{
    {"DATE", "", "date of the page, such as 2025-11-22", take_text<&ManualOptions::date>},
    {"--command", "COMMAND", "print the manual page of only this command",
     take_text<&ManualOptions::command>},
}};

}  // namespace

std::string manual(std::span<const Command> commands, std::string_view date) {
  Page page = begun("perft", "count legal chess move sequences, exactly and on all cores", date);
  page.line(".B perft\n.I COMMAND\n.RI [ OPTIONS ]");
  page.section("DESCRIPTION");
  page.paragraphs(
      "perft(N) is the number of legal move sequences of N half-moves from a chess position. "
      "Authors of move generators compare it with known values. Data goes to standard output, "
      "everything else to standard error. 'perft help COMMAND' and 'perft help TOPIC' print parts "
      "of this page; topics are the sections after the commands. Each command has a page of its "
      "own, such as perft-count(1).");
  page.section("OPTIONS");
  for (const auto& [name, help] : {kHelpFlag, kVersionFlag}) page.entry(name, nullptr, help);
  page.section("COMMANDS");
  for (const Command* const command : listed_with_parts(commands))
    describe_below_usage(*command, page);
  for (const Topic& topic : topics()) {
    page.section('"' + std::string(topic.section) + '"');
    page.paragraphs(with_names(topic.text));
  }
  page.section("ENVIRONMENT");
  page.entry("COLUMNS", nullptr, "width of help texts, if set; otherwise that of the terminal");
  page.entry("NO_COLOR", nullptr,
             "if set and not empty, output has no colours. Output that is not a terminal never has "
             "colours");
  return page.text();
}

std::string manual_of(const Command& command, std::string_view date) {
  std::string summary = command.summary;
  summary.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(summary.front())));
  Page page = begun("perft-" + std::string(command.name), summary, date);
  page.line(".B perft " + escaped(usage_of(command)));
  page.section("DESCRIPTION");
  describe(command, page);
  for (const Command& part : command.parts) {
    if (part.is_listed()) describe_below_usage(part, page);
  }
  page.section("\"SEE ALSO\"");
  page.line(".BR perft (1)");
  return page.text();
}

Command manual_command(const std::vector<Command>& all) {
  return make_command<ManualOptions>(
      {.name = "manual", .summary = "Print the manual page perft(1), in roff", .hidden = true},
      {kManualFlags}, run_manual, ManualOptions{&all, {}, {}});
}

}  // namespace manyply
