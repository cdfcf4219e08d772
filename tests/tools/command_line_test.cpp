#include "tools/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace manyply {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Options options_of(const std::vector<std::string>& words) {
  const ParsedCommandLine parsed = parse_command_line(words);
  if (const Error* error = std::get_if<Error>(&parsed))
    throw std::runtime_error(error->to_string());
  return std::get<Invocation>(parsed).options;
}

std::string error_of(const std::vector<std::string>& words) {
  const ParsedCommandLine parsed = parse_command_line(words);
  const Error* error = std::get_if<Error>(&parsed);
  return error != nullptr ? error->to_string() : "no error";
}

std::string text_of(const std::vector<std::string>& words) {
  return std::get<std::string>(parse_command_line(words));
}

TEST(CommandLine, ReadsEveryOptionOfCount) {
  const Options o =
      options_of({"count",      "7",      "--fen",        "kiwipete", "--moves",   "e1g1 a6b5",
                  "--divide",   "--loop", "--hash",       "off",      "--threads", "3",
                  "--key-seed", "9",      "--kernel",     "portable", "--format",  "json",
                  "--progress", "never",  "--checkpoint", "x",        "--chess960"});
  EXPECT_EQ(o.depth, Depth(7));
  EXPECT_EQ(o.fen, "kiwipete");
  EXPECT_EQ(o.moves, "e1g1 a6b5");
  EXPECT_TRUE(o.divide && o.loop && o.chess960);
  EXPECT_EQ(o.hash.table_bytes, 0u);
  EXPECT_EQ(o.hash.key_seed, 9u);
  EXPECT_EQ(o.checkpoint, "x");
  EXPECT_EQ(o.threads, 3);
  EXPECT_EQ(o.kernel->name, "portable");
  EXPECT_EQ(o.format, Format::kJson);
  EXPECT_EQ(o.progress, ProgressMode::kNever);
}

TEST(CommandLine, Defaults) {
  const Options o = options_of({"count", "0"});
  EXPECT_EQ(o.fen, "startpos");
  EXPECT_EQ(o.threads, 0);
  EXPECT_EQ(o.kernel, nullptr);
  EXPECT_EQ(o.format, Format::kText);
  EXPECT_EQ(o.progress, ProgressMode::kAuto);
  EXPECT_EQ(o.hash.table_bytes, std::nullopt);
}

TEST(CommandLine, OptionsMayStandAnywhereAndTheLastOneCounts) {
  const Options o = options_of({"count", "--threads=2", "5", "--threads", "4"});
  EXPECT_EQ(o.depth, Depth(5));
  EXPECT_EQ(o.threads, 4);
}

TEST(CommandLine, TakesTheArgumentsOfTheOtherCommands) {
  const Options check = options_of({"check", "startpos", "14", "61885021521585529237"});
  EXPECT_EQ(check.depth, Depth(14));
  EXPECT_EQ(check.expected.to_string(), "61885021521585529237");
  const Options suite = options_of({"suite", "-", "--max-nodes", "1000", "--max-depth", "3"});
  EXPECT_EQ(suite.file, "-");
  EXPECT_EQ(suite.max_nodes, NodeCount(1000));
  EXPECT_EQ(suite.max_depth, Depth(3));
  EXPECT_EQ(options_of({"perftree", "3", "startpos", "e2e4 e7e5", "g1f3"}).moves, "e2e4 e7e5 g1f3");
  EXPECT_EQ(options_of({"perftree", "3", "startpos"}).moves, "");
  EXPECT_EQ(options_of({"uci", "--threads", "1"}).threads, 1);
}

TEST(CommandLine, TakesCommandsOfOthers) {
  const Command lamp{
      "lamp", "Light it", "", [](const Options&, Io&) { return 7; }, {arguments::kThreads}};
  const std::vector<std::string> words{"lamp", "--threads", "5"};
  const ParsedCommandLine parsed = parse_command_line(words, {&lamp, 1});
  EXPECT_EQ(std::get<Invocation>(parsed).options.threads, 5);
  EXPECT_EQ(std::get<Invocation>(parsed).run, lamp.run);
  EXPECT_THAT(
      std::get<std::string>(parse_command_line(std::vector<std::string>{"--help"}, {&lamp, 1})),
      HasSubstr("Light it"));
  EXPECT_THAT(error_of({"lamp"}), HasSubstr("unknown command 'lamp'"));
  EXPECT_EQ(error_of({"serve"}), "'serve' is missing: this perft was built without its server");
}

TEST(CommandLine, RefusesBadValuesByName) {
  EXPECT_EQ(error_of({"count", "65"}), "depth: '65' is above the maximum of 64");
  EXPECT_EQ(error_of({"count", "-1"}), "depth: '-1' is not a whole number from 0 to 64");
  EXPECT_EQ(error_of({"count", "x"}), "depth: 'x' is not a whole number from 0 to 64");
  EXPECT_EQ(error_of({"count", ""}), "depth: '' is not a whole number from 0 to 64");
  EXPECT_EQ(error_of({"count", "3", "--threads", "0"}),
            "--threads: '0' is not a number from 1 to 1024");
  EXPECT_EQ(error_of({"count", "3", "--threads", "2x"}),
            "--threads: '2x' is not a number from 1 to 1024");
  EXPECT_EQ(error_of({"count", "3", "--format", "xml"}),
            "--format: 'xml' is not one of text, json, csv, stockfish");
  EXPECT_EQ(error_of({"suite", "f", "--format", "stockfish"}),
            "--format: 'stockfish' is not one of text, json, csv");
  EXPECT_EQ(error_of({"count", "3", "--progress", "loud"}),
            "--progress: 'loud' is not one of auto, never, json");
  EXPECT_THAT(error_of({"count", "3", "--kernel", "abacus"}), StartsWith("--kernel: 'abacus'"));
  EXPECT_EQ(error_of({"count", "3", "--hash", "4Q"}),
            "--hash: '4Q' is no size such as 512M, 4G or off");
  EXPECT_EQ(error_of({"count", "3", "--key-seed", "-1"}),
            "--key-seed: '-1' is not a number from 0 to 18446744073709551615");
  EXPECT_EQ(error_of({"check", "startpos", "3", "8,902"}), "value: '8,902' is not a whole number");
  EXPECT_EQ(error_of({"suite", "f", "--max-depth", "99"}),
            "--max-depth: '99' is above the maximum of 64");
  EXPECT_EQ(error_of({"suite", "f", "--max-nodes", "many"}),
            "--max-nodes: 'many' is not a whole number");
}

TEST(CommandLine, HelpsThoseWhoGuess) {
  EXPECT_EQ(error_of({}), "no command given; 'perft --help' shows how");
  EXPECT_EQ(error_of({"coutn", "3"}), "unknown command 'coutn'; did you mean 'count'?");
  EXPECT_EQ(error_of({"div", "3"}), "unknown command 'div'; did you mean 'divide'?");
  EXPECT_EQ(error_of({"6"}), "unknown command '6'; did you mean 'perft count 6'?");
  EXPECT_EQ(error_of({"fly"}), "unknown command 'fly'; 'perft --help' lists the commands");
  EXPECT_EQ(error_of({""}), "unknown command ''; 'perft --help' lists the commands");
  EXPECT_EQ(error_of({"count"}), "DEPTH is required; 'perft count --help' shows how");
  EXPECT_EQ(error_of({"count", "3", "--bogus"}),
            "'--bogus' is not expected here; 'perft count --help' shows how");
  EXPECT_EQ(error_of({"count", "3", "kiwipete"}),
            "'kiwipete' is not expected here; a position goes after --fen");
}

TEST(CommandLine, AFenThatLostItsQuotesIsGivenBackWithThem) {
  const std::vector<std::string> fen{"4k3/8/8/8/8/8/8/4K3", "w", "-", "-", "0", "1"};
  const std::string advice = "FEN: put it in quotes: \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"";
  for (std::vector<std::string> words : {std::vector<std::string>{"count", "3", "--fen"},
                                         {"count", "3"},
                                         {"perftree", "3"},
                                         {"check"}}) {
    words.insert(words.end(), fen.begin(), fen.end());
    EXPECT_EQ(error_of(words), advice);
  }
  EXPECT_EQ(error_of({"count", "--fen", "4k3/8/8/8/8/8/8/4K3", "w", "-", "-", "--divide", "3"}),
            "FEN: put it in quotes: \"4k3/8/8/8/8/8/8/4K3 w - -\"");
}

TEST(CommandLine, HelpAndVersion) {
  EXPECT_THAT(text_of({"--help"}), HasSubstr("signature"));
  EXPECT_THAT(text_of({"--version"}), StartsWith("perft (Manyply) "));
  for (const char* command :
       {"count", "divide", "suite", "check", "perftree", "uci", "signature"}) {
    const std::string help = text_of({command, "--help"});
    EXPECT_THAT(help, HasSubstr(std::string("Usage: perft ") + command));
    EXPECT_THAT(help, HasSubstr("--threads N"));
    EXPECT_EQ(text_of({"help", command}), help);
    EXPECT_EQ(text_of({"--help", command}), help);
    for (std::istringstream lines(help); !lines.eof();) {
      std::string line;
      std::getline(lines, line);
      EXPECT_LE(line.size(), 100u) << line;
    }
  }
}

TEST(CommandLine, TableSizes) {
  EXPECT_EQ(*parse_table_size("off"), 0u);
  EXPECT_EQ(*parse_table_size("1"), 1u);
  EXPECT_EQ(*parse_table_size("64K"), 65536u);
  EXPECT_EQ(*parse_table_size("512M"), 512u << 20);
  EXPECT_EQ(*parse_table_size("4G"), 4ull << 30);
  EXPECT_EQ(*parse_table_size("16T"), 16ull << 40);
  for (const char* text : {"", "G", "0", "0G", "4g", "4GB", "-1", "4.5G", "99999999999T", "on"}) {
    EXPECT_FALSE(parse_table_size(text).ok()) << text;
  }
}

TEST(CommandLine, OptionsThatContradictEachOtherAreRefused) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"count", "3", "--hash", "off", "--key-seed", "1"},
        {"count", "3", "--hash", "off", "--key-bits", "24"},
        {"count", "3", "--hash", "1K"},
        {"count", "3", "--loop", "--checkpoint", "file"}}) {
    std::ostringstream out;
    std::ostringstream err;
    Io io{out, err};
    EXPECT_EQ(run_perft(words, io), kExitError);
    EXPECT_EQ(out.str(), "");
    EXPECT_EQ(std::ranges::count(err.str(), '\n'), 1) << err.str();
  }
}

TEST(CommandLine, ErrorsStayOnOneLine) {
  std::ostringstream out;
  std::ostringstream err;
  Io io{out, err};
  EXPECT_EQ(run_perft(std::vector<std::string>{"two\nlines"}, io), kExitError);
  EXPECT_EQ(std::ranges::count(err.str(), '\n'), 1);
}

}  // namespace
}  // namespace manyply
