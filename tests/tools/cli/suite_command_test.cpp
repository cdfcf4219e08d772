// Tests commands that read and write suites, and single positions, in this process.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/tools/framework/command_run.h"
#include "tools/text/suite.h"

namespace manyply {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string file(const std::string& name) {
  return MANYPLY_SOURCE_DIR "/tests/data/suites/" + name;
}

TEST(SuiteCommand, ConvertsWithoutCounting) {
  const CommandRun epd = perft({"suite", file("tuples_rs.txt"), "--write", "epd"});
  EXPECT_EQ(epd.exit_code, kExitOk) << epd.err;
  EXPECT_EQ(epd.out,
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 ;D3 2812\n"
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8 ;D2 1486\n");
  EXPECT_THAT(epd.err, HasSubstr(": line 2 read as source code: fen, depth, nodes\n"));
  // Limits select counts here, too, and several suites become one.
  EXPECT_EQ(
      perft({"suite", file("list.json"), file("usual.epd"), "--write", "csv", "--max-depth", "2"})
          .out,
      "fen,D1,D2\nrnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8,,1486\n"
      "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1,14,191\n"
      "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8,44,1486\n");
}

TEST(SuiteCommand, WriteRefusesWhatItCannotHonour) {
  for (const auto& [more, why] :
       {std::pair<std::vector<std::string>, const char*>{{"--engine", "x"}, "--engine: "},
        {{"--format", "csv"}, "--format: "}}) {
    std::vector<std::string> words{"suite", "classic", "--write", "epd"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandRun ran = perft(words);
    EXPECT_EQ(ran.exit_code, kExitError);
    EXPECT_THAT(ran.err, AllOf(HasSubstr(why),
                               HasSubstr("cannot be combined with --write, which counts nothing")));
  }
  EXPECT_THAT(perft({"suite", "--write", "epd"}).err, HasSubstr("FILES is required with --write"));
  EXPECT_THAT(perft({"suite", "classic", "--write", "xml"}).err,
              HasSubstr("'xml' is not one of epd, json, csv"));
}

TEST(SuiteCommand, LenientLeavesOutWhatNoChessHas) {
  const std::string refused = file("../../fuzz/corpus/suite/one-refused.epd");
  const std::string why = "placement: a pawn on d8 (column 2)\n";
  const CommandRun strict = perft({"suite", refused});
  EXPECT_EQ(strict.exit_code, kExitError);
  EXPECT_THAT(strict.err, HasSubstr(why));
  const CommandRun lenient = perft({"suite", refused, "--lenient"});
  EXPECT_EQ(lenient.exit_code, kExitOk);
  EXPECT_THAT(lenient.err, HasSubstr(why));
  EXPECT_THAT(lenient.out, HasSubstr("0 differ, 0 skipped, 1 line refused"));
  EXPECT_THAT(lenient.err,
              HasSubstr(": left out 1 position that cannot occur in chess: placement 1\n"));
  EXPECT_THAT(strict.err, testing::Not(HasSubstr("left out")));
  EXPECT_EQ(perft({"suite", refused, "--write", "epd"}).exit_code, kExitError);
  EXPECT_EQ(perft({"suite", refused, "--write", "epd", "--lenient"}).exit_code, kExitOk);
  // A line that cannot be read is not written as a position.
  const std::string path = testing::TempDir() + "manyply_not_understood.epd";
  std::ofstream(path) << "startpos ;D1 20\nhello\n";
  EXPECT_EQ(perft({"suite", path, "--lenient"}).exit_code, kExitError);
  std::filesystem::remove(path);
}

// If no count of a suite was compared, the suite has not passed.
TEST(SuiteCommand, NothingComparedIsNoPass) {
  const std::string list = file("list.json");  // D3 2812, D2 1486
  const CommandRun small = perft({"suite", list, "--max-nodes", "5"});
  EXPECT_EQ(small.exit_code, kExitError);
  EXPECT_THAT(small.err, HasSubstr("list.json: nothing was compared; left out: 2 above "
                                   "--max-nodes 5\n"));
  EXPECT_THAT(small.out, HasSubstr("0 counts match, 0 differ, 2 skipped"));
  const CommandRun both = perft({"suite", list, "--max-nodes", "2000", "--max-depth", "1"});
  EXPECT_EQ(both.exit_code, kExitError);
  EXPECT_THAT(both.err, HasSubstr("nothing was compared; left out: 2 deeper than --max-depth 1\n"));
  const CommandRun mixed = perft({"suite", list, "--max-nodes", "1400", "--max-depth", "2"});
  EXPECT_THAT(mixed.err, HasSubstr("left out: 1 deeper than --max-depth 2, 1 above --max-nodes "
                                   "1400\n"));
  for (const char* const form : {"text", "json", "csv"}) {
    EXPECT_EQ(perft({"suite", list, "--max-nodes", "5", "--format", form}).exit_code, kExitError);
    EXPECT_EQ(perft({"suite", list, "--max-nodes", "1486", "--format", form}).exit_code, kExitOk);
  }
  // Each of several files must have at least one count that is compared.
  EXPECT_EQ(perft({"suite", list, file("usual.epd"), "--max-depth", "1"}).exit_code, kExitError);
  const CommandRun written = perft({"suite", list, "--max-nodes", "5", "--write", "csv"});
  EXPECT_EQ(written.exit_code, kExitError);
  EXPECT_EQ(written.out, "");
  EXPECT_THAT(written.err, HasSubstr("no counts to write; left out: 2 above --max-nodes 5\n"));
}

TEST(SuiteCommand, GenWritesTheSameInEachForm) {
  const auto positions = [](const std::string& form) {
    const CommandRun ran = perft({"gen", "--positions", "30", "--depth", "2", "--write", form});
    EXPECT_EQ(ran.exit_code, kExitOk) << ran.err;
    std::string all;
    const Result<Suite> suite = read_suite_text(form, ran.out);
    for (const SuiteLine& line : suite->lines) {
      all += line.record.fen;
      for (const EpdCount& count : line.record.counts)
        all += ' ' + std::to_string(count.depth.plies()) + '=' + count.nodes.to_string();
      all += '\n';
    }
    return all;
  };
  const std::string epd = positions("epd");
  EXPECT_EQ(std::ranges::count(epd, '\n'), 30);
  EXPECT_EQ(positions("json"), epd);
  EXPECT_EQ(positions("csv"), epd);
}

TEST(BarePosition, StandsBeforeOrBehindTheDepth) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"count", "2", "kiwipete"},
           {"count", "kiwipete", "2"},
           {"count", "--threads", "1", "kiwipete", "2"},
           {"divide", "kiwipete", "2"},
           {"stats", "2", "kiwipete"},
           {"count", "2",
            "\"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\";"},
       }) {
    const CommandRun ran = perft(words);
    EXPECT_EQ(ran.exit_code, kExitOk) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("2039")) << words[0] << ' ' << words[1];
  }
  EXPECT_THAT(
      perft({"count", "2", "startpos moves e2e4 e7e5"}).out,
      StartsWith("position   rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n"));
  EXPECT_THAT(perft({"count", "2", "1. e4 e5"}).out, HasSubstr("nodes      835"));
  EXPECT_THAT(perft({"count", "2", "position startpos"}).out, HasSubstr("nodes      400"));
  EXPECT_THAT(perft({"count", "2", "Kiwipete"}).out, HasSubstr("nodes      2039"));
  EXPECT_THAT(perft({"count", "1", "[Event \"x\"]\n\n1. e4 {best} e5 *"}).out,
              HasSubstr("nodes      29"));
  EXPECT_THAT(perft({"count", "2", "https://lichess.org/abcdefgh"}).err,
              HasSubstr("this address contains neither a FEN nor moves"));
  EXPECT_EQ(perft({"count", "2", "kiwipet"}).err,
            "perft: FEN: 'kiwipet' is not a position; did you mean 'kiwipete'?\n");
  EXPECT_EQ(perft({"count", "2", "--fen", "position 4"}).err,
            "perft: FEN: 'position 4' is not a position; did you mean 'position4'?\n");
  EXPECT_THAT(perft({"count", "kiwipete"}).err, HasSubstr("DEPTH is required"));
  EXPECT_THAT(perft({"count", "2", "kiwipete", "startpos"}).err,
              HasSubstr("only one position is allowed"));
  EXPECT_THAT(perft({"count", "2", "kiwipete", "--fen", "startpos"}).err,
              HasSubstr("only one position is allowed"));
}

TEST(PositionLine, SaysWhyItIsChess960) {
  EXPECT_THAT(perft({"count", "1", "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w CFcf - 0 1"}).out,
              HasSubstr("w FCfc - 0 1  (Chess960: rook on c1 may castle)\n"));
  EXPECT_THAT(perft({"count", "1", "4k3/8/8/8/8/8/8/1K5R w H - 0 1"}).out,
              HasSubstr("(Chess960: king on b1 may castle)\n"));
  EXPECT_THAT(perft({"count", "1", "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"}).out,
              HasSubstr("(Chess960: rights to castle are written as files)\n"));
  EXPECT_THAT(perft({"count", "1", "kiwipete"}).out, testing::Not(HasSubstr("Chess960")));
}

}  // namespace
}  // namespace manyply
