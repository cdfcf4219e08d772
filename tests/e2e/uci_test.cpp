// Tests `perft uci`. Compares our output with Stockfish 15.1's, byte for byte, for positions of
// every kind.
#include <sstream>
#include <utility>

#include "core/fen.h"
#include "core/position.h"
#include "tests/e2e/perft.h"
#include "tests/support/budget.h"
#include "tests/support/epd_suite.h"
#include "tests/support/positions.h"

namespace manyply {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string uci(std::string_view input) { return printed({"uci"}, input); }

TEST(Uci, IntroducesItself) {
  const std::string out = uci("uci\nisready\nquit\n");
  EXPECT_THAT(out, StartsWith("id name Manyply "));
  EXPECT_THAT(out, HasSubstr("option name UCI_Chess960 type check default false\n"));
  EXPECT_THAT(out, HasSubstr("option name Threads type spin default "));
  EXPECT_THAT(out, HasSubstr("option name Hash type spin default "));
  EXPECT_THAT(out, HasSubstr("option name UseHash type check default true\n"));
  EXPECT_THAT(out, EndsWith("uciok\nreadyok\n"));
}

TEST(Uci, CountsWithoutATableIfToldTo) {
  const std::string keyed = "setoption name UseHash value false\nsetoption name Hash value 1\n";
  EXPECT_THAT(uci(keyed + "go perft 5"), EndsWith("\nNodes searched: 4865609\n\n"));
  // No machine has this much memory. The option itself allocates nothing, so only the count reports
  // the error.
  const std::string huge = "setoption name Hash value 33554432\n";
  EXPECT_THAT(uci(huge + "go perft 5"), HasSubstr("info string error: "));
  EXPECT_THAT(uci(huge + "setoption name UseHash value false\ngo perft 5"),
              EndsWith("\nNodes searched: 4865609\n\n"));
}

TEST(Uci, CountsWithoutGo) {
  const std::string divide = uci("go perft 3");
  EXPECT_EQ(uci("divide 3"), divide);
  EXPECT_EQ(uci("position startpos moves e2e4\nperft 3"), "Nodes searched: 13160\n\n");
  EXPECT_THAT(uci("perft x"), HasSubstr("info string error: "));
}

TEST(Uci, HelpHelps) {
  const std::string help = uci("help\n");
  for (const char* command :
       {"uci", "isready", "setoption", "position", "d ", "go perft", "stop", "quit"})
    EXPECT_THAT(help, HasSubstr("\n  " + std::string(command)));
  EXPECT_THAT(uci("hepl\n"), HasSubstr("Unknown command: 'hepl'. Type help"));
}

TEST(Uci, CountsFromTheStartPositionByDefault) {
  EXPECT_THAT(uci("go perft 3\nquit\n"), EndsWith("g1h3: 400\n\nNodes searched: 8902\n\n"));
}

TEST(Uci, TheEndOfTheInputWaitsForTheCount) {
  EXPECT_THAT(uci("go perft 4"), EndsWith("\nNodes searched: 197281\n\n"));
}

TEST(Uci, CountsComeInTheOrderTheyWereAskedFor) {
  EXPECT_EQ(
      uci("position fen 7k/8/8/8/8/8/8/K7 w - - 0 1\ngo perft 2\nposition startpos moves e2e4\n"
          "position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1\ngo perft 1\ngo perft 0\nquit\n"),
      "a1b1: 3\na1a2: 3\na1b2: 3\n\nNodes searched: 9\n\n\nNodes searched: 0\n\n\nNodes searched: "
      "1\n\n");
}

TEST(Uci, Chess960IsAnOption) {
  constexpr const char* kPosition =
      "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1\ngo perft 1\nquit\n";
  EXPECT_THAT(uci(kPosition), HasSubstr("\ne1g1: 1\n"));
  EXPECT_THAT(uci(std::string("setoption name uci_chess960 value true\n") + kPosition),
              HasSubstr("\ne1h1: 1\n"));
}

TEST(Uci, OptionsAreAcceptedAndUnknownOnesNamed) {
  EXPECT_EQ(uci("setoption name Threads value 2\nsetoption name Hash value 64\nsetoption name "
                "Ponder value true\n"
                "ucinewgame\n\n# a comment\nquit\n"),
            "No such option: Ponder\n");
}

TEST(Uci, UnknownCommandsAreAnsweredAsStockfishDoes) {
  EXPECT_EQ(uci("fly me\nquit\n"), "Unknown command: 'fly me'. Type help for more information.\n");
}

TEST(Uci, TakesPositionsAsOtherCommandsDo) {
  for (const char* position : {"kiwipete",
                               "fen \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/"
                               "R3K2R w KQkq -\"",
                               "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R_w_KQkq_-"})
    EXPECT_THAT(uci("position " + std::string(position) + "\ngo perft 2\n"),
                EndsWith("\nNodes searched: 2039\n\n"))
        << position;
}

TEST(Uci, ARefusedPositionIsNotCounted) {
  EXPECT_EQ(uci("position fen 4k3/8/8/8/8/8/8/4K3 w K - 0 1\ngo perft 1\nd\nquit\n"),
            "info string error: castling: no rook on h1 (column 23)\n"
            "info string error: the last position was invalid; send a valid one\n"
            "info string error: the last position was invalid; send a valid one\n");
  EXPECT_EQ(uci("position startpos moves e2e4 e2e4\nquit\n"),
            "info string error: moves: move 2, 'e2e4' is not legal here (column 6)\n");
  EXPECT_EQ(uci("go perft x\ngo depth 5\nquit\n"),
            "info string error: depth: 'x' is not a whole number from 0 to 64\n"
            "info string error: only 'go perft N' is supported\n");
}

TEST(Uci, ShowsTheBoard) {
  const std::string out = uci("position fen 4k3/8/8/8/8/8/4r3/R3K2R w KQ - 3 9\nd\nquit\n");
  EXPECT_THAT(out, HasSubstr(" | R |   |   |   | K |   |   | R | 1\n"));
  EXPECT_THAT(out, HasSubstr("\nFen: 4k3/8/8/8/8/8/4r3/R3K2R w KQ - 3 9\n"));
  EXPECT_THAT(out, HasSubstr("\nCheckers: e2 \n"));
}

TEST(Uci, StopCancelsARunningCount) {
  Process process(perft_argv({"uci"}));
  process.send("go perft 12\nisready\n");
  ASSERT_TRUE(process.wait_for_output("readyok\n"));  // the engine answers while it counts
  process.send("stop\nposition startpos\ngo perft 2\nquit\n");
  const ProcessResult result = process.finish();
  EXPECT_EQ(result.exit_code, 0) << "the whole count takes hours";
  EXPECT_THAT(result.out, StartsWith("readyok\ninfo string "));
  EXPECT_THAT(result.out, EndsWith("g1h3: 20\n\nNodes searched: 400\n\n"));
}

TEST(Uci, CtrlCCancelsARunningCount) {
  Process process(perft_argv({"uci"}));
  process.send("go perft 10\nisready\nquit\n");
  ASSERT_TRUE(process.wait_for_output("readyok\n"));
  process.signal(SIGINT);
  const ProcessResult result = process.finish();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.out.find("Nodes searched"), std::string::npos);
}

class Stockfish : public StockfishTest {
 protected:
  /// Returns Stockfish's output after the first line, which contains Stockfish's name.
  static std::string stockfish(std::string_view input) {
    const std::string out = run_process({kStockfish}, input).out;
    EXPECT_THAT(out, ::testing::StartsWith("Stockfish 15.1 "));
    return out.substr(out.find('\n') + 1);
  }

  static void expect_same(const std::string& input) {
    expect_equal(perft({"uci"}, input).out, stockfish(input));
  }

  static void expect_equal(const std::string& actual, const std::string& expected) {
    if (actual == expected) return;
    const auto [ours, theirs] = std::ranges::mismatch(actual, expected);
    const auto at = static_cast<std::size_t>(ours - actual.begin());
    const auto searches = [&](std::string_view text) {
      std::size_t count = 0;
      for (std::size_t i = text.find("searched"); i != text.npos; i = text.find("searched", i + 1))
        ++count;
      return count;
    };
    ADD_FAILURE() << "first difference in the output of count "
                  << searches(actual.substr(0, at)) + 1 << " at byte " << at
                  << "\nours:   " << actual.substr(at, 120)
                  << "\ntheirs: " << expected.substr(at, 120);
  }
};

bool is_chess960(const EpdRecord& record) {
  return record.root.notation == CastlingNotation::kChess960;
}

TEST_F(Stockfish, AgreesOnTheSuites) {
  std::string standard;
  std::string chess960 = "setoption name UCI_Chess960 value true\n";
  std::string last;
  const std::vector<SuiteCase> suites = load_suites();
  for (std::size_t i = 0; i < suites.size(); i += kIsFastBuild ? 1 : 8) {
    const SuiteCase& item = suites[i];
    const std::string commands = "position fen " + item.record.fen + "\ngo perft 1\ngo perft 2\n" +
                                 (kIsFastBuild ? "go perft 3\n" : "");
    if (item.record.fen == last) continue;
    last = item.record.fen;
    chess960 += commands;
    if (!is_chess960(item.record)) standard += commands;
  }
  expect_same(standard + "quit\n");
  expect_same(chess960 + "quit\n");
}

/// Replaces each total of `go perft 1` in the output by the number of moves above it. If a
/// `position` command arrives while Stockfish counts, Stockfish adds the moves of this command to
/// the current total. Stockfish's totals therefore depend on timing.
std::string with_totals_recounted(const std::string& output) {
  std::istringstream in(output);
  std::string text;
  std::string line;
  int lines = 0;
  while (std::getline(in, line)) {
    if (line.ends_with(": 1") && !line.starts_with("Nodes")) ++lines;
    if (line.starts_with("Nodes"))
      line = "Nodes searched: " + std::to_string(std::exchange(lines, 0));
    text += line + '\n';
  }
  return text;
}

/// Returns random games as moves. Unlike separate FENs, games also test lost castling rights, and
/// en passant squares without a possible capture.
std::string random_games(int games, int plies, bool chess960, const Chooser& choose) {
  std::string commands = chess960 ? "setoption name UCI_Chess960 value true\n" : "";
  const auto notation = chess960 ? CastlingNotation::kChess960 : CastlingNotation::kStandard;
  for (int game = 0; game < games; ++game) {
    const std::string fen =
        chess960 ? chess960_start(static_cast<int>(choose(960))) : std::string(kStartFen);
    Position position = parse_position(fen)->position;
    std::string moves;
    for (int ply = 0; ply < plies; ++ply) {
      const MoveList legal = legal_moves(position);
      if (legal.empty()) break;
      const Move move = legal[choose(legal.size())];
      moves += ' ' + to_uci(move, notation);
      position = position.after_unchecked(move);
      commands += "position fen " + fen + " moves" + moves + "\ngo perft 1\n";
    }
  }
  return commands + "quit\n";
}

TEST_F(Stockfish, AgreesOnEveryPositionOfRandomGames) {
  const Chooser choose = choose_by_seed(7);
  for (const bool chess960 : {false, true}) {
    const std::string games =
        random_games(static_cast<int>(budget(640)) / 32, 120, chess960, choose);
    const std::string ours = perft({"uci"}, games).out;
    EXPECT_EQ(ours, with_totals_recounted(ours));
    expect_equal(ours, with_totals_recounted(stockfish(games)));
  }
}

TEST_F(Stockfish, AgreesOnPiecesThrownOnTheBoard) {
  const Chooser choose = choose_by_seed(8);
  std::string commands = "setoption name UCI_Chess960 value true\n";
  for (std::uint64_t i = 0; i < budget(10'000); ++i) {
    const std::string fen = piece_soup(choose);
    const auto setup = parse_fen(fen);
    const auto root = parse_position(fen);
    // If a check accompanies an en passant square, Stockfish assumes that the double step gave the
    // check. In random positions this may be wrong, and Stockfish may then leave its king in check.
    if (!root || (setup->en_passant && root->position.in_check())) continue;
    commands += "position fen " + fen + "\ngo perft 1\n";
  }
  expect_same(commands + "quit\n");
}

TEST_F(Stockfish, FormatIsTheSameOnTheCommandLine) {
  EXPECT_EQ(
      perft({"divide", "3", "--fen", "kiwipete", "--format", "stockfish"}).out,
      stockfish(
          "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\n"
          "go perft 3\nquit\n"));
  EXPECT_EQ(perft({"count", "2", "--moves", "e2e4 g8f6 e4e5 d7d5", "--format", "stockfish"}).out,
            stockfish("position startpos moves e2e4 g8f6 e4e5 d7d5\ngo perft 2\nquit\n"));
}

TEST_F(Stockfish, CountsTheSignaturePositionsTheSame) {
  std::istringstream rows(perft({"signature", "--format", "csv"}).out);
  std::string row;
  std::getline(rows, row);
  std::string input = "setoption name UCI_Chess960 value true\n";
  std::vector<std::string> totals;
  while (std::getline(rows, row) && !row.starts_with("total")) {
    const std::size_t depth = row.find(',');
    const std::size_t nodes = row.find(',', depth + 1);
    input += "position fen " + row.substr(0, depth) + "\ngo perft " +
             row.substr(depth + 1, nodes - depth - 1) + '\n';
    totals.push_back("Nodes searched: " + row.substr(nodes + 1) + '\n');
  }
  EXPECT_EQ(totals.size(), 12u);
  std::string out = stockfish(input + "quit\n");
  for (const std::string& total : totals) {
    const std::size_t at = out.find("Nodes searched");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(out.substr(at, total.size()), total);
    out.erase(0, at + 1);
  }
}

TEST_F(Stockfish, UnknownCommandsGetTheSameAnswer) {
  expect_same("fly\nUCI\n\n# quiet\n go  perft 1\nquit\n");
}

}  // namespace
}  // namespace manyply
