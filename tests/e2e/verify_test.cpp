// Tests `perft verify`, `perft compare` and `perft zobrist` as a shell runs them.
#include "tests/e2e/perft.h"
#include "tests/support/budget.h"

namespace manyply {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

/// Returns the command's JSON. It must be the only output, and the exit code must be `exit_code`.
Json json_of(std::vector<std::string> arguments, int exit_code) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const ProcessResult result = perft(arguments);
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  EXPECT_EQ(result.err, "");
  return Json::parse(result.out);
}

/// Returns the count of `fen` without a table.
std::string nodes_of(const std::string& fen, int depth) {
  return json_of({"count", std::to_string(depth), "--fen", fen, "--hash", "off"}, 0)["nodes"];
}

TEST(Verify, SoundKeysAgree) {
  EXPECT_THAT(
      printed({"verify", "6"}),
      AllOf(StartsWith("position   rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"
                       "depth      6\n"
                       "hashed     119060324 in "),
            HasSubstr("keys       118522 incremental keys compared with keys from scratch, "
                      "in 5362 of 5362 subtrees\n"),
            ContainsRegex("unhashed   119060324 in [0-9.]+ s, all 5362 subtrees\n"),
            EndsWith("known      match\nverdict    agree\n")));
}

TEST(Verify, AgreementAsJson) {
  const Json json = json_of({"verify", "5", "--fen", "kiwipete", "--reseed", "--threads", "2"}, 0);
  EXPECT_EQ(json["agrees"], true);
  EXPECT_EQ(json["depth"], 5);
  EXPECT_EQ(json["unhashed"]["nodes"], "193690690");
  EXPECT_EQ(json["unhashed"]["subtrees"], json["subtrees"]);
  ASSERT_EQ(json["hashed"].size(), 2U);
  for (const Json& run : json["hashed"]) {
    EXPECT_EQ(run["nodes"], "193690690");
    EXPECT_EQ(run["known"], "match");
    EXPECT_EQ(run["cause"], nullptr);
    EXPECT_EQ(run["differing_subtrees"], 0);
    EXPECT_LT(run["expected_false_matches"], 1e-9);
  }
  EXPECT_NE(json["hashed"][0]["key_seed"], json["hashed"][1]["key_seed"]);
}

TEST(Verify, WeakKeysFail) {
  const ProcessResult result = perft({"verify", "6", "--key-bits", "24"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("known      mismatch: 119060324 is published\n"),
            ContainsRegex("differs    e2e4: [0-9]+ hashed, [0-9]+ unhashed\n"),
            HasSubstr("cause      the hashed count: two positions have the same key of 24 bits"),
            HasSubstr("--reseed"), EndsWith("\nverdict    DO NOT AGREE\n")));
}

TEST(Verify, TheNamedSubtreesAreWhatTheJsonSays) {
  for (const char* fen : {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                          "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"}) {
    const Json json = json_of({"verify", "5", "--fen", fen, "--key-bits", "17"}, 1);
    EXPECT_EQ(json["agrees"], false);
    const Json& run = json["hashed"][0];
    EXPECT_EQ(run["key_bits"], 17);
    EXPECT_GT(run["differing_subtrees"], 0);
    EXPECT_EQ(run["differing_subtrees"] > 10 ? 10 : run["differing_subtrees"].get<std::size_t>(),
              run["subtrees"].size());
    EXPECT_EQ(run["cause"], Json({{"kind", "table"}}));
    const Json& subtree = run["subtrees"][0];
    EXPECT_NE(subtree["hashed"], subtree["unhashed"]);
    EXPECT_EQ(subtree["unhashed"], nodes_of(subtree["fen"], subtree["depth"]));
  }
}

TEST(Verify, ASampleIsRecountedOnly) {
  EXPECT_THAT(printed({"verify", "6", "--sample", "7", "--sample-seed", "3"}),
              AllOf(ContainsRegex("unhashed   [0-9]+ in [0-9.]+ s, below 7 of 5362"),
                    EndsWith("verdict    agree in the recounted subtrees\n")));
}

TEST(Verify, ASampleThatSeesNothingOfAWrongTotalGrows) {
  const Json json = json_of({"verify", "5", "--sample", "1", "--key-bits", "17"}, 1);
  EXPECT_EQ(json["hashed"][0]["cause"]["kind"], "table");
}

TEST(Verify, SecondKeysAreVerifiedToo) {
  const ProcessResult result =
      perft({"verify", "5", "--sample", "1", "--reseed", "--key-bits", "17"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("\nreseeded   "), HasSubstr("\n\nrun        hashed\n"),
                                HasSubstr("\n\nrun        reseeded\n"),
                                HasSubstr("The count with other keys is wrong, too."),
                                Not(HasSubstr("\n\n\n"))));
}

TEST(Verify, ShallowCountsSayThatThereIsNoTable) {
  const ProcessResult result = perft({"verify", "3", "--reseed"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr("the depth is too small"), HasSubstr("keys       none"),
                                EndsWith("verdict    agree\n")));
  EXPECT_EQ(json_of({"verify", "0"}, 0)["unhashed"]["nodes"], "1");
}

TEST(Verify, BadInputIsRefused) {
  expect_refusal(perft({"verify"}), "DEPTH is required; 'perft verify --help' shows how");
  expect_refusal(perft({"verify", "6", "--sample", "0"}),
                 "--sample: '0' is not a whole number from 1 to 18446744073709551615");
  expect_refusal(perft({"verify", "6", "--key-bits", "129"}),
                 "--key-bits: '129' is not a whole number from 8 to 128");
  expect_refusal(perft({"verify", "6", "--format", "csv"}),
                 "--format: 'csv' is not one of text, json");
  expect_refusal(perft({"verify", "6", "--fen", "4k3/8/8/8/8/8/8/R3K3 w K - 0 1"}),
                 "castling: no rook on h1 (column 24)");
  EXPECT_EQ(perft({"verify", "6", "--checkpoint", "file"}).exit_code, 2);
  EXPECT_EQ(perft({"verify", "6", "--hash", "1000T"}).exit_code, 2);
}

TEST(Verify, CtrlCLeavesNothing) {
  for (const char* command : {"verify", "compare"}) {
    for (const char* format : {"text", "json"}) {
      SCOPED_TRACE(command);
      expect_interrupted(interrupt({command, "11", "--format", format, "--progress", "json"}));
    }
  }
}

TEST(Compare, ShowsBothCountsAndTheSpeedUp) {
  EXPECT_THAT(printed({"compare", "6", "--threads", "2"}),
              AllOf(HasSubstr("leaves/s"), HasSubstr("visited/s"), HasSubstr("hit rate"),
                    ContainsRegex("\nhashed +119060324 .* %\n"),
                    ContainsRegex("\nunhashed +119060324 .* -\n"),
                    ContainsRegex("\nspeed-up   [0-9.]+, with 2 threads"),
                    EndsWith("known      match\nverdict    agree\n")));
}

TEST(Compare, AsJson) {
  const Json json = json_of({"compare", "5", "--fen", "kiwipete"}, 0);
  EXPECT_EQ(json["agrees"], true);
  EXPECT_EQ(json["hashed"]["nodes"], "193690690");
  EXPECT_EQ(json["unhashed"]["nodes"], "193690690");
  EXPECT_NEAR(json["speed_up"].get<double>(),
              json["unhashed"]["seconds"].get<double>() / json["hashed"]["seconds"].get<double>(),
              1e-6);
  EXPECT_GT(json["hashed"]["table"]["hit_rate"], 0);
  EXPECT_EQ(json["unhashed"]["table"], nullptr);
}

TEST(Compare, CountsThatDifferAreAMismatch) {
  const ProcessResult result = perft({"compare", "5", "--key-bits", "16"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out,
              EndsWith("verdict    DO NOT AGREE: run 'perft verify' to find the cause\n"));
  EXPECT_EQ(json_of({"compare", "5", "--key-bits", "16"}, 1)["agrees"], false);
}

TEST(Compare, TooShallowForATable) {
  EXPECT_THAT(printed({"compare", "3"}), HasSubstr("speed-up   none: the depth is too small"));
}

TEST(Compare, BadInputIsRefused) { EXPECT_EQ(perft({"compare", "5", "--divide"}).exit_code, 2); }

TEST(Zobrist, TheDefaultKeysAreSound) {
  EXPECT_THAT(printed({"zobrist", "--positions", "50000"}),
              AllOf(HasSubstr("\npositions  50000 distinct ones from "),
                    ContainsRegex("\n  24 +[0-9]+ +74\\.50 .*as predicted\n"),
                    EndsWith("\nverdict    sound\n")));
}

TEST(Zobrist, AsJson) {
  const Json json =
      json_of({"zobrist", "--positions", "50000", "--key-bits", "20,40", "--key-seed", "99"}, 0);
  EXPECT_EQ(json["key_seed"], "99");
  EXPECT_EQ(json["sound"], true);
  EXPECT_EQ(json["words"]["rank"], 128);
  EXPECT_EQ(json["words"]["duplicates"], 0);
  EXPECT_GT(json["words"]["min_distance"], 25);
  const Json& widths = json["collisions"]["by_bits"];
  ASSERT_EQ(widths.size(), 2U);
  EXPECT_EQ(widths[0]["bits"], 20);
  const double n = json["collisions"]["positions"];
  EXPECT_DOUBLE_EQ(widths[0]["expected"], n * (n - 1) / 2 / (1 << 20));
  EXPECT_GE(widths[0]["measured"], widths[0]["least"]);
  EXPECT_LE(widths[0]["measured"], widths[0]["most"]);
  EXPECT_GT(widths[0]["least"], 900);
  EXPECT_EQ(widths[1]["bits"], 40);
}

TEST(Zobrist, BadInputIsRefused) {
  expect_refusal(perft({"zobrist", "5"}),
                 "'5' is unexpected here; 'perft zobrist --help' shows how");
  expect_refusal(perft({"zobrist", "--key-bits", "65"}),
                 "--key-bits: '65' is not a whole number from 8 to 64");
  expect_refusal(perft({"zobrist", "--key-bits", "24,"}),
                 "--key-bits: '' is not a whole number from 8 to 64");
  expect_refusal(perft({"zobrist", "--positions", "1"}),
                 "--positions: '1' is not a whole number from 2 to 18446744073709551615");
}

TEST(Zobrist, MorePositionsThanMemoryHoldsAreRefused) {
  EXPECT_THAT(refusal_of({"zobrist", "--positions", "1000000000000"}),
              MatchesRegex("perft: positions: .* available.* [0-9]+ positions\n"));
}

TEST(Zobrist, CtrlCLeavesNothing) {
  Process process(perft_argv({"zobrist", "--positions", "4000000"}));
  ASSERT_TRUE(process.wait_for_handler(SIGINT));
  process.signal(SIGINT);
  const ProcessResult result = process.finish();
  expect_interrupted(result);
  EXPECT_EQ(result.err, "perft: interrupted\n");
}

}  // namespace
}  // namespace manyply
