// Pastes with columns of counts: each column is compared. None is selected because it agrees with
// our counts.
#include <gmock/gmock.h>

#include "tests/tools/diagnose/pasted_readings.h"

namespace manyply::pastes {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
  // No count is near ours. Only its name shows that the column has counts.
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
  // The numbers could be microseconds or paths, because neither a name nor a total tells.
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
