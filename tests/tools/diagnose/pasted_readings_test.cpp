// Pastes with several divides: each divide is compared. None is selected because it agrees with our
// counts.
#include "tests/tools/diagnose/pasted_readings.h"

#include <gmock/gmock.h>

#include "tools/diagnose/divide_diff.h"

namespace manyply::pastes {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace manyply::pastes
