// Compares divides with ours if a row can have several meanings.
#include <gmock/gmock.h>

#include "tests/tools/diagnose/fake_program.h"
#include "tools/diagnose/diagnosis.h"

namespace manyply {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

// g2g1 is a promotion. At depth 2, each piece has another count: 9, 7, 6 or 8.
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

/// Removes rows of one promotion from a text, from number `first` to the one before `last`.
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
  // After the promotion to a rook, and only then, the program counts one more, because it invents a
  // move.
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
