#include "tests/e2e/perft.h"

namespace manyply {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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
  // it.
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

}  // namespace
}  // namespace manyply
