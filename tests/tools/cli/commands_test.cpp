// Tests commands in this process: those that compare with numbers of other programs, and those that
// read and write suites or single positions.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/tools/diagnose/fake_program.h"
#include "tests/tools/framework/command_run.h"
#include "tools/text/suite.h"

namespace manyply {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A file with pasted text, which exists as long as the object.
class Paste {
 public:
  explicit Paste(const std::string& text) { std::ofstream(path_) << text; }
  ~Paste() { std::filesystem::remove(path_); }
  Paste(const Paste&) = delete;
  Paste& operator=(const Paste&) = delete;

  [[nodiscard]] CommandRun diff(int depth, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"diff", std::to_string(depth), path_.string()});
    return perft(more);
  }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("manyply_diff_" + std::to_string(::getpid()) + "_" +
                                 ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

/// Returns a right divide, except that the count of `move` is `count`.
std::string divide_but(const Line& line, int depth, std::string_view move, const char* count) {
  std::string text = printed_divide(line, depth);
  const std::size_t at = text.find(std::string(move) + ": ");
  const std::size_t begin = text.find(' ', at) + 1;
  return text.replace(begin, text.find('\n', at) - begin, count);
}

/// Returns whether each reading agrees, as text: "column 'mine': no, column 'stockfish': yes".
std::string readings_in(const json& report) {
  std::string text;
  for (const json& divide : report.at("divides")) {
    const bool agrees = divide.at("agrees").get<bool>();
    text += (text.empty() ? "" : ", ") + divide.value("reading", std::string("only one")) +
            (agrees ? ": yes" : ": no");
  }
  return text;
}

TEST(DiffCommand, EachReadingOfAPasteIsCompared) {
  const Line line = parsed_line("kiwipete");
  const std::string right = printed_divide(line, 3);
  const std::string wrong = divide_but(line, 3, "e1g1", "2058");
  std::string table = "move,mine,stockfish\n";
  std::string sides;
  for (const auto& [move, nodes] : *divide(line.here(), Depth(3))) {
    const std::string uci = to_uci(move, line.notation());
    const std::string count = nodes.to_string();
    const bool is_wrong = uci == "e1g1";
    table += uci + ',' + (is_wrong ? "2058" : count) + ',' + count + '\n';
    sides += is_wrong ? "-e1g1: 2059\n+e1g1: 2058\n" : ' ' + uci + ": " + count + '\n';
  }
  const std::pair<std::string, const char*> pastes[] = {
      {table, "column 'mine': no, column 'stockfish': yes"},
      {"Stockfish:\n" + right + "\nNodes searched: 97862\n\nMine:\n" + wrong +
           "\nNodes searched: 97861\n",
       "divide 'Stockfish', line 2: yes, divide 'Mine', line 54: no"},
      {sides, "'-' side: yes, '+' side: no"},
      {wrong, "only one: no"},
      {right + right, "only one: yes"}};
  for (const auto& [text, wanted] : pastes) {
    const Paste paste(text);
    const CommandRun told = paste.diff(3, {"--fen", "kiwipete", "--format", "json"});
    const json report = json::parse(told.out);
    EXPECT_EQ(readings_in(report), wanted);
    const bool agrees = std::string_view(wanted).find(": no") == std::string_view::npos;
    EXPECT_EQ(report["agrees"], agrees) << wanted;
    EXPECT_EQ(told.exit_code, agrees ? 0 : 1) << wanted;
    const bool several = report["divides"].size() > 1;
    EXPECT_EQ(report.contains("disputed"), several) << wanted;
    if (several) {
      ASSERT_EQ(report["disputed"].size(), 1U) << wanted;
      EXPECT_EQ(report["disputed"][0]["move"], "e1g1");
      EXPECT_EQ(report["disputed"][0]["counts"].size(), 2U);
    }
    const CommandRun shown = paste.diff(3, {"--fen", "kiwipete"});
    EXPECT_EQ(shown.exit_code, told.exit_code) << wanted;
    EXPECT_THAT(shown.out, EndsWith(agrees ? "verdict    agrees\n" : "verdict    DIFFERS\n"));
    for (const json& divide : report["divides"]) {
      if (several) {
        EXPECT_THAT(shown.out, HasSubstr("\nreading    " + divide["reading"].get<std::string>()));
      }
    }
  }
}

TEST(DiffCommand, AReadingThatOnlyLacksRowsIsIncomplete) {
  const std::string right = printed_divide(parsed_line("kiwipete"), 1);
  std::string lost = right;
  lost.erase(lost.find("e1g1: 1\n"), 8);
  const CommandRun ran = Paste(right + '\n' + lost).diff(1, {"--fen", "kiwipete"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("\nreading    second divide, line 50\n"));
  EXPECT_THAT(ran.out, EndsWith("verdict    incomplete\n"));
}

TEST(DiffCommand, ARightDivideAgrees) {
  const CommandRun ran =
      Paste(printed_divide(parsed_line("kiwipete"), 2)).diff(2, {"--fen", "kiwipete"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, EndsWith("found      All 48 moves agree at depth 2.\nverdict    agrees\n"));
  const CommandRun below =
      Paste(printed_divide(parsed_line("startpos", "e2e4"), 1)).diff(1, {"--moves", "e2e4"});
  EXPECT_EQ(below.exit_code, 0);
  EXPECT_THAT(below.out, HasSubstr("its position after e2e4 differs from that of the FEN"));
}

TEST(DiffCommand, SaysWhereToLookNext) {
  const Line line = parsed_line("startpos", "e2e4 e7e5");
  const CommandRun ran =
      Paste(divide_but(line, 2, "f1c4", "999")).diff(2, {"--moves", "e2e4 e7e5"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out,
              HasSubstr("f1c4                      29                  999  counts differ\n"
                        "28 of 29 moves agree\n"));
  EXPECT_THAT(
      ran.out,
      HasSubstr(
          "next       The difference is in the positions after f1c4. Now ask for depth 1.\n"));
  EXPECT_THAT(ran.out, HasSubstr(" moves e2e4 e7e5 f1c4\n           go perft 1\n"));
  EXPECT_THAT(ran.out, EndsWith("--moves 'e2e4 e7e5 f1c4'\nverdict    DIFFERS\n"));
}

TEST(DiffCommand, NamesTheRule) {
  const Line line = parsed_line("kiwipete", "e1d1");
  const Paste paste(printed_divide(line, 1) + "e8c8: 1\ne8e7: 1\n");
  std::string text = printed_divide(line, 1) + "d7e6: 1\nTotal: 43\n";
  text.erase(text.find("e8g8"), 8);
  const CommandRun ran = Paste(text).diff(1, {"--fen", "kiwipete", "--moves", "e1d1"});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("your program misses this move\n"),
                             HasSubstr("found      the mistake is in the moves of this position\n"),
                             HasSubstr("cause      "), HasSubstr("go perft 1\n"),
                             HasSubstr("--as-fen right or --as-fen wrong\n")));
}

TEST(DiffCommand, SeveralDepthsAreComparedAndTheShallowestThatDiffersIsShown) {
  const Line start;
  const Paste paste(printed_divide(start, 1) + "\n20\n" + printed_divide(start, 2) + "\n400\n" +
                    divide_but(start, 3, "a2a3", "381") + "\n8903\n");
  const CommandRun ran = paste.diff(3);
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("agrees     All 20 moves agree at depth 1.\n"
                                 "agrees     All 20 moves agree at depth 2.\n"
                                 "depth      3\n"));
  EXPECT_THAT(ran.out, HasSubstr("after a2a3. Now ask for depth 2."));
  const json report = json::parse(paste.diff(3, {"--format", "json"}).out);
  EXPECT_EQ(report["agrees"], false);
  ASSERT_EQ(report["divides"].size(), 3U);
  EXPECT_EQ(report["divides"][1]["agrees"], true);
  EXPECT_EQ(report["divides"][2]["depth"], 3);
  EXPECT_EQ(report["divides"][2]["next"]["move"], "a2a3");
  EXPECT_EQ(report["divides"][2]["rows"].size(), 20U);
}

TEST(DiffCommand, WhatIsNotUnderstoodIsQuotedAndNothingIsSaid) {
  const CommandRun nothing = Paste("hello\n").diff(2);
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_EQ(nothing.out, "");
  EXPECT_EQ(nothing.err, "perft: divide: has no line like 'e2e4: 600', a move and a count\n");
  const CommandRun cut = Paste("a2a3: 20\nb2b3: 20\n\nNodes searched: 400\n").diff(2);
  EXPECT_EQ(cut.exit_code, 1);
  EXPECT_THAT(cut.out, HasSubstr("The rows add up to 40, but the pasted total is 400."));
  EXPECT_THAT(cut.out, HasSubstr("This paste allows no conclusion"));
}

TEST(DiffCommand, ReadsWhatThisProgramPrintsInEveryForm) {
  for (const char* form : {"text", "json", "csv", "stockfish"}) {
    for (const char* position : {"kiwipete", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"}) {
      const std::string printed = perft({"divide", "2", "--fen", position, "--format", form}).out;
      const CommandRun ran = Paste(printed).diff(2, {"--fen", position});
      EXPECT_EQ(ran.exit_code, 0) << form << '\n' << printed << ran.out << ran.err;
    }
  }
  const std::string two = perft({"divide", "2", "--plies", "2", "--fens", "--format", "json"}).out;
  EXPECT_EQ(Paste(two).diff(2).exit_code, 0) << two;
}

TEST(DiffCommand, APasteThatMayHaveBeenCutAccusesNobody) {
  std::string text = printed_divide(Line(), 3);
  text.resize(text.find("e2e4"));
  const CommandRun ran = Paste(text).diff(3);
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("not in the paste"), HasSubstr(" of 20 moves"),
                             HasSubstr("This paste allows no conclusion"), Not(HasSubstr("cause ")),
                             EndsWith("verdict    incomplete\n")));
  // A wrong count must be reported even if the paste may have been cut.
  const std::string wrong = divide_but(Line(), 3, "a2a3", "999");
  const CommandRun next = Paste(wrong.substr(0, text.size())).diff(3);
  EXPECT_THAT(next.out, AllOf(HasSubstr("The difference is in the positions after a2a3"),
                              EndsWith("verdict    DIFFERS\n")));
}

TEST(DiffCommand, WhatIsNoTextIsRefused) {
  EXPECT_EQ(Paste("\x01\x02 0 \xFF\n").diff(2).err,
            "perft: divide: is not text: byte \\x01 in line 1\n");
  for (const char* text :
       {"\xF0\x9F 0 \xFF\n", "\xF0\x9F 0 \xFF\n\xFE\xFE\n", "\xC3\x28 7\n", "so 0\n"})
    EXPECT_EQ(Paste(text).diff(2).exit_code, 2) << text;
}

// The command uses the same words as the page.
TEST(DiffCommand, SpeaksTheWordsOfThePage) {
  std::string page;
  for (const char* file : {"/tools/web/render.js", "/tools/web/hunt.js"}) {
    std::ifstream stream(std::string(MANYPLY_SOURCE_DIR) + file);
    std::stringstream text;
    text << stream.rdbuf();
    page += text.str();
  }
  for (const char* words :
       {"your program misses this move", "not in the paste", "not a legal move here",
        "listed twice", "counts differ", "your program counted something else",
        "the mistake is in the moves of this position", "This paste allows no conclusion",
        "Paste the complete output of your program again.",
        "The difference is in the positions after ", "Now ask for depth ",
        "Counts of other moves differ, too",
        "Does your program make moves wrongly, or generate them wrongly?",
        "Give it this position as a FEN, without moves", "The rows add up to ",
        ", but the pasted total is ", "If lines were lost while copying, paste again.",
        " moves agree at depth ", "(castling rights, en passant square)"}) {
    EXPECT_THAT(page, HasSubstr(words));
  }
}

// ---------------------------------------------------------------- values and details

TEST(CheckCommand, TakesAValueAsPeoplePrintIt) {
  for (const char* value : {"197281", "197,281", "197 281", "197.281", "197'281", "197_281",
                            "197\xe2\x80\xaf"
                            "281"})
    EXPECT_EQ(perft({"check", "startpos", "4", value}).exit_code, 0) << value;
  for (const char* value : {"197,28", "197 281 5", "1.97", "x", ""})
    EXPECT_EQ(perft({"check", "startpos", "4", value}).exit_code, 2) << value;
  EXPECT_EQ(perft({"check", "startpos", "1", "2e1"}).exit_code, 0);
}

TEST(CheckCommand, TakesAValueAsItStandsInSources) {
  for (const char* value : {"197281;", "197,281,", "`197281`", "\"197281\"", "197_281u64,",
                            "197281ULL", "197281n", " 197281 ", "197281."})
    EXPECT_EQ(perft({"check", "startpos", "4", value}).exit_code, 0) << value;
  for (const char* value : {"ull", "-", ";", "197281x", "--5"})
    EXPECT_EQ(perft({"check", "startpos", "4", value}).exit_code, 2) << value;
}

TEST(CheckCommand, ANegativeValueIsACounterThatOverflowed) {
  const CommandRun ran = perft({"check", "startpos", "7", "-1099065436"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.out,
            "mismatch: perft(7) = 3195901860, expected -1099065436\n"
            "hint: -1099065436 is the count modulo 2^32, with a sign: a signed counter of 32 bits "
            "has overflowed\n");
}

// golden.sh has a hint in every format.
TEST(CheckCommand, HasNoHintForAMatch) {
  EXPECT_THAT(perft({"check", "kiwipete", "2", "2039", "--format", "csv"}).out,
              EndsWith("2,2039,2039,match,\n"));
  EXPECT_EQ(json::parse(perft({"check", "startpos", "2", "400", "--format", "json"}).out)["hints"],
            json::array());
}

TEST(BisectCommand, WhatComparedNothingDoesNotAgree) {
  const CommandRun ran = perft({"bisect", "2", "--engine", "'" MANYPLY_BROKEN_ENGINE "' none",
                                "--suite", "classic", "--max-nodes", "1"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("0 of 6 positions, 6 skipped"),
                             EndsWith("verdict    nothing was compared\n")));
}

TEST(DivideCommand, ShowsRepliesThatAddUpAndPositions) {
  const CommandRun two = perft({"divide", "3", "--plies", "2", "--format", "csv"});
  EXPECT_EQ(two.exit_code, 0) << two.err;
  EXPECT_THAT(two.out, AllOf(HasSubstr("move,reply,nodes\na2a3,a7a5,19\n"),
                             HasSubstr("\ne2e4,e7e5,29\n"), EndsWith("\ntotal,,8902\n")));
  EXPECT_EQ(std::ranges::count(two.out, '\n'), 402);
  const CommandRun fens =
      perft({"divide", "1", "--fens", "--fen", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"});
  EXPECT_THAT(fens.out, HasSubstr("e2e4: 1  4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1\n"));
  const json both =
      json::parse(perft({"divide", "2", "--plies", "2", "--fens", "--format", "json"}).out);
  EXPECT_EQ(both["divide"].size(), 20U);
  EXPECT_EQ(both["divide"][0]["divide"].size(), 20U);
  EXPECT_THAT(both["divide"][0]["divide"][0]["fen"].get<std::string>(), HasSubstr(" w KQkq"));
}

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
  // Limits select counts when suites are converted, too. Several suites become one.
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
