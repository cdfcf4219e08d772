// Compares divides with ours: pasted divides that are right but answer another question, that do
// not name pieces, or whose rows can have several meanings.
#include "tools/diagnose/divide_diff.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/tools/diagnose/fake_program.h"
#include "tools/diagnose/diagnosis.h"

namespace manyply {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

json diff(const Line& line, int depth, const std::string& pasted) {
  const auto ours = divide(line.here(), Depth(depth));
  const auto theirs = read_paste(pasted, line, Depth(depth));
  if (!theirs) return theirs.error().message;
  return diff_document(line, Depth(depth), *ours, theirs->back().answer, std::nullopt, our_divide);
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
            "counts-every-ply: counts every ply, not only the last: 20 + 400 + 8902 = 9322");
  // At depth 2, one illegal move after each move would give the same counts. So the next step is to
  // compare the position after a move.
  const json two = diff(start, 2, printed_divide(start, 2, with_root));
  EXPECT_TRUE(two["causes"].empty());
  EXPECT_FALSE(two["next"].is_null());
  EXPECT_EQ(two["notes"][0],
            "each count is what it would be if every ply were counted, not only the last: 20 + "
            "400 = 420");
  const json total = diff(start, 2, printed_divide(start, 2) + "Total: 420\n");
  EXPECT_TRUE(total["agrees"]);
  EXPECT_THAT(total["notes"][0].get<std::string>(), HasSubstr("20 + 400 = 420"));
}

TEST(DivideDiff, AnotherDepthOrPosition) {
  const Line kiwipete = parsed_line("kiwipete");
  EXPECT_EQ(only_cause(diff(kiwipete, 1, printed_divide(kiwipete, 2))),
            "another-depth: what it calls depth 1 is our depth 2");
  EXPECT_EQ(only_cause(diff(kiwipete, 3, printed_divide(kiwipete, 2))),
            "another-depth: what it calls depth 3 is our depth 2");
  EXPECT_EQ(only_cause(diff(kiwipete, 3, printed_divide(kiwipete, 1))),
            "another-depth: what it calls depth 3 is our depth 1");
  EXPECT_EQ(only_cause(diff(kiwipete, 2, printed_divide(Line(), 2))),
            "fen-not-taken: these are the moves of the start position");
  EXPECT_EQ(
      only_cause(diff(parsed_line("kiwipete", "e1g1 a6b5"), 1, printed_divide(kiwipete, 3))),
      "moves-not-played: these are the moves of the position that precedes e1g1, move 1 of the "
      "line");
  EXPECT_EQ(diff(kiwipete, 1,
                 "Na3: 1\nNc3: 1\nNf3: 1\nNh3: 1\na3: 1\nb3: 1\nc3: 1\nd3: 1\ne3: 1\n"
                 "f3: 1\ng3: 1\nh3: 1\na4: 1\nb4: 1\nc4: 1\nd4: 1\ne4: 1\nf4: 1\n"
                 "g4: 1\nh4: 1\n"),
            "is not about this position: these are the moves of the start position");
}

TEST(DivideDiff, AnyOtherPositionIsToldAndNoRuleIsSaidToBeBroken) {
  const Line kiwipete = parsed_line("kiwipete");
  for (const int depth : {1, 2}) {
    EXPECT_EQ(only_cause(diff(kiwipete, depth, printed_divide(parsed_line("position5"), depth))),
              "another-position: these are the moves of position5");
    EXPECT_EQ(
        only_cause(diff(kiwipete, depth, printed_divide(parsed_line("kiwipete", "e2a6"), depth))),
        "another-position: these are the moves of the position after e2a6, one move further");
  }
  // The divide of a position that is not well known, with or without its FEN, complete or with lost
  // lines.
  const std::string unknown =
      "r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 6";
  const std::string pasted = printed_divide(parsed_line(unknown), 2);
  const std::string half = pasted.substr(0, pasted.find('\n', pasted.size() / 2) + 1);
  EXPECT_EQ(
      only_cause(diff(parsed_line("position4", "c4c5"), 2, "Fen: " + unknown + "\n" + pasted)),
      "another-position: these are the moves of the position that the output names, " + unknown);
  EXPECT_EQ(
      only_cause(
          diff(parsed_line("position4", "c4c5"), 2, "position fen " + unknown + "\n" + half)),
      "another-position: its moves are legal in the position that the output names, " + unknown);
  for (const std::string& text : {pasted, half}) {
    for (const char* fen : {"kiwipete", "position3", "position4", "position5", "position6"}) {
      EXPECT_THAT(only_cause(diff(parsed_line(fen), 2, text)),
                  HasSubstr("it looks like the divide of another position"))
          << fen << '\n'
          << text;
    }
  }
  // The text names this position, so its wrong moves are errors.
  const json wrong =
      diff(kiwipete, 1,
           "FEN: " + std::string(kKiwipeteFen) + "\n" + printed_divide(kiwipete, 1) + "e1e3: 1\n");
  ASSERT_EQ(wrong["causes"].size(), 1U);
  EXPECT_EQ(wrong["causes"][0]["moves"], json::array({"e1e3"}));
}

// Most of the pasted moves are wrong, but all are moves of existing pieces. So the program is
// wrong, and the divide is not that of another position.
TEST(DivideDiff, WhoIgnoresACheckIsAskedAboutThisPosition) {
  const Line line = parsed_line("4k3/8/8/8/8/8/4r3/RNBQK1N1 w - - 0 1");
  std::string pasted = printed_divide(line, 1);
  for (const char* move : {"a1a2", "a1a3", "a1a4", "a1a5", "a1a6", "a1a7", "b1a3", "b1c3", "c1b2",
                           "c1a3", "g1f3", "g1h3"})
    pasted += std::string(move) + ": 1\n";
  const json answer = diff(line, 1, pasted);
  ASSERT_EQ(answer["causes"].size(), 1U) << answer;
  EXPECT_EQ(answer["causes"][0]["name"], "check-ignored");
}

TEST(DivideDiff, MovesThatMayHaveBeenLostAreNotMissed) {
  const Line kiwipete = parsed_line("kiwipete");
  std::string pasted = printed_divide(kiwipete, 2);
  for (const char* castling : {"e1g1", "e1c1"}) {
    const std::size_t first = pasted.find(castling);
    pasted.erase(first, pasted.find('\n', first) + 1 - first);
  }
  const json lost = diff(kiwipete, 2, pasted);
  EXPECT_EQ(lost["agrees"], false);
  EXPECT_EQ(lost["incomplete"], true);
  EXPECT_EQ(lost["causes"], json::array());
  EXPECT_TRUE(lost["next"].is_null());
  EXPECT_EQ(lost["notes"].size(), 2U);
  EXPECT_THAT(lost["notes"].dump(), HasSubstr("46 of 48 moves"));
  EXPECT_THAT(lost["notes"].dump(), HasSubstr("misses e1c1, e1g1 (castling is missing)"));
  // A total shows whether the list is complete.
  const json missed = diff(kiwipete, 2, pasted + "Total: 1953\n");
  ASSERT_EQ(missed["causes"].size(), 1U) << missed;
  EXPECT_EQ(missed["causes"][0]["name"], "castling-missed");
  EXPECT_EQ(missed["incomplete"], false);
  const json cut = diff(kiwipete, 2, pasted + "Total: 2039\n");
  EXPECT_EQ(cut["causes"], json::array());
  EXPECT_EQ(cut["notes"].size(), 1U);
  EXPECT_THAT(cut["notes"].dump(), HasSubstr("total is right"));
}

TEST(DivideDiff, RowsOfNothingMayBeLeftOut) {
  const Line mate = parsed_line("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1");
  std::string pasted;
  NodeCount sum;
  for (const auto& [move, nodes] : *divide(mate.here(), Depth(2))) {
    if (nodes != NodeCount(0))
      pasted += to_uci(move, mate.notation()) + ": " + nodes.to_string() + '\n';
    sum += nodes;
  }
  const json answer = diff(mate, 2, pasted + "Total: " + sum.to_string() + "\n");
  EXPECT_EQ(answer["causes"], json::array());
  EXPECT_THAT(answer["notes"][0].get<std::string>(), HasSubstr("any programs leave out such rows"));
}

TEST(DivideDiff, CutNumbersAndDoubledLinesAccuseNobody) {
  const Line start;
  std::string pasted = printed_divide(start, 3);
  pasted.resize(pasted.size() - 3);  // "h2h4: 4"
  json answer = diff(start, 3, pasted);
  EXPECT_TRUE(answer["next"].is_null());
  EXPECT_THAT(answer["notes"][0].get<std::string>(), HasSubstr("it may have been cut"));
  // Numbered rows, cut off after a number or a move.
  const auto numbered = [&](const char* behind) {
    std::string text;
    int number = 0;
    for (const auto& [move, nodes] : *divide(start.here(), Depth(1))) {
      if (++number <= 12)
        text += std::to_string(number) + ' ' + to_uci(move, start.notation()) + " 1\n";
    }
    return diff(start, 1, text + behind);
  };
  EXPECT_EQ(numbered("13")["causes"], json::array());
  EXPECT_EQ(numbered("13 b1a3"),
            "not understood: '13 b1a3', has only the number of a line or move, but no count");
  // A single number above the rows does not belong to them.
  const Line check = parsed_line("4k3/8/8/8/8/8/4r3/RNBQK1N1 w - - 0 1");
  EXPECT_EQ(diff(check, 1, "1\ne1e2: 1\n")["causes"], json::array());
  EXPECT_EQ(diff(check, 1, "1 g1e2 1\n2 d1e2 1\n3")["causes"], json::array()) << "1 + 2 is 3";
  EXPECT_FALSE(numbered("Total: 12")["causes"].empty());
  answer = diff(start, 3, printed_divide(start, 3) + "e2e4: 600\n");
  EXPECT_EQ(answer["causes"], json::array());
  EXPECT_THAT(answer["notes"][0].get<std::string>(),
              HasSubstr("If your program printed that, it generates the move more than once"));
}

TEST(DivideDiff, TheRowThatMakesTheDifferenceIsQuotedAndNotTheBanner) {
  const Line start;
  const std::string banner =
      "Stockfish 15.1 by the Stockfish developers (see AUTHORS file)\n"
      "info string NNUE evaluation using nn-ad9b42354671.nnue enabled\n";
  std::string pasted = printed_divide(start, 2);
  const std::string total = "\nNodes searched: 400\n\n";
  EXPECT_TRUE(diff(start, 2, banner + pasted + total)["agrees"]);
  std::string odd = pasted;
  odd.replace(odd.find("g1f3"), 4, "Nf9");
  EXPECT_EQ(diff(start, 2, banner + odd + total), "not understood: 'Nf9: 20'");
  std::string wrong = pasted;
  wrong.replace(wrong.find("b2b3: 20"), 8, "b2b3: 21");
  const json answer = diff(start, 2, banner + wrong + total);
  EXPECT_EQ(answer["pasted_sum"], "401");
  EXPECT_THAT(answer["notes"].dump(), HasSubstr("total is right"));
  const json sum = diff(start, 2, banner + pasted + "\nNodes searched: 399\n");
  EXPECT_TRUE(sum["agrees"]);
  EXPECT_EQ(sum["notes"][0], "The rows are right, and the total is not.");
  std::string lost = pasted;
  lost.erase(lost.find("b2b3"), 9);
  EXPECT_EQ(diff(start, 2, banner + lost + total)["pasted_sum"], "380");
  EXPECT_EQ(diff(start, 2, banner + lost)["incomplete"], true);
}

TEST(DivideDiff, LinesThatStandOnOneAreTakenApart) {
  const Line start;
  const std::string banner = "Stockfish 16 by the Stockfish developers (see AUTHORS file) ";
  std::string rows = printed_divide(start, 3);
  for (const char* between : {" ", "  ", ", ", "\t", "<br>", "\\n", "\\r\\n"}) {
    std::string line = rows + "Nodes searched: 8902";
    for (std::size_t at = 0; (at = line.find('\n', at)) != std::string::npos;)
      line.replace(at, 1, between);
    const json answer = diff(start, 3, line);
    EXPECT_TRUE(answer["agrees"]) << between << answer;
    EXPECT_EQ(answer["pasted_total"], "8902") << between << answer;
    EXPECT_TRUE(diff(start, 3, banner + line)["agrees"]) << between;
    EXPECT_TRUE(
        diff(start, 3,
             "position fen " + std::string(kStartFen) + " go perft 3" + between + line)["agrees"])
        << between;
  }
}

TEST(DivideDiff, ReadsJsonOfManyShapes) {
  const Line start;
  std::string map, list, pairs, members, nested;
  for (const auto& [move, nodes] : *divide(start.here(), Depth(2))) {
    const std::string uci = to_uci(move, start.notation());
    const std::string count = nodes.to_string();
    map += (map.empty() ? "" : ", ") + ('"' + uci + "\": " + count);
    list += (list.empty() ? "" : ", ") + (R"({"nodes": )" + count + R"(, "move": ")" + uci + "\"}");
    pairs += (pairs.empty() ? "" : ", ") + ("[\"" + uci + "\", " + count + ']');
    members += (members.empty() ? "" : ", ") + ('"' + uci + R"(": {"leaves": )" + count + '}');
    nested += (nested.empty() ? "" : ", ") +
              (R"({"from": ")" + uci.substr(0, 2) + R"(", "to": ")" + uci.substr(2) +
               R"(", "count": ")" + count + R"(", "time": 0.25})");
  }
  for (const std::string& text :
       {"{" + map + ", \"total\": 400}", "{" + map + "}",
        "{\"depth\": 2, \"moves\": {" + map + "}}", "[" + list + "]",
        "{\"perft\": 400, \"divide\": [" + list + "]}", "[" + pairs + "]", "{" + members + "}",
        "{\"nps\": 1234567, \"rows\": [" + nested + "], \"nodes\": \"400\"}"}) {
    const json answer = diff(start, 2, text);
    EXPECT_TRUE(answer.is_object() && answer["agrees"].get<bool>()) << text << answer;
  }
}

TEST(DivideDiff, PromotionsThatNameNoPiece) {
  const Line line = parsed_line("8/8/8/8/8/2K5/6p1/k7 b - - 0 1");
  std::string pasted;
  for (const auto& [move, nodes] : *divide(line.here(), Depth(2)))
    pasted += to_uci(move, line.notation()).substr(0, 4) + ": " + nodes.to_string() + '\n';
  const json right = diff(line, 2, pasted);
  EXPECT_TRUE(right["agrees"]) << right;
  EXPECT_TRUE(right["notes"].empty());
  const Line even = parsed_line("8/4P3/8/8/8/7k/8/K7 w - - 0 1");
  const json wrong = diff(even, 1, "e7e8 1\ne7e8 1\ne7e8 1\ne7e8 2\na1a2 1\na1b1 1\na1b2 1\n");
  EXPECT_FALSE(wrong["agrees"]);
  EXPECT_THAT(wrong["notes"].dump(),
              HasSubstr("the count 2 could be e7e8q or e7e8r or e7e8b or e7e8n"));
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

/// Returns "1 20, 2 400": the depth and sum of each divide.
std::string depths_of(const std::string& pasted, int depth, const Line& line = Line()) {
  const auto divides = parse_pasted_divides(pasted, line, Depth(depth), our_divide);
  if (!divides) return divides.error().message;
  std::string text;
  for (const PastedDivide& of : *divides) {
    text += (text.empty() ? "" : ", ") + std::to_string(of.depth.plies()) + ' ' +
            of.answer.sum()->to_string();
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
  const auto wrong = [](std::string divide) {  // the count of e2e4 is too large by one
    const std::size_t at = divide.find("e2e4: ");
    const std::size_t end = divide.find('\n', at);
    const std::string count = std::to_string(std::stoi(divide.substr(at + 6, end - at - 6)) + 1);
    return divide.replace(at + 6, end - at - 6, count);
  };
  const json one = told(with_total(start, 3));
  EXPECT_FALSE(one.contains("depths"));
  EXPECT_FALSE(one.contains("depth"));
  const json right = told(with_total(start, 3) + with_total(start, 1));
  EXPECT_EQ(right["depth"], 3);
  EXPECT_EQ(right["agrees"], true);
  EXPECT_EQ(right["depths"],
            json::parse(R"([{"depth": 1, "agrees": true}, {"depth": 3, "agrees": true}])"));
  const json second =
      told(with_total(start, 1) + wrong(printed_divide(start, 2)) + "\nNodes searched: 401\n\n" +
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
  EXPECT_EQ(depths_of(with_total(start, 1) + with_total(start, 2) + with_total(start, 3), 3),
            "1 20, 2 400, 3 8902");
  EXPECT_EQ(
      depths_of("go perft 1\n" + with_total(start, 1) + "go perft 3\n" + with_total(start, 3), 3),
      "1 20, 3 8902");
  EXPECT_EQ(depths_of(with_total(start, 2) + with_total(start, 3), 4), "2 400, 3 8902");
  // Totals that equal ours show the depths, whatever text is before them.
  EXPECT_EQ(depths_of(with_total(start, 3) + with_total(start, 2), 3), "2 400, 3 8902");
  EXPECT_EQ(depths_of(with_total(start, 3) + with_total(start, 3), 3), "3 8902")
      << "the same twice";
  // Without totals, a new divide begins when the moves repeat.
  EXPECT_EQ(depths_of(printed_divide(start, 1) + printed_divide(start, 2), 2), "1 20, 2 400");
  EXPECT_EQ(depths_of(with_total(start, 3), 3), "3 8902");
  EXPECT_EQ(depths_of(with_total(start, 1) + with_total(start, 2), 1),
            "has divides of 2 depths, but depth 1 allows at most 1; give a greater depth");
  // Each divide is one ply too deep. Although the sums fit depths 2 and 3, the divides must be
  // compared with depths 1 and 2.
  EXPECT_EQ(depths_of(with_total(start, 2) + with_total(start, 3), 2), "1 400, 2 8902");
}

TEST(DivideDiff, OneLineMayHaveEachCountBeforeItsMove) {
  const Line start;
  std::string after;
  std::string before;
  const std::vector<DivideEntry> entries = *divide(start.here(), Depth(3));
  for (const auto& [move, nodes] : entries) {
    const std::string uci = to_uci(move, start.notation());
    after += uci + ' ' + nodes.to_string() + ' ';
    before += nodes.to_string() + ' ' + uci + ' ';
  }
  for (const char* total : {"", "Nodes: 8902", "total 8902"}) {
    for (const std::string& line : {after, before}) {
      const json answer = diff(start, 3, line + total);
      ASSERT_TRUE(answer.is_object()) << line << total << '\n' << answer;
      EXPECT_TRUE(answer["agrees"]) << line << total;
    }
  }
  // The first number is the number of moves.
  EXPECT_TRUE(diff(start, 3, "20 " + after + "Nodes: 8902")["agrees"]);
  // A number before the first move, or a move after the last count, does not begin another divide.
  for (const char* head : {"", "depth 3 ", "perft(3) ", "go perft 3 "}) {
    for (const char* tail : {"", "bestmove a2a3", "Nodes searched: 8902 bestmove a2a3"}) {
      const json answer = diff(start, 3, head + after + tail);
      ASSERT_TRUE(answer.is_object()) << head << tail << '\n' << answer;
      EXPECT_TRUE(answer["agrees"]) << head << tail;
    }
  }
  // One count is wrong.
  before.replace(0, 1, "4");
  const json wrong = diff(start, 3, before + "Nodes: 9002");
  ASSERT_TRUE(wrong.is_object()) << wrong;
  EXPECT_FALSE(wrong["agrees"]);
}

TEST(DivideDiff, MovesAloneAreADivideOfDepthOne) {
  std::string moves;
  for (const Move move : legal_moves(Line().here()))
    moves += to_uci(move, CastlingNotation::kStandard) + '\n';
  EXPECT_TRUE(diff(Line(), 1, moves)["agrees"]);
  EXPECT_THAT(diff(Line(), 2, moves).get<std::string>(), HasSubstr("not understood"));
}

// Compares divides with ours if a row can have several meanings.

// g2g1 is a promotion. At depth 2, its count depends on the piece: 9, 7, 6 or 8.
constexpr const char* kPromotes = "8/8/8/8/8/2K5/6p1/k7 b - - 0 1";

/// Returns our divide in which the rows of promotions do not name the piece.
std::string without_pieces(
    const Line& line, int depth,
    const std::function<NodeCount(Move, NodeCount)>& count = [](Move, NodeCount nodes) {
      return nodes;
    }) {
  std::string text;
  for (const auto& [move, nodes] : *divide(line.here(), Depth(depth))) {
    text +=
        to_uci(move, line.notation()).substr(0, 4) + ": " + count(move, nodes).to_string() + '\n';
  }
  return text;
}

FakeProgram without_pieces(const std::function<NodeCount(Move, NodeCount)>& count =
                               [](Move, NodeCount nodes) { return nodes; }) {
  return FakeProgram([count](const Line& line, Depth depth) {
    return without_pieces(line, depth.plies(), count);
  });
}

/// Removes rows that begin with `move`: those with numbers from `first` to last - 1, counted from
/// 0.
std::string without_rows(const std::string& text, const std::string& move, int first, int last) {
  std::istringstream lines(text);
  std::string left;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool of_these = line.starts_with(move);
    if (!of_these || number < first || number >= last) left += line + '\n';
    number += of_these ? 1 : 0;
  }
  return left;
}

TEST(Comparison, FourPromotionsWithoutTheirPiecesAreTheFour) {
  for (const char* fen :
       {kPromotes, "8/4P3/8/8/8/7k/8/K7 w - - 0 1", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/PPPPPPPP/8/8/8/7k/8/K7 w - - 0 1"}) {
    for (int depth = 1; depth <= 3; ++depth) {
      FakeProgram program = without_pieces();
      EXPECT_EQ(text_of(hunt(program, fen, depth)), "agrees") << fen << ' ' << depth;
    }
  }
  // All moves are promotions, each with four rows, and still there is no second table.
  ASSERT_EQ(legal_moves(parse_position("k7/6P1/8/8/3b4/8/r7/7K w - - 0 1")->position).size(), 4U);
  FakeProgram alone = without_pieces();
  EXPECT_EQ(text_of(hunt(alone, "k7/6P1/8/8/3b4/8/r7/7K w - - 0 1", 2)), "agrees");
}

TEST(Comparison, FourPromotionsInShortNotation) {
  FakeProgram program([](const Line& line, Depth depth) {
    std::string text;
    for (const auto& [move, nodes] : *divide(line.here(), depth)) {
      const std::string san = to_san(line.here(), move);
      text += san.substr(0, san.find('=')) + ": " + nodes.to_string() + '\n';
    }
    return text;
  });
  EXPECT_EQ(text_of(hunt(program, kPromotes, 3)), "agrees");
}

TEST(Comparison, AWrongCountAmongThemIsLookedForBehindThePiecesThatItCouldBe) {
  // Only after the promotion to a rook, the program invents a move, so the count of this promotion
  // is too large by one.
  FakeProgram program([](const Line& line, Depth depth) {
    const bool behind = !line.moves().empty() && line.moves()[0].kind() == MoveKind::kPromoteRook &&
                        depth.plies() == 1;
    const auto count = [&](Move move, NodeCount nodes) {
      const bool before =
          depth.plies() == 2 && line.moves().empty() && move.kind() == MoveKind::kPromoteRook;
      return before ? nodes + NodeCount(1) : nodes;
    };
    return without_pieces(line, depth.plies(), count) + (behind ? "c3c5: 1\n" : "");
  });
  EXPECT_EQ(text_of(hunt(program, kPromotes, 2)),
            "move-played-wrong: after g2g1r the engine's moves are those of another position; it "
            "lists the right moves if it gets this position as a FEN");
}

TEST(Comparison, AWrongCountThatMayBeSeveralPiecesNamesThem) {
  FakeProgram program = without_pieces([](Move move, NodeCount nodes) {
    return move.kind() == MoveKind::kPromoteBishop ? nodes + NodeCount(1) : nodes;
  });
  EXPECT_EQ(text_of(hunt(program, "8/4P3/8/8/8/7k/8/K7 w - - 0 1", 1)),
            "count-at-depth-one: e7e8 counts as 2 and is listed without its piece: it could be "
            "e7e8q, e7e8r, "
            "e7e8b, e7e8n");
}

TEST(Comparison, FewerOrMoreThanFour) {
  const auto of = [](int first, int last, const std::string& more = "") {
    FakeProgram program([=](const Line& line, Depth depth) {
      return without_rows(without_pieces(line, depth.plies()), "g2g1", first, last) + more;
    });
    return text_of(hunt(program, kPromotes, 2));
  };
  EXPECT_EQ(of(1, 4), "promotion-without-piece: the move does not name the piece");
  EXPECT_EQ(of(2, 4),
            "underpromotion-missed: it is listed 2 times, not 4, with the counts 1, 1: these "
            "may be g2g1q, g2g1r, g2g1b, g2g1n");
  EXPECT_THAT(of(9, 9, "g2g1: 1\n"), StartsWith("listed-twice: g2g1 is listed more than once"));
}

TEST(Comparison, NumbersBesideADepthAreCountsOnlyIfTheyLookLikeOurs) {
  const Line line;
  const auto ours = *divide(line.here(), Depth(2));
  const auto read = [&](const std::function<std::string(const std::string&)>& numbers) {
    EngineOutputParser parser(line.named(), Depth(2));
    for (const auto& [move, nodes] : ours)
      parser.feed(to_uci(move, line.notation()) + ' ' + numbers(nodes.to_string()));
    return settled(parser.answer(), line, ours);
  };
  const auto column = [&](const EngineAnswer& answer) { return answer.rows[0].nodes; };
  EXPECT_EQ(column(read([](const std::string& right) { return "2 " + right; })), NodeCount(20));
  EXPECT_EQ(column(read([](const std::string& right) { return right + " 2"; })), NodeCount(20));
  EXPECT_EQ(column(read([](const std::string&) { return std::string("2 21"); })), NodeCount(21))
      << "every row is wrong, and yet it is the count";
  const EngineAnswer neither = read([](const std::string&) { return std::string("2 9000"); });
  ASSERT_FALSE(neither.unread.empty());
  EXPECT_EQ(to_string(neither.unread[0]),
            "'a2a3 2 9000', it is ambiguous which number is the count");
  EXPECT_THAT(read([](const std::string&) { return std::string("9000"); }).unread, IsEmpty());
}

}  // namespace
}  // namespace manyply
