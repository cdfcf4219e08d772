// Pasted divides that are right, but answer another question, or name no pieces.
#include "tools/bisect/divide_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/bisect/fake_program.h"

namespace manyply {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Result<std::vector<DivideEntry>> our_divide(const Line& line, Depth depth) {
  return divide(line.here(), depth);
}

json diff(const Line& line, int depth, const std::string& pasted) {
  const auto ours = divide(line.here(), Depth(depth));
  const auto theirs = parse_pasted_divide(pasted, line, Depth(depth));
  if (!theirs) return theirs.error().message;
  return json::parse(diff_document(line, Depth(depth), *ours, *theirs, std::nullopt, our_divide));
}

Line at(std::string_view fen, std::string_view moves = "") {
  return *parse_line(fen, moves, std::nullopt);
}

std::string only_cause(const json& answer) {
  EXPECT_EQ(answer["causes"].size(), 1U) << answer;
  EXPECT_TRUE(answer["next"].is_null());
  EXPECT_FALSE(answer["agrees"]);
  return answer["causes"][0]["name"].get<std::string>() + ": " +
         answer["causes"][0]["detail"].get<std::string>();
}

TEST(DivideDiff, EveryPlyIsCounted) {
  const Line start;
  EXPECT_EQ(only_cause(diff(start, 3, printed_divide(start, 3, with_root))),
            "counts-every-ply: counts every ply, not the last: 20 + 400 + 8902 = 9322");
  // With one ply below, an illegal move behind each looks the same: look there.
  const json two = diff(start, 2, printed_divide(start, 2, with_root));
  EXPECT_TRUE(two["causes"].empty());
  EXPECT_FALSE(two["next"].is_null());
  EXPECT_EQ(two["notes"][0],
            "each count is what it would be if every ply were counted, not the last alone: 20 + "
            "400 = 420");
  const json total = diff(start, 2, printed_divide(start, 2) + "Total: 420\n");
  EXPECT_TRUE(total["agrees"]);
  EXPECT_THAT(total["notes"][0].get<std::string>(), HasSubstr("20 + 400 = 420"));
}

TEST(DivideDiff, AnotherDepthOrPosition) {
  const Line kiwipete = at("kiwipete");
  EXPECT_EQ(only_cause(diff(kiwipete, 1, printed_divide(kiwipete, 2))),
            "another-depth: what it calls depth 1 is our depth 2");
  EXPECT_EQ(only_cause(diff(kiwipete, 3, printed_divide(kiwipete, 2))),
            "another-depth: what it calls depth 3 is our depth 2");
  EXPECT_EQ(only_cause(diff(kiwipete, 2, printed_divide(Line(), 2))),
            "fen-not-taken: these are the moves of the start position");
  EXPECT_EQ(only_cause(diff(at("kiwipete", "e1g1 a6b5"), 1, printed_divide(kiwipete, 3))),
            "moves-not-played: these are the moves of the position before e1g1, move 1 of the "
            "line");
  EXPECT_EQ(diff(kiwipete, 1,
                 "Na3: 1\nNc3: 1\nNf3: 1\nNh3: 1\na3: 1\nb3: 1\nc3: 1\nd3: 1\ne3: 1\n"
                 "f3: 1\ng3: 1\nh3: 1\na4: 1\nb4: 1\nc4: 1\nd4: 1\ne4: 1\nf4: 1\n"
                 "g4: 1\nh4: 1\n"),
            "is not about this position: these are the moves of the start position");
}

TEST(DivideDiff, PromotionsThatNameNoPiece) {
  const Line line = at("8/8/8/8/8/2K5/6p1/k7 b - - 0 1");
  std::string pasted;
  for (const auto& [move, nodes] : *divide(line.here(), Depth(2)))
    pasted += to_uci(move, line.notation()).substr(0, 4) + ": " + nodes.to_string() + '\n';
  const json right = diff(line, 2, pasted);
  EXPECT_TRUE(right["agrees"]) << right;
  EXPECT_TRUE(right["notes"].empty());
  const Line even = at("8/4P3/8/8/8/7k/8/K7 w - - 0 1");
  const json wrong = diff(even, 1, "e7e8 1\ne7e8 1\ne7e8 1\ne7e8 2\na1a2 1\na1b1 1\na1b2 1\n");
  EXPECT_FALSE(wrong["agrees"]);
  EXPECT_EQ(
      wrong["notes"][0],
      "e7e8 stands there four times without its piece; the one with 2 could be e7e8q or e7e8r "
      "or e7e8b or e7e8n");
}

TEST(DivideDiff, WhichColumnIsTheCountIsNotGuessed) {
  std::string pasted;
  const Line start;
  for (const Move move : legal_moves(start.here()))
    pasted += to_uci(move, start.notation()) + " 2 9000\n";
  const json answer = diff(start, 2, pasted);
  EXPECT_TRUE(answer["causes"].empty());
  EXPECT_TRUE(answer["next"].is_null());
  EXPECT_THAT(answer["notes"][0].get<std::string>(), HasSubstr("not understood: 'a2a3 2 9000'"));
}

/// "1 20, 2 400": each divide's depth and sum.
std::string depths_of(const std::string& pasted, int depth, const Line& line = Line()) {
  const auto divides = parse_pasted_divides(pasted, line, Depth(depth), our_divide);
  if (!divides) return divides.error().message;
  std::string text;
  for (const auto& [of, answer] : *divides) {
    text +=
        (text.empty() ? "" : ", ") + std::to_string(of.plies()) + ' ' + answer.sum()->to_string();
  }
  return text;
}

TEST(DivideDiff, OfSeveralDepthsTheSmallestThatDiffersIsTold) {
  const Line start;
  const auto told = [&](const std::string& pasted) {
    const auto divides = parse_pasted_divides(pasted, start, Depth(3), our_divide);
    EXPECT_TRUE(divides);
    const auto ours = our_divide(start, Depth(3));
    return json::parse(diff_of_paste(start, Depth(3), *ours, *divides, std::nullopt, our_divide));
  };
  const auto with_total = [&](int depth) {
    return printed_divide(start, depth) +
           "\nNodes searched: " + perft_of(start.here(), depth).to_string() + "\n\n";
  };
  const auto wrong = [](std::string divide) {  // e2e4 has one path too many
    const std::size_t at = divide.find("e2e4: ");
    const std::size_t end = divide.find('\n', at);
    const std::string count = std::to_string(std::stoi(divide.substr(at + 6, end - at - 6)) + 1);
    return divide.replace(at + 6, end - at - 6, count);
  };
  const json one = told(with_total(3));
  EXPECT_FALSE(one.contains("depths"));
  EXPECT_FALSE(one.contains("depth"));
  const json right = told(with_total(3) + with_total(1));
  EXPECT_EQ(right["depth"], 3);
  EXPECT_EQ(right["agrees"], true);
  EXPECT_EQ(right["depths"],
            json::parse(R"([{"depth": 1, "agrees": true}, {"depth": 3, "agrees": true}])"));
  const json second =
      told(with_total(1) + wrong(printed_divide(start, 2)) + "\nNodes searched: 401\n\n" +
           wrong(printed_divide(start, 3)) + "\nNodes searched: 8903\n\n");
  EXPECT_EQ(second["depth"], 2);
  EXPECT_EQ(second["next"]["move"], "e2e4");
  EXPECT_EQ(second["next"]["depth"], 1);
  EXPECT_EQ(second["depths"][0]["agrees"], true);
  EXPECT_EQ(second["depths"][1]["agrees"], false);
  EXPECT_EQ(second["depths"][2]["agrees"], false);
}

TEST(DivideDiff, SeveralDepthsInOnePaste) {
  const Line start;
  const auto with_total = [&](int depth) {
    return printed_divide(start, depth) +
           "\nNodes searched: " + perft_of(start.here(), depth).to_string() + "\n\n";
  };
  EXPECT_EQ(depths_of(with_total(1) + with_total(2) + with_total(3), 3), "1 20, 2 400, 3 8902");
  EXPECT_EQ(depths_of("go perft 1\n" + with_total(1) + "go perft 3\n" + with_total(3), 3),
            "1 20, 3 8902");
  EXPECT_EQ(depths_of(with_total(2) + with_total(3), 4), "2 400, 3 8902");
  // Totals that are ours tell the depth, whatever stands before.
  EXPECT_EQ(depths_of(with_total(3) + with_total(2), 3), "3 8902, 2 400");
  EXPECT_EQ(depths_of(with_total(3) + with_total(3), 3), "3 8902, 3 8902");
  // Without totals, each by having the same moves again.
  EXPECT_EQ(depths_of(printed_divide(start, 1) + printed_divide(start, 2), 2), "1 20, 2 400");
  EXPECT_EQ(depths_of(with_total(3), 3), "3 8902");
  EXPECT_EQ(depths_of(with_total(1) + with_total(2), 1), "has 2 divides, more than depths up to 1");
  // One ply too deep each: that is not taken for the depths that they would be.
  EXPECT_EQ(depths_of(with_total(2) + with_total(3), 2), "1 400, 2 8902");
  // The last is what POST /v1/diff compares.
  EXPECT_TRUE(diff(start, 2, with_total(1) + with_total(2))["agrees"]);
}

TEST(DivideDiff, MovesAloneAreADivideOfDepthOne) {
  std::string moves;
  for (const Move move : legal_moves(Line().here()))
    moves += to_uci(move, CastlingNotation::kStandard) + '\n';
  EXPECT_TRUE(diff(Line(), 1, moves)["agrees"]);
  EXPECT_THAT(diff(Line(), 2, moves).get<std::string>(), HasSubstr("not understood"));
}

}  // namespace
}  // namespace manyply
