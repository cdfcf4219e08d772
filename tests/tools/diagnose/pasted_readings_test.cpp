// Pastes with several divides, or with columns of counts: each is compared. No reading is preferred
// because it agrees with our counts.
#include <gmock/gmock.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/counting.h"
#include "tests/tools/diagnose/fake_program.h"
#include "tools/diagnose/divide_diff.h"

namespace manyply::pastes {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const Line& kiwipete() {
  static const Line line = parsed_line("kiwipete");
  return line;
}

/// Returns the document of a comparison; {"refused": reason} if the paste is refused.
nlohmann::json diff(const std::string& pasted, int depth = 3, const Line& line = kiwipete()) {
  const auto divides = parse_pasted_divides(pasted, line, Depth(depth), our_divide);
  if (!divides) return {{"refused", divides.error().message}};
  const auto ours = our_divide(line, Depth(depth));
  return nlohmann::json::parse(
      diff_of_paste(line, Depth(depth), *ours, *divides, std::nullopt, our_divide));
}

/// Returns "column 'mine' differs, column 'stockfish' agrees"; only "agrees" for a single reading.
std::string readings_of(const nlohmann::json& answer) {
  if (answer.contains("refused")) return answer["refused"].get<std::string>();
  const auto verdict = [](const nlohmann::json& of) {
    return of.at("agrees").get<bool>() ? "agrees" : "differs";
  };
  if (!answer.contains("readings")) return verdict(answer);
  std::string text;
  for (const nlohmann::json& reading : answer["readings"]) {
    text +=
        (text.empty() ? "" : ", ") + reading["name"].get<std::string>() + ' ' + verdict(reading);
  }
  return text;
}

/// Returns "a1d1 1884 1885": the moves in which readings differ.
std::string disputed(const nlohmann::json& answer) {
  std::string text;
  for (const nlohmann::json& row : answer.value("disputed", nlohmann::json::array())) {
    text += (text.empty() ? "" : ", ") + row["move"].get<std::string>();
    for (const nlohmann::json& count : row["counts"])
      text += ' ' + (count.is_null() ? "-" : count.get<std::string>());
  }
  return text;
}

/// A function that returns the row of text for a move. `nodes` is our count after the move.
using Row = std::function<std::string(const std::string& move, std::uint64_t nodes)>;

std::string printed(const Row& row, int depth = 3, const Line& line = kiwipete()) {
  std::string text;
  for (const auto& [move, nodes] : *divide(line.here(), Depth(depth)))
    text += row(to_uci(move, line.notation()), std::stoull(nodes.to_string()));
  return text;
}

/// Returns a row of text: `form` with our move and count for "$move" and "$nodes". "{a1d1=1884}"
/// becomes 1884 in the row of a1d1, and our count in other rows. "{a1d1?text}" becomes "text" in
/// the row of a1d1, and nothing in other rows.
Row row(const std::string& form) {
  return [form](const std::string& move, std::uint64_t nodes) {
    const std::string count = std::to_string(nodes);
    std::string text;
    for (std::size_t at = 0; at < form.size();) {
      std::size_t end = at + 1;
      if (form.compare(at, 5, "$move") == 0) {
        text += move;
        end = at + 5;
      } else if (form.compare(at, 6, "$nodes") == 0) {
        text += count;
        end = at + 6;
      } else if (form[at] == '{') {
        const bool here = form.compare(at + 1, 4, move) == 0;
        end = form.find('}', at) + 1;
        text += here ? form.substr(at + 6, end - at - 7) : form[at + 5] == '=' ? count : "";
      } else {
        text += form[at];
      }
      at = end;
    }
    return text;
  };
}
std::string printed(const std::string& form, int depth = 3, const Line& line = kiwipete()) {
  return printed(row(form), depth, line);
}

std::string list_but(const std::string& at, const std::string& wrong, int depth = 3) {
  return printed("$move: {" + at + '=' + wrong + "}\n", depth);
}

// ---------------------------------------------------------------- divides

TEST(PastedLists, TwoDividesOfOneDepthAreBothCompared) {
  const std::string right = printed_divide(kiwipete(), 3);
  const json answer = diff("Stockfish:\n" + right + "\nNodes searched: 97862\n\nMine:\n" +
                           list_but("e1g1", "2058") + "\nNodes searched: 97861\n");
  EXPECT_EQ(readings_of(answer),
            "divide 'Stockfish', line 2 agrees, divide 'Mine', line 54 differs");
  EXPECT_EQ(disputed(answer), "e1g1 2059 2058");
  EXPECT_EQ(answer.at("causes"), json::array());
  EXPECT_EQ(answer.at("next")["move"], "e1g1");
  EXPECT_FALSE(answer.contains("depths"));
  // Divides without totals, without text between them, in another order, and in another notation.
  EXPECT_EQ(readings_of(diff(right + list_but("e1g1", "2058"))),
            "first divide, line 1 agrees, second divide, line 49 differs");
  EXPECT_EQ(readings_of(diff(list_but("e1g1", "2058") + right)),
            "first divide, line 1 differs, second divide, line 49 agrees");
  std::string reversed;
  std::istringstream lines(list_but("e1g1", "2058"));
  for (std::string line; std::getline(lines, line);) reversed = line + '\n' + reversed;
  EXPECT_THAT(readings_of(diff(right + '\n' + reversed)), HasSubstr("line 50 differs"));
  EXPECT_THAT(readings_of(diff(right + printed("{e1g1=2058} $move\n"))),
              HasSubstr("second divide, line 49 differs"));
}

TEST(PastedLists, AListThatLacksAMoveIsAListOfItsOwn) {
  const std::string right = printed_divide(kiwipete(), 1);
  const auto without = [&](const std::string& move) {
    std::string text = right;
    const std::size_t at = text.find(move);
    return text.erase(at, text.find('\n', at) + 1 - at);
  };
  const json answer = diff("Stockfish:\n" + right + "\nMine:\n" + without("e1g1"), 1);
  EXPECT_EQ(readings_of(answer),
            "divide 'Stockfish', line 2 agrees, divide 'Mine', line 52 differs");
  EXPECT_EQ(disputed(answer), "e1g1 1 -");
  EXPECT_EQ(answer.at("incomplete"), true);
  // The first divide lacks the move with which the second begins.
  const json first = diff("Mine:\n" + without("a1b1") + "\nStockfish:\n" + right, 1);
  EXPECT_EQ(disputed(first), "a1b1 - 1");
  EXPECT_EQ(first.value("reading", ""), "divide 'Mine', line 2");
}

TEST(PastedLists, TheSameTwiceIsOneReading) {
  const std::string right = printed_divide(kiwipete(), 3);
  const std::string total = "\nNodes searched: 97862\n\n";
  EXPECT_EQ(readings_of(diff(right + right)), "agrees");
  EXPECT_EQ(readings_of(diff(right + total + right + total)), "agrees");
  EXPECT_EQ(readings_of(diff(right + '\n' + right + total)), "agrees");
  EXPECT_EQ(readings_of(diff(list_but("e1g1", "2058") + list_but("e1g1", "2058"))), "differs");
  // A remark after the list repeats a count or contradicts it.
  EXPECT_EQ(readings_of(diff(right + total + "e1g1: 2059\n")), "agrees");
  EXPECT_THAT(readings_of(diff(right + total + "stockfish says\ne1g1: 2058\n")),
              HasSubstr("differs"));
  // The totals differ, so one of them contradicts its rows.
  EXPECT_THAT(diff(right + total + right + "\nNodes searched: 97861\n")["notes"].dump(),
              HasSubstr("97861"));
}

TEST(PastedLists, DividesOfSeveralDepthsAreNoRivals) {
  const std::string one = printed_divide(kiwipete(), 1);
  const std::string two = printed_divide(kiwipete(), 2);
  const std::string three = printed_divide(kiwipete(), 3);
  for (const std::string& text :
       {one + two + three,
        with_total(kiwipete(), 1) + with_total(kiwipete(), 2) + with_total(kiwipete(), 3),
        "depth 1\n" + one + "depth 2\n" + two + "depth 3\n" + three}) {
    const json answer = diff(text);
    EXPECT_EQ(readings_of(answer), "agrees") << answer;
    EXPECT_EQ(answer.value("depths", json::array()).size(), 3U);
  }
  // There are two divides of this depth, and they differ.
  const json both =
      diff("depth 2\n" + two + "depth 3\n" + three + "mine, depth 3\n" + list_but("e1g1", "2058"));
  EXPECT_EQ(both.value("depths", json::array()).size(), 2U) << both;
  EXPECT_EQ(both.value("depth", 0), 3);
  EXPECT_EQ(both.value("readings", json::array()).size(), 3U);
  EXPECT_EQ(disputed(both), "e1g1 - 2059 2058");
  // A divide that the text calls depth 3 is compared with depth 3.
  const json wrong = diff("depth 1\n" + one + "depth 3\n" + two);
  EXPECT_EQ(wrong.at("causes")[0]["name"], "another-depth");
}

TEST(PastedLists, AMoveThatStandsTwiceIsNoSecondList) {
  std::string text = printed_divide(kiwipete(), 1);
  text.insert(text.find("a2a4"), "a2a3: 1\n");
  const json answer = diff(text, 1);
  EXPECT_FALSE(answer.contains("readings")) << answer;
  EXPECT_EQ(answer.at("agrees"), false);
  EXPECT_EQ(diff(text + "\nTotal: 49\n", 1)["causes"][0]["name"], "listed-twice");
  // Other lines may be between the rows.
  std::string apart = printed_divide(kiwipete(), 1);
  for (const char* move : {"a2a4", "b2b3", "d2c1"})
    apart.insert(apart.find(move), "info depth 1\ntime 34 ms\n\n");
  const json repeated = diff(apart + "info depth 1\ntime 34 ms\n\na2a3: 1\n", 1);
  EXPECT_FALSE(repeated.contains("readings")) << repeated;
  EXPECT_EQ(repeated.at("agrees"), false);
}

// ---------------------------------------------------------------- sides

TEST(PastedSides, ADiffHasTwoSides) {
  const auto lines = [](const std::function<std::string(const std::string& row, bool wrong)>& row) {
    return printed([&](const auto& move, auto nodes) {
      return row(move + ": " + std::to_string(nodes), move == "e1g1");
    });
  };
  const std::string unified = lines([](const std::string& row, bool wrong) {
    return wrong ? "-" + row + "\n+e1g1: 2058\n" : " " + row + '\n';
  });
  const std::string trimmed = lines([](const std::string& row, bool wrong) {
    return wrong ? "-" + row + "\n+e1g1: 2058\n" : row + '\n';
  });
  const std::string words = lines([](const std::string& row, bool wrong) {
    return (wrong ? "e1g1: [-2059-]{+2058+}" : row) + '\n';
  });
  for (const std::string& text : {unified, trimmed, words}) {
    const json answer = diff(text);
    EXPECT_EQ(readings_of(answer), "'-' side agrees, '+' side differs") << text.substr(0, 200);
    EXPECT_EQ(disputed(answer), "e1g1 2059 2058");
  }
  EXPECT_EQ(readings_of(
                diff("--- a/right.txt\t2026-01-01\n+++ b/mine.txt\n@@ -1,48 +1,48 @@\n" + unified)),
            "side 'right.txt' agrees, side 'mine.txt' differs");
  const std::string lost =
      lines([](const std::string& row, bool wrong) { return (wrong ? "-" : " ") + row + '\n'; });
  EXPECT_EQ(disputed(diff(lost)), "e1g1 2059 -");
  const std::string beside = lines([](const std::string& row, bool wrong) {
    return row + "\t\t\t   " + (wrong ? "|\te1g1: 2058" : "\t" + row) + '\n';
  });
  EXPECT_EQ(readings_of(diff(beside)), "left side agrees, right side differs");
  EXPECT_EQ(readings_of(diff(beside + "Nodes searched: 97862\t\t   |\tNodes searched: 97861\n")),
            "left side agrees, right side differs");
  const std::string one_side = lines([](const std::string& row, bool wrong) {
    return row + (wrong ? "\t\t\t   <" : "\t\t\t\t" + row) + '\n';
  });
  EXPECT_EQ(disputed(diff(one_side)), "e1g1 2059 -");
  const std::string pasted = lines([](const std::string& row, bool wrong) {
    return row + '\t' + (wrong ? "e1g1: 2058" : row) + '\t' + row + '\n';
  });
  EXPECT_EQ(disputed(diff(pasted)), "e1g1 2059 2058");
}

TEST(PastedSides, WhatDiffPrintsByItselfHasOnlyTheRowsThatDiffer) {
  const json answer = diff("6c6\n< e1g1: 2059\n---\n> e1g1: 2058\n");
  EXPECT_EQ(readings_of(answer), "'<' side differs, '>' side differs");
  EXPECT_EQ(disputed(answer), "e1g1 2059 2058");
}

TEST(PastedSides, AMergeConflictHasTwo) {
  std::string text = printed_divide(kiwipete(), 3);
  text.replace(text.find("e1g1: 2059\n"), 11,
               "<<<<<<< HEAD\ne1g1: 2059\n=======\ne1g1: 2058\n>>>>>>> fix/castling\n");
  const json answer = diff(text);
  EXPECT_EQ(readings_of(answer), "side 'HEAD' agrees, side 'fix/castling' differs");
  EXPECT_EQ(disputed(answer), "e1g1 2059 2058");
}

TEST(PastedSides, BulletsAndQuotesAreNoSides) {
  for (const std::string mark : {"- ", "+ ", "> ", "* ", "-", "< "})
    EXPECT_EQ(readings_of(diff(printed(mark + "$move: $nodes\n"))), "agrees") << mark;
  // Two kinds of bullets.
  bool odd = false;
  EXPECT_EQ(readings_of(diff(printed([&](const auto& move, auto nodes) {
              odd = !odd;
              return (odd ? "- " : "+ ") + move + ": " + std::to_string(nodes) + '\n';
            }))),
            "agrees");
  // Rows in two columns are one list.
  EXPECT_EQ(readings_of(diff(printed([&](const auto& move, auto nodes) {
              odd = !odd;
              return move + ": " + std::to_string(nodes) + (odd ? "     " : "\n");
            }))),
            "agrees");
}

// ---------------------------------------------------------------- other texts

TEST(PastedTexts, ChatBetweenTheRowsIsNone) {
  const Line line = parsed_line("8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1");
  const std::string rows = "b5a4: 1\nb5b4: 1\nb5a5: 1\nb5c6: 1\ne4d3: 1\n";
  for (const std::string& fence : {std::string("```\n"), std::string()}) {
    const json answer =
        diff("someone \xe2\x80\x94 Today at 14:02\nanyone knows why i get 4 here\n" + fence + rows +
                 fence +
                 "someone else \xe2\x80\x94 Today at 14:03\nsf gives 6\n"
                 "someone \xe2\x80\x94 Today at 14:05\nwhich one is missing lol\n",
             1, line);
    ASSERT_TRUE(answer.contains("rows")) << answer;
    EXPECT_EQ(answer.at("incomplete"), true);
    EXPECT_EQ(answer.at("rows").size(), 6U);
    for (const json& row : answer.at("rows"))
      EXPECT_EQ(row["theirs"].is_null(), row["move"] == "b5b6") << row;
  }
}

TEST(PastedTexts, AQuotedMailIsReadWithoutItsMarks) {
  const std::string text = printed([](const auto& move, auto nodes) {
    return "> " + move + " 0 " + (move == "a1d1" ? "1 " : "0 ") + std::to_string(nodes) + '\n';
  });
  EXPECT_EQ(readings_of(diff("> info depth 1 seldepth 1 nodes 20 nps 20000\n" + text)), "agrees");
}

TEST(PastedTexts, RowsOfASearchAreRead) {
  int number = 0;
  const auto text = [&](const char* wrong) {
    number = 0;
    return printed([&](const auto& move, auto nodes) {
             return "info currmovenumber " + std::to_string(++number) + " currmove " + move +
                    " perft " + (move == "a1d1" ? wrong : std::to_string(nodes)) + '\n';
           }) +
           "info depth 3 perft 97862 nps 12345\n";
  };
  EXPECT_EQ(readings_of(diff(text("1885"))), "agrees");
  EXPECT_EQ(readings_of(diff(text("1884"))), "differs");
}

TEST(PastedColumns, TwoColumnsOfCountsAreBothCompared) {
  const auto table = [](const std::string& head, bool wrong_first) {
    return head +
           printed(wrong_first ? "$move,{a1d1=1884},$nodes\n" : "$move,$nodes,{a1d1=1884}\n");
  };
  const json answer = diff(table("move,mine,stockfish\n", true));
  EXPECT_EQ(readings_of(answer), "column 'mine' differs, column 'stockfish' agrees");
  EXPECT_EQ(disputed(answer), "a1d1 1884 1885");
  EXPECT_EQ(answer.value("reading", ""), "column 'mine'");
  EXPECT_EQ(answer.at("agrees"), false);
  EXPECT_EQ(answer.at("next")["move"], "a1d1");
  EXPECT_THAT(answer.at("notes").dump(), AllOf(HasSubstr("two columns"), HasSubstr("a1d1: 1884")));
  const json swapped = diff(table("move,stockfish,mine\n", false));
  EXPECT_EQ(readings_of(swapped), "column 'stockfish' agrees, column 'mine' differs");
  EXPECT_EQ(swapped.value("reading", ""), "column 'mine'");
  EXPECT_EQ(swapped.at("agrees"), false);
  for (const char* head : {"", "a divide of kiwipete\n"}) {
    EXPECT_EQ(readings_of(diff(table(head, true))), "first column differs, second column agrees");
    EXPECT_EQ(readings_of(diff(table(head, false))), "first column agrees, second column differs");
  }
}

TEST(PastedColumns, HoweverManyRowsAreWrong) {
  int row = 0;
  const auto wrong_in = [&](int rows, std::uint64_t by) {
    row = 0;
    return printed([&](const auto& move, auto nodes) {
      return move + ' ' + std::to_string(nodes - (row++ < rows ? by : 0)) + ' ' +
             std::to_string(nodes) + '\n';
    });
  };
  for (const int rows : {1, 30, 48}) {
    EXPECT_EQ(readings_of(diff("move mine stockfish\n" + wrong_in(rows, 7))),
              "column 'mine' differs, column 'stockfish' agrees");
    EXPECT_EQ(readings_of(diff(wrong_in(rows, 7))), "first column differs, second column agrees");
  }
  // No count is near ours. Only the column's name shows that it has counts.
  EXPECT_EQ(readings_of(diff("move mine stockfish\n" + wrong_in(48, 1700))),
            "column 'mine' differs, column 'stockfish' agrees");
}

TEST(PastedColumns, NeitherNeedAgreeWithOurs) {
  const json answer = diff("move;mine;theirs\n" + printed("$move;{a1d1=1884};{e1g1=2058}\n"));
  EXPECT_EQ(readings_of(answer), "column 'mine' differs, column 'theirs' differs");
  EXPECT_EQ(disputed(answer), "a1d1 1884 1885, e1g1 2059 2058");
}

TEST(PastedColumns, ThreeColumnsAndEqualOnes) {
  const auto table = [](const std::string& first, const std::string& second,
                        const std::string& third) {
    return diff("| Move | mine | stockfish | Ethereal 14 |\n|---|---|---|---|\n" +
                printed("| $move | {a1d1=" + first + "} | {a1d1=" + second + "} | {a1d1=" + third +
                        "} |\n"));
  };
  const json three = table("1884", "1885", "1886");
  EXPECT_EQ(readings_of(three),
            "column 'mine' differs, column 'stockfish' agrees, column 'Ethereal 14' differs");
  EXPECT_EQ(disputed(three), "a1d1 1884 1885 1886");
  EXPECT_EQ(readings_of(table("1884", "1885", "1885")),
            "column 'mine' differs, column 'stockfish' agrees");
  EXPECT_EQ(readings_of(table("1885", "1885", "1885")), "agrees");
  EXPECT_EQ(readings_of(table("1884", "1884", "1884")), "differs");
}

TEST(PastedColumns, GroupsOfDigitsAreNoColumns) {
  const auto grouped = [](std::string count) { return count.insert(count.size() - 3, " "); };
  const auto table = [&](const char* mine) {
    return diff("| Move | mine | stockfish |\n" + printed([&](const auto& move, auto nodes) {
                  return "| " + move + " | " +
                         grouped(move == "a1d1" ? mine : std::to_string(nodes)) + " | " +
                         grouped(std::to_string(nodes)) + " |\n";
                }));
  };
  EXPECT_EQ(readings_of(table("1885")), "agrees");
  EXPECT_EQ(readings_of(table("1884")), "column 'mine' differs, column 'stockfish' agrees");
}

TEST(PastedColumns, HeadsMayTellDepths) {
  const auto table = [](const std::string& head, const std::string& wrong) {
    const char mark = head[4];
    return diff(
        head + printed(std::string("$move") + mark + '1' + mark + "{a1d1=" + wrong + "}\n", 2), 2);
  };
  for (const char* head : {"move,depth 1,depth 2\n", "move;perft(1);perft(2)\n"}) {
    const json answer = table(head, "43");
    EXPECT_EQ(readings_of(answer), "agrees") << head << answer;
    EXPECT_EQ(answer.value("depths", json::array()).size(), 2U) << head;
    EXPECT_EQ(table(head, "42").value("depth", 0), 2) << head;
    EXPECT_EQ(readings_of(table(head, "42")), "differs") << head;
  }
}

TEST(PastedColumns, AnEmptyCellIsAMoveThatIsMissing) {
  for (const char* none : {"", "-", "?"}) {
    const auto table = [&](bool mine) {
      const std::string cell = std::string("{e1g1=") + none + '}';
      return diff("move,mine,stockfish\n" +
                  printed("$move," + (mine ? cell + ",$nodes\n" : "$nodes," + cell + '\n')));
    };
    const json mine = table(true);
    EXPECT_EQ(mine.value("reading", ""), "column 'mine'") << none << mine;
    EXPECT_EQ(mine.at("incomplete"), true);
    EXPECT_THAT(disputed(mine), HasSubstr("e1g1"));
    EXPECT_EQ(table(false).value("reading", ""), "column 'stockfish'") << none;
  }
  // If two columns have no separator, a row with one number may have lost either number.
  EXPECT_THAT(readings_of(diff(printed([](const auto& move, auto nodes) {
                const std::string count = std::to_string(nodes);
                return move + ' ' + count + (move == "e1g1" ? "" : ' ' + count) + '\n';
              }))),
              HasSubstr("fewer numbers"));
}

TEST(PastedColumns, OtherNumbersAreNoCounts) {
  std::uint64_t sum = 0;
  int number = 0;
  const auto total = std::stoull(perft_of(kiwipete().here(), 3).to_string());
  const std::vector<std::pair<const char*, Row>> all{
      {"move,nodes,captures,time",
       [](const auto& move, auto nodes) {
         return move + ',' + std::to_string(nodes) + ",1800," + std::to_string(nodes + 5) + '\n';
       }},
      {"nps,move,nodes",
       [](const auto& move, auto nodes) {
         return std::to_string(nodes + 9) + ',' + move + ',' + std::to_string(nodes) + '\n';
       }},
      {"Move   Nodes   NPS   Time(ms)", row("$move   $nodes   1950   3\n")},
      {"", row("$move $nodes 4.3%\n")},
      {"", row("$move $nodes 3 ms\n")},
      {"", row("$move 0.125 $nodes\n")},
      {"", row("$move 3 $nodes\n")},
      {"",
       [&](const auto& move, auto nodes) {
         return std::to_string(++number) + ' ' + move + ' ' + std::to_string(nodes) + '\n';
       }},
      {"",
       [&](const auto& move, auto nodes) {
         sum += nodes;
         return move + ' ' + std::to_string(nodes) + ' ' + std::to_string(sum) + '\n';
       }},
      {"",
       [&](const auto& move, auto nodes) {
         return move + ' ' + std::to_string(nodes) + ' ' + std::to_string(100 * nodes / total) +
                '\n';
       }},
      {"",  // captures
       [](const auto& move, auto nodes) {
         return move + ' ' + std::to_string(nodes % 5 * nodes / 9) + ' ' + std::to_string(nodes) +
                '\n';
       }},
      {"", row("$move $nodes 9f3c$nodese\n")},
      {"", row("$move: nodes $nodes nps 1900 time 2000 hash 1850\n")}};
  for (const auto& [head, row] : all) {
    sum = 0;
    number = 0;
    const std::string text = std::string(head) + '\n' + printed(row);
    EXPECT_EQ(readings_of(diff(text)), "agrees") << text.substr(0, 200);
    // A wrong count is still compared, although no other column has it.
    sum = 0;
    number = 0;
    const std::string wrong = std::string(head) + '\n' + printed([&](const auto& move, auto nodes) {
                                return row(move, nodes - (move == "a1d1" ? 1 : 0));
                              });
    const json answer = diff(wrong);
    EXPECT_EQ(readings_of(answer), "differs") << wrong.substr(0, 200);
    EXPECT_EQ(answer.at("next")["move"], "a1d1") << wrong.substr(0, 200);
  }
}

TEST(PastedColumns, AColumnThatAddsUpToTheTotalIsNoStatistic) {
  // All counts are smaller than the constant, and some are 0.
  const Line mates = parsed_line("8/8/8/8/8/6k1/4q3/6K1 b - - 0 1");
  const std::string rows = printed("3,$move,$nodes\n", 2, mates);
  EXPECT_EQ(readings_of(diff(rows + "total,,34\n", 2, mates)), "agrees");
  // If captures add up to one of several totals, they are still captures.
  const std::string statistics = printed([](const auto& move, auto nodes) {
    return move + (move < "a9" ? "   1   " : "   0   ") + std::to_string(nodes) + '\n';
  });
  EXPECT_EQ(readings_of(diff(statistics + "total   4   97862\n")), "agrees");
}

TEST(PastedColumns, TheLetterOfAKnightIsNoWordForCounts) {
  int number = 0;
  EXPECT_EQ(readings_of(diff(printed([&](const auto& move, auto nodes) {
              const bool is_knight = move.starts_with("c3") || move.starts_with("e5");
              return std::to_string(++number) + (is_knight ? " N " : " ") + move.substr(0, 2) +
                     ' ' + move.substr(2) + ' ' + std::to_string(nodes) + '\n';
            }))),
            "agrees");
}

TEST(PastedColumns, NumbersThatMayBeAnythingAreBothTold) {
  // Each column could be paths or microseconds: no name and no total shows which.
  const auto table = [](const std::string& behind) {
    return diff(printed([](const auto& move, auto nodes) {
                  return move + ' ' + std::to_string(nodes) + ' ' + std::to_string(17 * nodes + 3) +
                         '\n';
                }) +
                behind);
  };
  EXPECT_EQ(readings_of(table("")), "first column agrees, second column differs");
  EXPECT_EQ(readings_of(table("Nodes searched: 97862\n")), "agrees") << "the total tells";
}

TEST(PastedColumns, ATotalDoesNotHideAColumnOfCounts) {
  const auto table = [](const std::string& head, const std::string& total) {
    return readings_of(diff(head + printed("$move {a1d1=1884} $nodes\n") + total));
  };
  for (const char* total :
       {"Nodes searched: 97862\n", "Nodes searched: 97861\n", "total 97861 97862\n"}) {
    EXPECT_THAT(table("move mine stockfish\n", total),
                AllOf(HasSubstr("column 'mine' differs"), HasSubstr("column 'stockfish' agrees")));
    EXPECT_THAT(table("", total),
                AllOf(HasSubstr("first column differs"), HasSubstr("second column agrees")));
  }
}

TEST(PastedColumns, NumbersBesideTheCountsOfSomeRowsAreTold) {
  for (const std::string aside :
       {" (1884)", " expected 1884", " <- mine: 1884", " vs 1884", " (stockfish: 1884)"}) {
    const json answer = diff(printed("$move: $nodes{a1d1?" + aside + "}\n"));
    EXPECT_THAT(readings_of(answer), AllOf(HasSubstr(" agrees"), HasSubstr(" differs"))) << aside;
    EXPECT_THAT(disputed(answer), "a1d1 1885 1884") << aside;
  }
  for (const std::string remark : {" (12)", " (18 captures)", " time 1884", " !", " (3 ms)"}) {
    EXPECT_EQ(readings_of(diff(printed("$move: $nodes{a1d1?" + remark + "}\n"))), "agrees")
        << remark;
  }
}

TEST(PastedColumns, JsonHasColumnsToo) {
  std::string rows;
  std::string mine;
  std::string theirs;
  for (const auto& [move, nodes] : *divide(kiwipete().here(), Depth(3))) {
    const std::string uci = to_uci(move, kiwipete().notation());
    const std::string count = nodes.to_string();
    const std::string wrong = uci == "a1d1" ? "1884" : count;
    rows += (rows.empty() ? "" : ",") +
            (R"({"move":")" + uci + R"(","mine":)" + wrong + R"(,"stockfish":)" + count + '}');
    mine += (mine.empty() ? "" : ",") + ('"' + uci + "\":" + wrong);
    theirs += (theirs.empty() ? "" : ",") + ('"' + uci + "\":" + count);
  }
  EXPECT_EQ(readings_of(diff('[' + rows + ']')),
            "column 'mine' differs, column 'stockfish' agrees");
  const std::string two =
      readings_of(diff(R"({"mine":{)" + mine + R"(},"stockfish":{)" + theirs + "}}"));
  EXPECT_THAT(two, AllOf(HasSubstr("'mine'"), HasSubstr("'stockfish'"), HasSubstr("differs"),
                         HasSubstr("agrees")));
}

// ---------------------------------------------------------------- engines

/// Runs an engine that prints two columns; the second one is right. Returns the result.
std::string hunt_two_columns(const std::string& total) {
  FakeProgram program([&](const Line& line, Depth depth) {
    const std::string right = perft_of(line.here(), depth.plies()).to_string();
    return printed(
               [](const auto& move, auto nodes) {
                 const auto wrong = nodes + (nodes > 1 ? 1 : 0);
                 return move + ' ' + std::to_string(wrong) + ' ' + std::to_string(nodes) + '\n';
               },
               depth.plies(), line) +
           (total == "right" ? right : total) + '\n';
  });
  return text_of(hunt(program, "kiwipete", 2));
}

TEST(EngineColumns, AnEnginesOwnTotalTellsWhichIsItsCount) {
  EXPECT_EQ(hunt_two_columns("right"), "agrees");
  EXPECT_THAT(hunt_two_columns(""), HasSubstr("it is ambiguous which number is the count"));
  EngineOutputParser parser(kiwipete().named(), Depth(3));
  std::istringstream lines(printed("$move {a1d1=1884} $nodes\n") + "Nodes: 97861\n");
  for (std::string line; std::getline(lines, line);) parser.feed(line);
  const EngineAnswer answer = parser.answer();
  EXPECT_THAT(answer.unread, IsEmpty());
  EXPECT_TRUE(answer.may_count(97861));
  EXPECT_FALSE(answer.may_count(97862)) << "the column that is right is not the engine's";
}

}  // namespace
}  // namespace manyply::pastes
