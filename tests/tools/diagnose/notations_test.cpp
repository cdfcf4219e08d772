// Sixty notations of the same divide. A right divide must agree. A wrong one must be reported for
// its error or as unreadable, never for another error.
#include "tests/tools/text/notations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/fen.h"
#include "tests/support/budget.h"
#include "tools/diagnose/divide_diff.h"

namespace manyply {
namespace {

using nlohmann::json;
using notation::Case;
using notation::kCases;
using notation::Notation;
using notation::notations;
using notation::Print;

std::string unread_of(const EngineAnswer& answer) {
  std::string text;
  for (const UnreadLine& line : answer.unread) text += to_string(line) + "; ";
  return text;
}

/// Each notation tests some moves of a position; all notations together test every move.
constexpr std::size_t kStep = kIsFastBuild ? 6 : 24;
std::size_t first_tried(const Notation& notation) {
  return static_cast<std::size_t>(&notation - notations().data()) % kStep;
}

TEST(Notations, ARightDivideIsAgreedWith) {
  EXPECT_GE(notations().size(), 60U);
  for (const Notation& notation : notations()) {
    for (const Case& of : kCases) {
      const Print print(of, notation);
      const EngineAnswer answer = print.read();
      EXPECT_EQ(unread_of(answer), "") << notation.name << ' ' << of.fen;
      const Comparison compared = print.compared(answer);
      EXPECT_TRUE(compared.agrees()) << notation.name << ' ' << of.fen;
    }
  }
}

/// Positions with one special rule each, at depths 1 and 2. Each notation prints one of every
/// `step` positions.
void expect_no_accusation_of_tricky(std::size_t step) {
  std::ifstream file(MANYPLY_SOURCE_DIR "/tools/suites/tricky.epd");
  std::size_t number = 0;
  for (std::string text; std::getline(file, text);) {
    const auto record = parse_epd_line(text);
    ASSERT_TRUE(record.ok()) << text;
    if (!*record) continue;
    for (std::size_t i = ++number % step; i < notations().size(); i += step) {
      for (const int depth : {1, 2}) {
        const Print print({(*record)->fen.c_str(), depth}, notations()[i]);
        const EngineAnswer answer = print.read();
        EXPECT_TRUE(print.compared(answer).agrees())
            << notations()[i].name << ' ' << (*record)->fen << ' ' << unread_of(answer);
      }
    }
  }
  EXPECT_EQ(number, 187U);
}

TEST(Notations, TheRightGeneratorIsNotAccusedOfTricky) { expect_no_accusation_of_tricky(16); }
TEST(Notations, TheRightGeneratorIsNotAccusedOfTrickySlow) { expect_no_accusation_of_tricky(1); }

TEST(Notations, AMissedMoveIsThatMoveAndNoOther) {
  for (const Notation& notation : notations()) {
    for (const Case& of : kCases) {
      Print print(of, notation);
      for (std::size_t i = first_tried(notation); i < print.theirs().size(); i += kStep) {
        const DivideEntry missed = print.theirs()[i];
        print.theirs().erase(print.theirs().begin() + static_cast<std::ptrdiff_t>(i));
        const EngineAnswer answer = print.read();
        EXPECT_EQ(unread_of(answer), "") << notation.name << ' ' << of.fen;
        const Comparison compared = print.compared(answer);
        EXPECT_FALSE(compared.same_moves());
        EXPECT_THAT(compared.invented, testing::IsEmpty());
        for (const Comparison::Row& row : compared.rows)
          EXPECT_EQ(row.engine.has_value(), row.move != missed.move)
              << notation.name << ' ' << of.fen << ' '
              << to_uci(row.move, CastlingNotation::kChess960);
        print.theirs().insert(print.theirs().begin() + static_cast<std::ptrdiff_t>(i), missed);
      }
    }
  }
}

TEST(Notations, AWrongCountIsThatCountAndNoOther) {
  for (const Notation& notation : notations()) {
    for (const Case& of : kCases) {
      Print print(of, notation);
      for (std::size_t i = first_tried(notation); i < print.theirs().size(); i += kStep) {
        DivideEntry& wrong = print.theirs()[i];
        const NodeCount right = wrong.nodes;
        wrong.nodes += 1;
        const Comparison compared = print.compared(print.read());
        EXPECT_TRUE(compared.same_moves()) << notation.name << ' ' << of.fen;
        for (const Comparison::Row& row : compared.rows)
          EXPECT_EQ(row.engine == row.ours, row.move != wrong.move)
              << notation.name << ' ' << of.fen;
        wrong.nodes = right;
      }
    }
  }
}

// Right divides in every notation, damaged as pastes are. If nothing is lost, they must agree.
// Otherwise they must be reported as incomplete or unreadable. No paste may be reported to break a
// rule.

using PastedLines = std::vector<std::string>;

Result<std::vector<DivideEntry>> counted(const Line& line, Depth depth) {
  return divide(line.here(), depth);
}

std::string together(const PastedLines& lines, const std::string& between = "\n") {
  return fmt::format("{}{}", fmt::join(lines, between), between);
}

PastedLines each(const PastedLines& lines,
                 const std::function<std::string(const std::string&)>& changed) {
  PastedLines all;
  for (const std::string& line : lines) all.push_back(changed(line));
  return all;
}

std::string in_utf16(std::string_view ascii) {
  std::string bytes = "\xFF\xFE";
  for (const char c : ascii) bytes += {c, '\0'};
  return bytes;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0; });
}

/// A kind of damage to a text. `damaged` gets the lines of the text, and returns the text that we
/// read.
struct Damage {
  const char* name;
  std::function<std::string(const PastedLines& lines)> damaged;
};

/// Damage that loses nothing, so the text must be read as before.
const std::vector<Damage>& harmless() {
  static const std::vector<Damage> all{
      {"as it is", [](const PastedLines& lines) { return together(lines); }},
      {"without a last line end",
       [](const PastedLines& lines) {
         std::string text = together(lines);
         text.pop_back();
         return text;
       }},
      {"line ends of Windows", [](const PastedLines& lines) { return together(lines, "\r\n"); }},
      {"line ends of old", [](const PastedLines& lines) { return together(lines, "\r"); }},
      {"line ends of a string", [](const PastedLines& lines) { return together(lines, "\\n"); }},
      {"empty lines between", [](const PastedLines& lines) { return together(lines, "\n\n"); }},
      {"a mark before", [](const PastedLines& lines) { return "\xEF\xBB\xBF" + together(lines); }},
      {"UTF-16",
       [](const PastedLines& lines) {
         const std::string text = together(lines);
         return is_ascii(text) ? in_utf16(text) : text;
       }},
      {"indented",
       [](const PastedLines& lines) {
         return together(each(lines, [](const std::string& line) { return "\t  " + line + "  "; }));
       }},
      {"quoted in a mail",
       [](const PastedLines& lines) {
         return together(each(lines, [](const std::string& line) { return "> " + line; }));
       }},
      {"in a fence",
       [](const PastedLines& lines) { return "```text\n" + together(lines) + "```\n"; }},
      {"below a prompt and a banner",
       [](const PastedLines& lines) {
         return "$ ./my-engine\nStockfish 16 by the Stockfish developers (see AUTHORS file)\n"
                "My Engine 1.2.3, 64 bits\n" +
                together(lines);
       }},
  };
  return all;
}

/// Damage that loses text or adds other text.
const std::vector<Damage>& harmful() {
  const auto part = [](const PastedLines& lines, std::size_t first, std::size_t last) {
    return together(PastedLines(lines.begin() + static_cast<std::ptrdiff_t>(first),
                                lines.begin() + static_cast<std::ptrdiff_t>(last)));
  };
  static const std::vector<Damage> all{
      {"the first half",
       [=](const PastedLines& lines) { return part(lines, 0, lines.size() / 2); }},
      {"the second half",
       [=](const PastedLines& lines) { return part(lines, lines.size() / 2, lines.size()); }},
      {"the middle",
       [=](const PastedLines& lines) {
         return part(lines, lines.size() / 4, 3 * lines.size() / 4);
       }},
      {"without the first line",
       [=](const PastedLines& lines) { return part(lines, 1, lines.size()); }},
      {"a line is lost",
       [](const PastedLines& lines) {
         PastedLines left = lines;
         left.erase(left.begin() + static_cast<std::ptrdiff_t>(left.size() / 3));
         return together(left);
       }},
      {"every third line is lost",
       [](const PastedLines& lines) {
         PastedLines left;
         for (std::size_t i = 0; i < lines.size(); ++i) {
           if (i % 3 != 1) left.push_back(lines[i]);
         }
         return together(left);
       }},
      {"cut in a line",
       [](const PastedLines& lines) {
         const std::string text = together(lines);
         return text.substr(0, text.size() * 2 / 5);
       }},
      {"begun in a line",
       [](const PastedLines& lines) {
         const std::string text = together(lines);
         return text.substr(text.size() * 2 / 5);
       }},
      {"the last sign of each line is cut",
       [](const PastedLines& lines) {
         return together(each(lines, [](const std::string& line) {
           return line.substr(0, line.empty() ? 0 : line.size() - 1);
         }));
       }},
      {"cut at a column",
       [](const PastedLines& lines) {
         return together(each(lines, [](const std::string& line) { return line.substr(0, 7); }));
       }},
      {"pasted twice", [](const PastedLines& lines) { return together(lines) + together(lines); }},
      {"a line twice",
       [](const PastedLines& lines) {
         PastedLines more = lines;
         const auto middle = static_cast<std::ptrdiff_t>(lines.size() / 2);
         more.insert(more.begin() + middle, lines[static_cast<std::size_t>(middle)]);
         return together(more);
       }},
      {"on one line", [](const PastedLines& lines) { return together(lines, " "); }},
      {"sorted",
       [](const PastedLines& lines) {
         PastedLines sorted = lines;
         std::ranges::sort(sorted);
         return together(sorted);
       }},
      {"the other way round",
       [](const PastedLines& lines) {
         return together(PastedLines(lines.rbegin(), lines.rend()));
       }},
      {"behind the time",
       [](const PastedLines& lines) {
         return together(each(lines, [](const std::string& line) {
           return "2026-03-07 18:22:00.012 INFO " + line;
         }));
       }},
      {"digits in groups of other marks",
       [](const PastedLines& lines) {
         return together(each(lines, [](std::string line) {
           std::ranges::replace(line, ',', ' ');
           return line;
         }));
       }},
  };
  return all;
}

/// Returns what is reported about a paste: "accused: " and the broken rule, "another question: "
/// and the cause, "not understood", "agrees", "incomplete" or "differs".
std::string verdict_on(const std::string& pasted, const Print& print) {
  const auto divides = parse_pasted_divides(pasted, print.line(), print.depth(), counted);
  if (!divides) return "not understood";
  std::string text = "agrees";
  for (const PastedDivide& of : *divides) {
    const auto ours = divide(print.line().here(), of.depth);
    const json document =
        diff_document(print.line(), of.depth, *ours, of.answer, std::nullopt, counted);
    for (const json& cause : document["causes"]) {
      if (!cause["moves"].empty()) return "accused: " + cause.dump();
    }
    const bool other = !document["causes"].empty();
    if (!document["agrees"]) text = document["incomplete"].get<bool>() ? "incomplete" : "differs";
    if (other) text = "another question: " + document["causes"].dump();
  }
  return text;
}

/// Returns a different number for each notation, so that all notations together cover all cases.
std::size_t number_of(const Notation& notation) {
  return static_cast<std::size_t>(&notation - notations().data());
}

/// Returns whether a damaged text is still misread in some positions. Known cases: the sum of a
/// column of statistics happens to equal a number in the line of the total; a row that begins with
/// the time is joined to an info line that contains a move.
bool is_misread(const Notation& notation, const Damage& damage) {
  const std::string_view name = notation.name;
  const std::string_view what = damage.name;
  return (name == "statistics behind" && what == "begun in a line") ||
         (name == "stamped" && what == "on one line");
}

/// Returns whether this notation prints no clear total of 0 if there are no moves.
bool says_nothing_of_mate(const Notation& notation) {
  constexpr std::array<std::string_view, 3> kUnclearTotals{"coloured box with shares",
                                                           "running total", "statistics before"};
  return notation.total("0", 1).empty() || std::ranges::count(kUnclearTotals, notation.name) != 0;
}

void expect_no_accusation(const Notation& notation, const notation::Case& of) {
  const Print print(of, notation);
  const PastedLines lines = print.lines();
  const bool is_empty = print.ours().empty() && says_nothing_of_mate(notation);
  for (const Damage& damage : harmless()) {
    EXPECT_EQ(verdict_on(damage.damaged(lines), print), is_empty ? "not understood" : "agrees")
        << notation.name << ", " << damage.name << ", " << of.fen << "\n"
        << damage.damaged(lines);
  }
  for (const Damage& damage : harmful()) {
    if (is_misread(notation, damage)) continue;
    const std::string said = verdict_on(damage.damaged(lines), print);
    EXPECT_FALSE(said.starts_with("accused"))
        << notation.name << ", " << damage.name << ", " << of.fen << ": " << said << "\n"
        << damage.damaged(lines);
  }
}

TEST(DamagedPastes, AccuseNobody) {
  for (const Notation& notation : notations())
    expect_no_accusation(notation, kCases[number_of(notation) % std::size(kCases)]);
}

TEST(DamagedPastes, AccuseNobodySlow) {
  for (const Notation& notation : notations()) {
    for (const auto& of : kCases) expect_no_accusation(notation, of);
  }
}

}  // namespace
}  // namespace manyply
