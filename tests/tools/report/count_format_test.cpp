// Tests the formats of counts, and Stockfish's order of moves.
#include "tools/report/count_format.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/line.h"
#include "core/position.h"
#include "tests/support/positions.h"
#include "tools/report/answer.h"

namespace manyply {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ReportFormat : public ::testing::Test {
 protected:
  ReportFormat() : root_(*parse_line("startpos", "", std::nullopt)) {
    for (const Move move : legal_moves(root_.here()))
      report_.divide.push_back({move, NodeCount(20)});
    report_.nodes = NodeCount::from_words(3, 0);  // 3 * 2^64, larger than every built-in integer
    report_.seconds = 2;
    report_.visited = 3'000'000;
    report_.threads = 2;
    report_.kernel = "portable";
  }
  std::string text(Format format, bool with_divide = false) {
    return of(root_, Depth(2), format, with_divide);
  }

  std::string of(const Line& root, Depth depth, Format format, bool with_divide = false) {
    return written(CountMode::kHashed, format, count_document(report_, root, depth),
                   {.divide = with_divide, .line = &root})
        .value();
  }

  Line root_;
  Report report_;
};

TEST_F(ReportFormat, TextLabelsEveryFigure) {
  EXPECT_EQ(text(Format::kText),
            "position   rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"
            "depth      2\n"
            "nodes      55340232221128654848  (55,340,232,221,128,654,848)\n"
            "known      unknown (no published value)\n"
            "seconds    2.000 counting, 0.000 setting up\n"
            "leaves/s   27.7 E\n"
            "visited/s  1.50 M\n"
            "threads    2\n"
            "kernel     portable\n"
            "method     unhashed\n");
  EXPECT_THAT(text(Format::kText, true), StartsWith("a2a3: 20\na2a4: 20\nb1a3: 20\n"));
  EXPECT_THAT(text(Format::kText, true), HasSubstr("h2h4: 20\n\nposition   "));
}

TEST_F(ReportFormat, TellsTheMethodAndWhatItRestsOn) {
  const auto json = [this] { return nlohmann::ordered_json::parse(text(Format::kJson)); };
  EXPECT_EQ(json()["method"], "unhashed");
  EXPECT_TRUE(json()["matrix"].is_null());
  report_.hash.emplace();
  EXPECT_THAT(text(Format::kText), HasSubstr("method     hashed\n"));
  EXPECT_EQ(json()["method"], "hashed");
  report_.hash.reset();
  report_.divide.clear();
  report_.matrix = MatrixReport{
      .rows = 863, .columns = 2019, .kernel_pairs = 72'078, .lane_pairs = 9, .bytes = 4096};
  EXPECT_THAT(
      text(Format::kText),
      HasSubstr(
          "method     configurations\n"
          "matrix     863 by 2019 configurations, 4 KiB\n"
          "counted    72078 positions by the two-ply kernel, 9 positions of the next ply in lanes "
          "of bytes\n"
          "expected   no false matches: configurations are compared as a whole, without keys\n"));
  EXPECT_EQ(json()["method"], "configurations");
  EXPECT_EQ(json()["expected_false_matches"], 0);
  EXPECT_EQ(json()["matrix"]["false_match_possible"], false);
  EXPECT_TRUE(json()["divide"].empty());
}

TEST_F(ReportFormat, KnownValuesGetAVerdict) {
  report_.known_nodes = NodeCount(400);
  report_.known = KnownVerdict::kMismatch;
  EXPECT_THAT(text(Format::kText), HasSubstr("known      mismatch: 400 is published\n"));
  EXPECT_THAT(text(Format::kJson), HasSubstr(R"("known":"mismatch")"));
  report_.known = KnownVerdict::kMatch;
  EXPECT_THAT(text(Format::kText), HasSubstr("known      match\n"));
}

TEST_F(ReportFormat, JsonCarriesCountsAsDecimalStrings) {
  const auto json = nlohmann::ordered_json::parse(text(Format::kJson));
  EXPECT_EQ(json["fen"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
  using Member = std::pair<const char*, nlohmann::ordered_json>;
  for (const auto& [name, value] :
       {Member("depth", 2), Member("nodes", "55340232221128654848"), Member("known", "unknown"),
        Member("seconds", 2.0), Member("setup_seconds", 0.0), Member("leaves_per_second", 0x1.8p64),
        Member("visited_per_second", 1'500'000), Member("threads", 2), Member("kernel", "portable"),
        Member("hash_bytes", 0)})
    EXPECT_EQ(json[name], value) << name;
  EXPECT_TRUE(json["key_seed"].is_null());
  EXPECT_EQ(json["expected_false_matches"], 0);
  EXPECT_TRUE(json["table"].is_null());
  ASSERT_EQ(json["divide"].size(), 20u);
  EXPECT_EQ(json["divide"][0], nlohmann::ordered_json({{"move", "a2a3"}, {"nodes", "20"}}));
  EXPECT_EQ(std::ranges::count(text(Format::kJson), '\n'), 1);
}

TEST_F(ReportFormat, CsvHasHeadRowsAndTotal) {
  const std::string csv = text(Format::kCsv);
  EXPECT_THAT(csv, StartsWith("move,nodes\na2a3,20\n"));
  EXPECT_THAT(csv, ::testing::EndsWith("h2h4,20\ntotal,55340232221128654848\n"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 22);
}

TEST_F(ReportFormat, StockfishFormatHasItsOrderAndItsEmptyLines) {
  const std::string lines = text(Format::kStockfish);
  EXPECT_THAT(lines, StartsWith("a2a3: 20\nb2b3: 20\n"));
  EXPECT_THAT(lines, ::testing::EndsWith("g1h3: 20\n\nNodes searched: 55340232221128654848\n\n"));
}

TEST_F(ReportFormat, DepthZeroHasNoMoves) {
  report_.divide.clear();
  report_.nodes = 1;
  EXPECT_EQ(of(root_, Depth(0), Format::kStockfish), "\nNodes searched: 1\n\n");
  EXPECT_EQ(of(root_, Depth(0), Format::kCsv), "move,nodes\ntotal,1\n");
  EXPECT_THAT(of(root_, Depth(0), Format::kText, true), StartsWith("position"));
}

TEST_F(ReportFormat, CastlingFollowsTheNotation) {
  const Line standard = *parse_line("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "", std::nullopt);
  const Line chess960 =
      *parse_line("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "", CastlingNotation::kChess960);
  report_.divide.clear();
  for (const Move move : legal_moves(standard.here()))
    report_.divide.push_back({move, NodeCount(1)});
  EXPECT_THAT(of(standard, Depth(1), Format::kCsv), HasSubstr("e1g1,1\n"));
  EXPECT_THAT(of(chess960, Depth(1), Format::kCsv), HasSubstr("e1h1,1\n"));
  EXPECT_THAT(of(chess960, Depth(1), Format::kJson), HasSubstr("w H - 0 1"));
}

TEST_F(ReportFormat, LoopRowsStandUnderTheirHead) {
  const std::string head = loop_header();
  const std::string row = loop_row(count_document(report_, root_, Depth(2)));
  EXPECT_EQ(head.find("nodes") + 5, row.find("55340232221128654848") + 20);
}

// Small cases that were worked out by hand. tests/e2e compares many positions with the real
// program.

std::string order_of(std::string_view fen, std::string_view moves = "") {
  const Result<Line> parsed = parse_line(fen, moves, std::nullopt);
  if (!parsed) return "illegal moves";
  const Line& root = *parsed;
  std::string text;
  for (const Move move : stockfish_order(root.here(), root.passed())) {
    text += (text.empty() ? "" : " ") + to_uci(move, root.notation());
  }
  return text;
}

TEST(StockfishOrder, PawnsFirstThenPieces) {
  EXPECT_EQ(order_of("startpos"),
            "a2a3 b2b3 c2c3 d2d3 e2e3 f2f3 g2g3 h2h3 a2a4 b2b4 c2c4 d2d4 e2e4 f2f4 g2g4 h2h4 "
            "b1a3 b1c3 g1f3 g1h3");
}

TEST(StockfishOrder, PromotionsQueenFirst) {
  EXPECT_EQ(order_of("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1"),
            "a7b8q a7b8r a7b8b a7b8n a7a8q a7a8r a7a8b a7a8n e1d1 e1f1 e1d2 e1e2 e1f2");
}

TEST(StockfishOrder, CastlingLastKingSideFirst) {
  EXPECT_EQ(order_of("4k3/8/8/8/8/p6p/P6P/R3K2R w KQ - 0 1"),
            "a1b1 a1c1 a1d1 h1f1 h1g1 e1d1 e1f1 e1d2 e1e2 e1f2 e1g1 e1c1");
}

TEST(StockfishOrder, TheLastMoveTakesThePlaceOfAnIllegalOne) {
  // The knight on e2 is pinned: none of its six moves is legal, and king moves fill the gaps.
  EXPECT_EQ(order_of("4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1"), "e1f2 e1d2 e1f1 e1d1");
}

TEST(StockfishOrder, AUselessEnPassantSquareStillCounts) {
  // Capturing on c6 would open the rook's line, so it is illegal. Stockfish's list still has
  // another order than in the same position without the en passant square.
  constexpr std::string_view kWith = "8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1";
  constexpr std::string_view kWithout = "8/8/8/K1pP3r/8/8/8/4k3 w - - 0 1";
  EXPECT_EQ(parse_position(kWith)->position, parse_position(kWithout)->position);
  EXPECT_NE(order_of(kWith), order_of(kWithout));
}

TEST(StockfishOrder, IsAPermutationOfTheLegalMoves) {
  const Chooser choose = choose_by_seed(1);
  int checked = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Result<Line> root = parse_line(piece_soup(choose), "", std::nullopt);
    if (!root) continue;
    std::vector<Move> ours = stockfish_order(root->here(), root->passed());
    const MoveList list = legal_moves(root->here());
    std::vector<Move> legal(list.begin(), list.end());
    std::ranges::sort(ours);
    std::ranges::sort(legal);
    ASSERT_EQ(ours, legal) << to_fen(root->here());
    ++checked;
  }
  EXPECT_GT(checked, 1000);
}

}  // namespace
}  // namespace manyply
