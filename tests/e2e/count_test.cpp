// Tests `perft count` and related commands. If a FEN is broken, the commands print one line with
// the field and the column, and no other output.
#include <sstream>

#include "tests/e2e/perft.h"

namespace manyply {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Count, TextShowsEveryFigure) {
  const std::string text = printed({"count", "4"});
  for (const char* line : {"position   rnbqkbnr/", "depth      4\n",
                           "nodes      197281  (197,281)\n", "known      match\n", "seconds    ",
                           "leaves/s   ", "visited/s  ", "threads    ", "kernel     "})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(Count, PublishedTotals) {
  const auto nodes = [](const char* depth, const char* fen) {
    const auto json = perft_json({"count", depth, "--fen", fen});
    EXPECT_EQ(json["known"], "match");
    return json["nodes"].get<std::string>();
  };
  EXPECT_EQ(nodes("4", "kiwipete"), "4085603");
  EXPECT_EQ(nodes("5", "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1"), "1202493");
  EXPECT_EQ(nodes("4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"),
            "422333");
}

TEST(Count, DepthZeroIsOne) {
  for (const char* format : {"text", "json", "csv", "stockfish"})
    EXPECT_THAT(printed({"count", "0", "--format", format}), HasSubstr("1")) << format;
  EXPECT_EQ(perft({"count", "0", "--format", "csv"}).out, "move,nodes\ntotal,1\n");
  EXPECT_EQ(perft({"check", "kiwipete", "0", "1"}).exit_code, 0);
}

TEST(Count, DoesNotDependOnThreadsOrKernel) {
  const std::string expected = perft({"divide", "4", "--fen", "kiwipete", "--format", "csv"}).out;
  EXPECT_THAT(expected, HasSubstr("total,4085603\n"));
  for (const char* threads : {"1", "2", "7"}) {
    for (const char* kernel : {"auto", "portable"}) {
      EXPECT_EQ(perft({"divide", "4", "--fen", "kiwipete", "--format", "csv", "--threads", threads,
                       "--kernel", kernel, "--hash", "off"})
                    .out,
                expected);
    }
  }
}

TEST(Count, DivideAddsUp) {
  const auto json = perft_json({"divide", "4", "--fen", "kiwipete"});
  std::uint64_t sum = 0;
  for (const auto& row : json["divide"]) sum += std::stoull(row["nodes"].get<std::string>());
  EXPECT_EQ(sum, 4085603u);
  EXPECT_EQ(json["divide"].size(), 48u);
}

TEST(Count, JsonListsTheRootMovesIfAsked) {
  for (const char* method : {"hashed", "configurations"}) {
    EXPECT_FALSE(perft_json({"count", "4", "--method", method}).contains("divide")) << method;
    EXPECT_EQ(perft_json({"count", "4", "--method", method, "--divide"})["divide"].size(), 20U)
        << method;
  }
  EXPECT_EQ(perft_json(
                {"count", "5", "--method", "configurations", "--divide", "--parts", "2"})["divide"],
            perft_json({"divide", "5", "--method", "hashed"})["divide"]);
}

TEST(Count, DividesCanBeMadeInParts) {
  std::vector<std::string> words{"divide", "5", "--fen", "kiwipete", "--method", "configurations"};
  const auto whole = perft_json(words);
  words.insert(words.end(), {"--parts", "3"});
  const auto in_parts = perft_json(words);
  EXPECT_EQ(whole["nodes"], "193690690");
  EXPECT_EQ(whole["matrix"]["parts"], 1);
  EXPECT_EQ(in_parts["matrix"]["parts"], 3 * 48);
  EXPECT_EQ(in_parts["divide"], whole["divide"]);
  EXPECT_EQ(in_parts["nodes"], whole["nodes"]);
}

TEST(Count, MatesAndStalematesCountZero) {
  EXPECT_THAT(
      perft({"count", "3", "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "--format", "csv"}).out,
      HasSubstr("total,0\n"));
  EXPECT_EQ(
      perft({"count", "2", "--fen", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "--format", "stockfish"}).out,
      "\nNodes searched: 0\n\n");
}

TEST(Count, RatesOfCountsBeyond64BitsAreRates) {
  const std::vector<std::string> walled{"count", "30", "--fen",
                                        "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1"};
  const auto json = perft_json(walled);
  EXPECT_GT(json["leaves_per_second"].get<double>(), 1e20);
  EXPECT_GT(json["visited_per_second"].get<double>(), 0);
  EXPECT_THAT(perft(walled).out, ::testing::ContainsRegex("leaves/s   [0-9.]+ [ZYRQ]\n"));
}

TEST(Count, RefusesACountThatOverflowsBeforeItStarts) {
  const std::string refusal = refusal_of({"count", "50"});
  EXPECT_THAT(refusal, StartsWith("perft: depth: the count has about "));
  EXPECT_THAT(refusal, HasSubstr("2^128 - 1"));
  EXPECT_EQ(std::ranges::count(refusal, '\n'), 1);
}

TEST(Count, ATableThatWasAskedForAndNotUsedIsToldOf) {
  const auto note = [](const std::string& option) {
    return "perft: " + option + " has no effect: at this depth, no table is used\n";
  };
  const ProcessResult count = perft({"count", "3", "--hash", "1G"});
  EXPECT_EQ(count.exit_code, 0);
  EXPECT_THAT(count.out, HasSubstr("nodes      8902"));
  EXPECT_EQ(count.err, note("--hash"));
  EXPECT_EQ(perft({"divide", "4", "--key-bits", "8"}).err, note("--key-bits"));
  EXPECT_THAT(
      perft({"count", "2", "--interleave"}).err,
      AnyOf(note("--interleave"), "perft: topology: this program was built without hwloc\n"));
  EXPECT_EQ(perft({"check", "startpos", "3", "8902", "--key-seed", "4"}).err, note("--key-seed"));
  EXPECT_EQ(perft({"perftree", "3", "startpos", "--hash", "1M"}).err, note("--hash"));
  EXPECT_EQ(perft({"stats", "3", "--hash", "1M"}).err, note("--hash"));
  EXPECT_EQ(perft({"compare", "3", "--hash", "1M"}).err, note("--hash"));
  EXPECT_EQ(perft({"verify", "3", "--hash", "1M"}).err, note("--hash"));
  EXPECT_EQ(perft({"count", "4", "--loop", "--hash", "1M"}).err, note("--hash"));
  EXPECT_EQ(perft({"suite", "-", "--hash", "1M"}, "startpos ;D3 8902\n").err, note("--hash"));
  // --threads and --hash print no warning if they are absent or have an effect.
  EXPECT_EQ(perft({"count", "3"}).err, "");
  EXPECT_EQ(perft({"count", "3", "--hash", "off"}).err, "");
  EXPECT_EQ(perft({"count", "5", "--loop", "--hash", "1M"}).err, "");
  EXPECT_EQ(perft({"signature", "--hash", "1M"}).err, "");
}

TEST(Count, TheMethodCanBeNamed) {
  const auto method = [](std::vector<std::string> args) {
    args.insert(args.begin(), {"count", "--threads", "1"});
    const auto json = perft_json(args);
    EXPECT_EQ(json["known"], "match");
    return json["method"].get<std::string>();
  };
  EXPECT_EQ(method({"5", "--method", "configurations"}), "configurations");
  EXPECT_EQ(method({"5", "--method", "hashed"}), "hashed");
  EXPECT_EQ(method({"5", "--method", "hashed", "--hash", "off"}), "unhashed");
  EXPECT_EQ(method({"5"}), "configurations");
  EXPECT_EQ(method({"5", "--hash", "1M"}), "hashed") << "it asks for a table";
  const auto chosen = [](std::vector<std::string> args) { return perft(args).out; };
  EXPECT_THAT(chosen({"count", "5"}), HasSubstr("method     configurations: "));
  EXPECT_THAT(chosen({"count", "5", "--hash", "1M"}), HasSubstr("method     hashed\n"));
  EXPECT_THAT(chosen({"count", "5", "--key-seed", "1"}), HasSubstr("method     hashed\n"));
  EXPECT_THAT(chosen({"count", "5", "--divide"}), HasSubstr("method     configurations: "));
  EXPECT_THAT(chosen({"divide", "5"}), HasSubstr("method     configurations: "));
  EXPECT_THAT(chosen({"divide", "5", "--method", "hashed"}), HasSubstr("method     hashed\n"));
  EXPECT_THAT(chosen({"count", "2"}), HasSubstr("method     unhashed: "));
  const auto refused = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"count", "5", "--method", "configurations"});
    return refusal_of(more);
  };
  EXPECT_THAT(refused({"--checkpoint", "never-made", "--divide"}), HasSubstr("checkpoint"));
  EXPECT_THAT(refused({"--key-seed", "1"}), HasSubstr("neither table nor keys"));
  EXPECT_THAT(refused({"--key-bits", "20"}), HasSubstr("neither table nor keys"));
}

TEST(Count, EveryFormatIsTheSameByEachMethod) {
  for (const std::string format : {"csv", "stockfish"}) {
    const auto printed = [&format](const std::string& method) {
      return perft({"divide", "5", "--fen", "kiwipete", "--method", method, "--format", format})
          .out;
    };
    EXPECT_THAT(printed("hashed"), HasSubstr("193690690"));
    EXPECT_EQ(printed("configurations"), printed("hashed"));
    EXPECT_EQ(printed("auto"), printed("hashed"));
  }
}

TEST(Count, AFenMayEndAsALineOfAnotherSystem) {
  EXPECT_EQ(
      perft({"count", "1", "--fen", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\r", "--format", "csv"}).out,
      perft({"count", "1", "--fen", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "--format", "csv"}).out);
}

TEST(Count, MovesArePlayedFirst) {
  const auto json = perft_json({"count", "3", "--moves", "e2e4 e7e5 g1f3"});
  EXPECT_EQ(json["fen"], "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
  EXPECT_EQ(json["known"], "unknown");
}

TEST(Count, Chess960WritesKingTakesRook) {
  constexpr const char* kStandard = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
  EXPECT_THAT(perft({"divide", "1", "--fen", kStandard}).out, HasSubstr("e1g1: 1\n"));
  EXPECT_THAT(perft({"divide", "1", "--fen", kStandard, "--chess960"}).out, HasSubstr("e1h1: 1\n"));
  EXPECT_THAT(perft({"divide", "1", "--fen", "4k3/8/8/8/8/8/8/4K2R w H - 0 1"}).out,
              HasSubstr("e1h1: 1\n"));
}

TEST(Count, LoopCountsEachDepth) {
  const ProcessResult table = perft({"count", "4", "--loop"});
  EXPECT_THAT(table.out, StartsWith("depth "));
  EXPECT_EQ(std::ranges::count(table.out, '\n'), 5);
  std::istringstream lines(perft({"count", "3", "--loop", "--format", "json"}).out);
  std::string totals;
  for (std::string line; std::getline(lines, line);) {
    totals += nlohmann::json::parse(line)["nodes"].get<std::string>() + ' ';
  }
  EXPECT_EQ(totals, "20 400 8902 ");
}

TEST(Count, HelpVersionAndUsageErrors) {
  EXPECT_EQ(perft({"--help"}).exit_code, 0);
  EXPECT_EQ(perft({"count", "--help"}).exit_code, 0);
  EXPECT_THAT(perft({"--version"}).out, StartsWith("perft (Manyply) "));
  expect_refusal(perft({"count", "-1"}), "depth: '-1' is not a whole number from 0 to 64");
  expect_refusal(perft({"count", "x"}), "depth: 'x' is not a whole number from 0 to 64");
}

TEST(Check, ExitCodeTells) {
  EXPECT_EQ(printed({"check", "startpos", "3", "8902"}), "match: perft(3) = 8902\n");
  // 5362 is the number of distinct positions. A popular table shows it for perft(3) by mistake.
  const ProcessResult mismatch = perft({"check", "startpos", "3", "5362"});
  EXPECT_EQ(mismatch.exit_code, 1);
  EXPECT_EQ(mismatch.out,
            "mismatch: perft(3) = 8902, expected 5362\nhint: 5362 is the number of distinct "
            "positions; perft counts paths, and several may lead to one position\n");
  EXPECT_EQ(perft({"check", "startpos", "3", "5362", "--format", "csv"}).out,
            "depth,expected,nodes,verdict,hint\n3,5362,8902,mismatch,\"is the number of distinct "
            "positions; perft counts paths, and several may lead to one position\"\n");
  const auto json = perft_json({"check", "startpos", "3", "5362"}, 1);
  EXPECT_EQ(json["verdict"], "mismatch");
  EXPECT_EQ(json["nodes"], "8902");
}

TEST(Perftree, PrintsWhatTheDebuggerReads) {
  EXPECT_EQ(printed({"perftree", "2", "4k3/8/8/8/8/8/7r/4K2R w K - 0 1"}),
            "e1d1 19\ne1f1 19\ne1g1 17\nh1f1 17\nh1g1 19\nh1h2 5\n\n96\n");
}

TEST(Perftree, TotalIsTheSumAfterMoves) {
  const ProcessResult result = perft({"perftree", "3", "startpos", "e2e4 e7e5"});
  std::istringstream lines(result.out);
  std::uint64_t sum = 0;
  std::string line;
  while (std::getline(lines, line) && !line.empty())
    sum += std::stoull(line.substr(line.find(' ')));
  std::string total;
  std::getline(lines, total);
  EXPECT_EQ(total, std::to_string(sum));
  EXPECT_EQ(total, "24825");
  EXPECT_FALSE(std::getline(lines, line));
  EXPECT_EQ(perft({"perftree", "0", "startpos"}).out, "\n1\n");
  EXPECT_EQ(perft({"perftree", "3", "startpos", ""}).out, perft({"perftree", "3", "startpos"}).out);
}

TEST(Perftree, CastlingIsWrittenTheStandardWayUnlessAskedFor) {
  constexpr const char* kShredder = "4k3/8/8/8/8/8/8/4K2R w H - 0 1";
  EXPECT_THAT(perft({"perftree", "1", kShredder}).out, HasSubstr("e1g1 1\n"));
  EXPECT_THAT(perft({"perftree", "1", kShredder, "--chess960"}).out, HasSubstr("e1h1 1\n"));
}

TEST(Count, MemoryBoundsTheWholeProcessSlow) {
  if (!kIsFastBuild) GTEST_SKIP() << "sanitizers need additional memory";
  for (const std::uint64_t mebibytes : {128U, 150U, 200U}) {
    const ProcessResult result =
        perft({"count", "9", "--method", "configurations", "--memory",
               std::to_string(mebibytes) + "M", "--threads", "2", "--format", "json"});
    EXPECT_EQ(nlohmann::json::parse(result.out)["nodes"], "2439530234167");
    EXPECT_LE(result.peak_bytes * 10, (mebibytes << 20) * 11);
  }
}

TEST(Signature, IsOneNumberWhateverTheSchedule) {
  const std::string text = printed({"signature"});
  EXPECT_THAT(text, StartsWith("86489390\n"));
  EXPECT_THAT(text, HasSubstr("\nmatch: "));
  EXPECT_EQ(perft({"signature", "--threads", "5"}).out, text);
  EXPECT_EQ(perft_json({"signature"})["signature"], "86489390");
}

TEST(Signature, SaysWhetherItIsTheRightOne) {
  EXPECT_THAT(perft({"help", "signature"}).out, HasSubstr("86489390"));
  // With keys of 8 bits, every hit in the table belongs to another position.
  const std::vector<std::string> weak{"signature", "--key-bits", "8", "--hash", "1M"};
  const ProcessResult text = perft(weak);
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.out, HasSubstr("\nmismatch: a correct build prints 86489390\n"));
  EXPECT_THAT(text.out, HasSubstr("\ndepth 6: expected 11030083, counted "));
  const auto json = perft_json(weak, 1);
  EXPECT_EQ(json["verdict"], "mismatch");
  EXPECT_EQ(json["expected"], "86489390");
  EXPECT_NE(json["signature"], json["expected"]);
}

TEST(Signature, IsTheSameForThePortableKernel) {
  EXPECT_THAT(perft({"signature", "--kernel", "portable"}).out, StartsWith("86489390\n"));
}

struct Broken {
  const char* fen;
  const char* complaint;
};

// At least one broken FEN for each field. tests/core/position_test.cpp has every kind of broken
// FEN.
constexpr Broken kBroken[] = {
    {"", "placement: missing (column 1)"},
    {"4k3/8/8/8/8/8/8/4R1K1 w - - 0 1",
     "placement: Black's king on e8 is in check, but White is to move (column 2)"},
    {"4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move: 'x' is neither 'w' nor 'b' (column 21)"},
    {"4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "castling: no rook on a1 (column 25)"},
    {"4k3/8/8/4P3/8/8/8/4K3 w - d6 0 1", "en passant: no pawn can have passed d6 (column 27)"},
    {"4k3/8/8/8/8/8/8/4K3 w - - -1 1",
     "halfmove clock: '-1' is not a whole number of moves (column 27)"},
    {"4k3/8/8/8/8/8/8/4K3 w - - 0 x",
     "fullmove number: 'x' is not a whole number of moves (column 29)"},
    {"4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", "FEN: '2' follows the last of the six fields (column 31)"},
    {"4k3/8/8/8/8/8/8/4K\n3 w - - 0 1",
     "placement: '\\x0A' is not a piece letter (pnbrqk or PNBRQK) (column 19)"},
    {"4k3/8/8/8/8/8/8/4K\xC3\xA9 w - - 0 1",
     "placement: 'é' (U+00E9) is not a piece letter (pnbrqk or PNBRQK) (column 19)"},
};

TEST(BadPosition, EveryFieldIsNamedWithItsColumn) {
  for (const auto& [fen, complaint] : kBroken) {
    SCOPED_TRACE(fen);
    expect_refusal(perft({"count", "2", "--fen", fen}), complaint);
  }
}

TEST(BadPosition, OneThatOnlyEndsEarlyIsSaidInFull) {
  for (const char* fen :
       {"4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w", "4k3/8/8/8/8/8/8/4K3 w -"})
    EXPECT_THAT(perft({"count", "1", "--fen", fen}).out,
                testing::HasSubstr("position   4k3/8/8/8/8/8/8/4K3 w - - 0 1\n"))
        << fen;
}

TEST(BadPosition, EveryCommandRefusesIt) {
  constexpr const char* kFen = "4k3/8/8/8/8/8/8/R3K3 w K - 0 1";
  constexpr const char* kComplaint = "castling: no rook on h1 (column 24)";
  expect_refusal(perft({"divide", "2", "--fen", kFen, "--format", "stockfish"}), kComplaint);
  expect_refusal(perft({"check", kFen, "2", "1"}), kComplaint);
  expect_refusal(perft({"perftree", "2", kFen}), kComplaint);
  expect_refusal(perft({"suite", "-"}, std::string(kFen) + " ;D1 1\n"),
                 "standard input:1: " + std::string(kComplaint));
}

TEST(BadPosition, CheckThatNoMoveCouldHaveGivenIsFine) {
  EXPECT_EQ(perft({"count", "2", "--fen", "4k3/8/3N1N2/8/8/8/8/4R1K1 b - - 0 1"}).exit_code, 0);
}

}  // namespace
}  // namespace manyply
