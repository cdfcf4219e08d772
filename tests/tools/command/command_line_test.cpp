#include "tools/command/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tools/cli/commands.h"
#include "tools/command/flags.h"
#include "tools/command/help.h"
#include "tools/command/printable.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A command that keeps what it was told.
struct LampOptions : Question, Means, Showing {
  std::vector<std::string> words;
};
LampOptions lit;

int keep(const LampOptions& options, Io&) {
  lit = options;
  return 7;
}

Command lamp() {
  using namespace flags;
  static constexpr Flag<LampOptions> kWords{"WORDS", nullptr, "whatever",
                                            [](LampOptions& options, const std::string& text) {
                                              return options.words.push_back(text), accepted();
                                            }};
  return make_command<LampOptions>(
      {.name = "lamp", .summary = "Light it"},
      {kDepth, kWords, kPosition, kDivide, kCounting, kPlacement, kFormat, kProgress}, keep);
}

ParsedCommandLine parse(const std::vector<std::string>& words, std::vector<Command> more = {}) {
  std::vector<Command> commands = cli_commands();
  commands.insert(commands.end(), more.begin(), more.end());
  return parse_command_line(words, commands);
}

/// What the lamp is told by `words`.
LampOptions options_of(std::vector<std::string> words) {
  words.insert(words.begin(), "lamp");
  const ParsedCommandLine parsed = parse(words, {lamp()});
  if (const Error* error = std::get_if<Error>(&parsed))
    throw std::runtime_error(error->to_string());
  std::ostringstream out;
  Io io{out, out};
  EXPECT_EQ(std::get<std::unique_ptr<Call>>(parsed)->run(io), 7);
  return lit;
}

std::string error_of(const std::vector<std::string>& words) {
  const ParsedCommandLine parsed = parse(words);
  const Error* error = std::get_if<Error>(&parsed);
  return error != nullptr ? error->to_string() : "no error";
}

std::string text_of(const std::vector<std::string>& words) {
  return std::get<std::string>(parse(words));
}

TEST(CommandLine, ReadsEveryOptionThatCommandsShare) {
  const LampOptions o =
      options_of({"7",          "--fen",      "kiwipete",  "--moves", "e1g1 a6b5",   "--divide",
                  "--hash",     "off",        "--threads", "3",       "--key-seed",  "9",
                  "--kernel",   "portable",   "--format",  "json",    "--progress",  "never",
                  "--chess960", "--key-bits", "24",        "--pin",   "--interleave"});
  EXPECT_EQ(o.depth, Depth(7));
  EXPECT_EQ(o.fen, "kiwipete");
  EXPECT_EQ(o.moves, "e1g1 a6b5");
  EXPECT_TRUE(o.divide && o.chess960 && o.pin_workers && o.interleave_tables && o.progress_given);
  EXPECT_EQ(o.table_bytes, 0u);
  EXPECT_EQ(o.key_seed, 9u);
  EXPECT_EQ(o.key_bits, 24);
  EXPECT_EQ(o.threads, 3);
  EXPECT_EQ(o.kernel->name, "portable");
  EXPECT_EQ(o.format, Format::kJson);
  EXPECT_EQ(o.progress, ProgressMode::kNever);
}

TEST(CommandLine, Defaults) {
  const LampOptions o = options_of({"0"});
  EXPECT_EQ(o.fen, "startpos");
  EXPECT_EQ(o.threads, 0);
  EXPECT_EQ(o.kernel, nullptr);
  EXPECT_EQ(o.format, Format::kText);
  EXPECT_EQ(o.progress, ProgressMode::kAuto);
  EXPECT_EQ(o.table_bytes, std::nullopt);
  EXPECT_FALSE(o.progress_given || o.divide || o.pin_workers || o.interleave_tables);
  EXPECT_TRUE(o.words.empty());
}

TEST(CommandLine, OptionsMayStandAnywhereAndTheLastOneCounts) {
  const LampOptions o = options_of({"--threads=2", "5", "--threads", "4"});
  EXPECT_EQ(o.depth, Depth(5));
  EXPECT_EQ(o.threads, 4);
}

TEST(CommandLine, TakesAnyNumberOfLastArguments) {
  EXPECT_EQ(options_of({"3", "e2e4 e7e5", "--pin", "g1f3"}).words,
            (std::vector<std::string>{"e2e4 e7e5", "g1f3"}));
}

TEST(CommandLine, EachCallStartsWithTheDefaults) {
  EXPECT_EQ(options_of({"3", "a", "--threads", "4"}).words.size(), 1u);
  const LampOptions again = options_of({"3"});
  EXPECT_EQ(again.words.size(), 0u);
  EXPECT_EQ(again.threads, 0);
}

/// What `words` print.
std::string output_of(const std::vector<std::string>& words) {
  std::ostringstream out;
  std::ostringstream err;
  Io io{out, err};
  run_perft(words, io, cli_commands());
  return out.str() + err.str();
}

TEST(CommandLine, TakesTheArgumentsOfTheOtherCommands) {
  EXPECT_EQ(output_of({"check", "startpos", "2", "61885021521585529237"}),
            "mismatch: perft(2) = 400, expected 61885021521585529237\n");
  EXPECT_THAT(output_of({"suite", MANYPLY_SOURCE_DIR "/tests/data/classic.epd", "--max-nodes",
                         "1000", "--max-depth", "1"}),
              HasSubstr("skipped"));
  EXPECT_THAT(output_of({"perftree", "1", "startpos", "e2e4 e7e5", "g1f3"}), HasSubstr("\n\n29\n"));
  EXPECT_THAT(output_of({"perftree", "1", "startpos"}), HasSubstr("\n\n20\n"));
  EXPECT_THAT(output_of({"count", "2", "--loop"}), HasSubstr("\n    2 "));
}

TEST(CommandLine, TakesCommandsOfOthers) {
  EXPECT_THAT(std::get<std::string>(parse({"--help"}, {lamp()})), HasSubstr("Light it"));
  EXPECT_THAT(std::get<std::string>(parse({"help", "lamp"}, {lamp()})),
              StartsWith("Light it\nUsage: perft lamp [OPTIONS] DEPTH [WORDS...]\n"));
  EXPECT_THAT(error_of({"lamp"}), HasSubstr("unknown command 'lamp'"));
}

TEST(CommandLine, SaysWhyACommandIsMissing) {
  const std::vector<Command> left_out{{.name = "serve", .missing = "it was left out"}};
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"serve"}, {"serve", "--help"}, {"help", "serve"}}) {
    const ParsedCommandLine parsed = parse(words, left_out);
    EXPECT_EQ(std::get<Error>(parsed).to_string(), "'serve' is missing: it was left out");
  }
  EXPECT_THAT(std::get<std::string>(parse({"--help"}, left_out)), Not(HasSubstr("serve")));
  EXPECT_THAT(std::get<Error>(parse({"served"}, left_out)).to_string(), Not(HasSubstr("'serve'")));
}

TEST(Help, BreaksLinesBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 80), "one two three\n");
  EXPECT_EQ(wrapped("one two\nthree", 7), "one two\nthree\n");
  EXPECT_EQ(wrapped("one two three", 9), "one two\nthree\n");
  EXPECT_EQ(wrapped("one incomprehensible three", 5), "one\nincomprehensible\nthree\n");
  EXPECT_EQ(wrapped("one\ntwo\n\nthree\n", 80), "one two\n\nthree\n");
  EXPECT_EQ(wrapped("as script:\n\n  #!/bin/sh and  so on\n  exec", 10),
            "as script:\n\n  #!/bin/sh and  so on\n  exec\n");
  EXPECT_EQ(wrapped("one two three", 9, 2), "one two\n  three\n");
  EXPECT_EQ(wrapped("", 80), "");
}

TEST(Help, FitsWhatItIsGiven) {
  for (const Command& command : cli_commands()) {
    for (std::istringstream lines(help_of(command, 60)); !lines.eof();) {
      std::string line;
      std::getline(lines, line);
      if (!line.starts_with("  perft")) EXPECT_LE(line.size(), 60u) << command.name << ": " << line;
    }
  }
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
    EXPECT_EQ(run_perft(words, io, cli_commands()), kExitError);
    EXPECT_EQ(out.str(), "");
    EXPECT_EQ(std::ranges::count(err.str(), '\n'), 1) << err.str();
  }
}

TEST(CommandLine, ErrorsStayOnOneLine) {
  std::ostringstream out;
  std::ostringstream err;
  Io io{out, err};
  EXPECT_EQ(run_perft(std::vector<std::string>{"two\nlines"}, io, cli_commands()), kExitError);
  EXPECT_EQ(std::ranges::count(err.str(), '\n'), 1);
}

TEST(Complaints, SteerNoTerminal) {
  const std::string escape = "\x1b]0;title\x07";
  const std::vector<std::vector<std::string>> lines{
      {escape},
      {"count", escape},
      {"count", "3", escape},
      {"count", "3", escape + "=1"},
      {"count", "3", "--" + escape},
      {"count", "3", "--hash", escape},
      {"count", "3", "--kernel", escape},
      {"count", "3", "--format", escape},
      {"count", "3", "--fen", escape},
      {"count", "3", "--moves", escape},
      {"count", "3", "--checkpoint", "/no/such/" + escape},
      {"count", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "w", escape},
      {"suite", "/no/such/" + escape},
      {"unique", "2", "--memory", escape},
      {"check", "startpos", "2", escape},
      {"help", escape},
      {"count", "3", "--threads",
       "\xC2\x9B"
       "2J"}};
  for (const std::vector<std::string>& words : lines) {
    std::ostringstream out;
    std::ostringstream err;
    Io io{out, err};
    EXPECT_EQ(run_perft(words, io, cli_commands()), kExitError);
    std::string line = err.str();
    ASSERT_TRUE(line.starts_with("perft: ") && line.ends_with('\n')) << line;
    line.pop_back();
    EXPECT_EQ(printable(line), line);
    EXPECT_EQ(out.str(), "");
  }
}

}  // namespace
}  // namespace manyply
