#include <gmock/gmock.h>

#include "tests/tools/framework/command_run.h"
#include "tools/cli/framework/command.h"
#include "tools/cli/framework/help.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/framework/shared_flags.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A command that stores its arguments.
struct LampOptions : Question, CountOptions, Showing {
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

/// Returns the options that `words` set.
LampOptions options_of(std::vector<std::string> words) {
  words.insert(words.begin(), "lamp");
  const ParsedCommandLine parsed = parse(words, {lamp()});
  if (const Error* error = std::get_if<Error>(&parsed))
    throw std::runtime_error(error->to_string());
  std::ostringstream out;
  Io io{out, out};
  EXPECT_EQ(std::get<Call>(parsed).run(io), 7);
  return lit;
}

std::string error_of(const std::vector<std::string>& words) {
  const ParsedCommandLine parsed = parse(words);
  const Error* error = std::get_if<Error>(&parsed);
  return error != nullptr ? error->to_string() : "no error";
}

/// Returns the error for words without blanks.
std::string refused(const std::string& line) { return error_of(words_of(line)); }

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

TEST(CommandLine, TakesTheArgumentsOfTheOtherCommands) {
  const CommandRun check = perft({"check", "startpos", "2", "61885021521585529237"});
  EXPECT_EQ(check.out + check.err, "mismatch: perft(2) = 400, expected 61885021521585529237\n");
  EXPECT_THAT(perft({"suite", MANYPLY_SOURCE_DIR "/tools/suites/classic.epd", "--max-nodes", "1000",
                     "--max-depth", "1"})
                  .out,
              HasSubstr("skipped"));
  EXPECT_THAT(perft({"perftree", "1", "startpos", "e2e4 e7e5", "g1f3"}).out, HasSubstr("\n\n29\n"));
  EXPECT_THAT(perft({"perftree", "1", "startpos"}).out, HasSubstr("\n\n20\n"));
  EXPECT_THAT(perft({"count", "2", "--loop"}).out, HasSubstr("\n    2 "));
}

TEST(CommandLine, TakesCommandsOfOthers) {
  EXPECT_THAT(std::get<std::string>(parse({"--help"}, {lamp()})), HasSubstr("Light it"));
  EXPECT_THAT(std::get<std::string>(parse({"help", "lamp"}, {lamp()})),
              StartsWith("Light it\nUsage: perft lamp [OPTIONS] DEPTH [WORDS...]\n"));
  EXPECT_THAT(refused("lamp"), HasSubstr("unknown command 'lamp'"));
}

TEST(CommandLine, SaysWhyACommandIsMissing) {
  const std::vector<Command> left_out{{.name = "serve", .missing = "it was left out"}};
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"serve"}, {"serve", "--help"}, {"help", "serve"}}) {
    const ParsedCommandLine parsed = parse(words, left_out);
    EXPECT_EQ(std::get<Error>(parsed).to_string(),
              "this build does not have 'serve': it was left out");
  }
  const std::string help = std::get<std::string>(parse({"--help"}, left_out));
  EXPECT_THAT(help, HasSubstr("\nMissing:\n  serve: it was left out\n"));
  EXPECT_THAT(help, Not(HasSubstr("\n  serve ")));
  EXPECT_THAT(std::get<std::string>(parse({"--help"}, {lamp()})), Not(HasSubstr("Missing:")));
  EXPECT_THAT(std::get<Error>(parse({"served"}, left_out)).to_string(), Not(HasSubstr("'serve'")));
}

/// A command `lamp` in a group: a command of two words.
Command house() {
  Command light = lamp();
  light.name = "house light";
  Command leave = make_command<Showing>({.name = "house leave", .summary = "Go"}, {},
                                        [](const Showing&, Io&) { return 8; });
  return {
      .name = "house", .summary = "Live in it", .about = "With a lamp.", .parts = {light, leave}};
}

TEST(CommandLine, RunsCommandsOfTwoWords) {
  const std::vector<Command> commands{lamp(), house()};
  const auto run = [&](const std::vector<std::string>& words) {
    return perft(words, commands).exit_code;
  };
  EXPECT_EQ(run({"house", "light", "5", "a", "b", "--threads", "3"}), 7);
  EXPECT_EQ(lit.depth, Depth(5));
  EXPECT_EQ(lit.threads, 3);
  EXPECT_EQ(lit.words, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(run({"house", "leave"}), 8);
  EXPECT_EQ(run({"lamp", "4"}), 7);

  const auto found = [&](const std::vector<std::string>& words) -> std::string {
    const Command* const command = find_command(commands, words);
    return command != nullptr ? command->name : "";
  };
  EXPECT_EQ(found({"house", "leave", "now"}), "house leave");
  EXPECT_EQ(found({"house", "roof"}), "house");
  EXPECT_EQ(found({"lamp", "leave"}), "lamp");
  EXPECT_EQ(found({"leave"}), "");
  EXPECT_EQ(found({}), "");
}

TEST(CommandLine, HelpsThoseWhoGuessTheSecondWord) {
  const auto said = [](const std::string& line) {
    const ParsedCommandLine parsed = parse(words_of(line), {house()});
    if (const Error* error = std::get_if<Error>(&parsed)) return error->to_string();
    const std::string* const text = std::get_if<std::string>(&parsed);
    return text != nullptr ? *text : "runs";
  };
  EXPECT_EQ(said("house"), "'house' needs a command; 'perft house --help' lists its commands");
  EXPECT_EQ(said("house lihgt"), "unknown command 'house lihgt'; did you mean 'house light'?");
  EXPECT_EQ(said("house cellar"),
            "unknown command 'house cellar'; 'perft house --help' lists its commands");
  EXPECT_EQ(said("leave"), "unknown command 'leave'; did you mean 'house leave'?");
  EXPECT_EQ(said("house light"), "DEPTH is required; 'perft house light --help' shows how");
  EXPECT_EQ(said("house light x"), "depth: 'x' is not a whole number from 0 to 64");
  EXPECT_EQ(said("house light 4 --treads 2"),
            "'--treads' is unexpected here; did you mean '--threads'?");
  EXPECT_EQ(said("house leave --pin"),
            "'--pin' is unexpected here; it is a flag of 'count', 'divide' and others");
  EXPECT_EQ(said("house leave --bogus"),
            "'--bogus' is unexpected here; 'perft house leave --help' shows how");

  const std::string group =
      "Live in it\nUsage: perft house COMMAND [OPTIONS]\n\nCommands:\n"
      "  light               Light it\n  leave               Go\n\n"
      "Options:\n  -h,--help           this help\n\nWith a lamp.\n";
  EXPECT_EQ(said("house --help"), group);
  EXPECT_EQ(said("help house"), group);
  EXPECT_THAT(said("help house light"),
              StartsWith("Light it\nUsage: perft house light [OPTIONS] DEPTH [WORDS...]\n"));
  EXPECT_EQ(said("house light -h"), said("help house light"));
  EXPECT_THAT(said("--help"), HasSubstr("\n  house               Live in it\n"));
  EXPECT_THAT(said("--help"), Not(HasSubstr("leave")));
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

/// Returns the longest line. If `except` is not empty, skips lines that begin with it.
std::string longest_line(const std::string& text, std::string_view except = {}) {
  std::string longest;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_left_out = !except.empty() && line.starts_with(except);
    if (line.size() > longest.size() && !is_left_out) longest = line;
  }
  return longest;
}

TEST(Help, FitsWhatItIsGiven) {
  for (const Command& command : cli_commands()) {
    const std::string line = longest_line(help_of(command, {60}), "  perft");
    EXPECT_LE(line.size(), 60u) << command.name << ": " << line;
  }
}

TEST(Help, FitsTheTerminalWithinReason) {
  std::ostringstream stream;
  Io io{stream, stream};
  EXPECT_EQ(help_style(io).columns, 90);
  EXPECT_FALSE(help_style(io).colours);
  for (const auto& [columns, used] : {std::pair(20, 40), std::pair(66, 66), std::pair(400, 100)}) {
    io.out_columns = columns;
    EXPECT_EQ(help_style(io).columns, used);
  }
  io.out_columns = 50;
  run_perft(std::vector<std::string>{"help", "count"}, io, cli_commands());
  const std::size_t widest = longest_line(stream.str(), "  perft").size();
  EXPECT_LE(widest, 50u);
  EXPECT_GE(widest, 45u);
}

TEST(Help, NamesWhatMayBeTyped) {
  const std::string help = text_of({"help", "count"});
  for (const Kernel& kernel : all_kernels()) EXPECT_THAT(help, HasSubstr(std::string(kernel.name)));
  for (const char* name : {"startpos", "start", "kiwipete", "position3", "position6"})
    EXPECT_THAT(help, HasSubstr(name));
}

TEST(CommandLine, HintsBeginWithTheNameThatTheUserTyped) {
  EXPECT_EQ(named_as("perft", "'perft help' perft"), "'perft help' perft");
  EXPECT_EQ(named_as("npx manyply", "see 'perft help'; perft is exact\nperft count 3 | perft diff"),
            "see 'npx manyply help'; perft is exact\nnpx manyply count 3 | npx manyply diff");
  EXPECT_EQ(named_as("manyply", "next       perft bisect 3"), "next       manyply bisect 3");
  std::ostringstream out;
  std::ostringstream err;
  Io io{out, err};
  io.program = "python3 -m manyply";
  EXPECT_EQ(run_perft(std::vector<std::string>{"count"}, io, cli_commands()), kExitError);
  EXPECT_THAT(err.str(), StartsWith("perft: "));
  EXPECT_THAT(err.str(), HasSubstr("'python3 -m manyply count --help'"));
  EXPECT_EQ(run_perft(std::vector<std::string>{"bisect", "--help"}, io, cli_commands()), kExitOk);
  EXPECT_THAT(out.str(), HasSubstr("Usage: python3 -m manyply bisect "));
  EXPECT_THAT(out.str(), HasSubstr("  python3 -m manyply bisect "));
  EXPECT_THAT(out.str(), Not(HasSubstr(" perft bisect")));
}

TEST(Colours, AreForThoseWhoWantThem) {
  const auto outputs = [](bool colours) {
    std::ostringstream out;
    std::ostringstream err;
    Io io{out, err};
    io.out_colours = io.err_colours = colours;
    run_perft(std::vector<std::string>{"help", "count"}, io, cli_commands());
    run_perft(std::vector<std::string>{"coutn"}, io, cli_commands());
    return std::pair(out.str(), err.str());
  };
  const auto [plain_out, plain_err] = outputs(false);
  EXPECT_THAT(plain_out + plain_err, Not(HasSubstr("\x1b")));
  auto [out, err] = outputs(true);
  EXPECT_THAT(out, HasSubstr("\x1b[1mUsage:\x1b[0m perft count"));
  EXPECT_THAT(err, StartsWith("\x1b[31mperft:\x1b[0m unknown command"));
  for (std::string* text : {&out, &err}) {
    for (const char* code : {"\x1b[0m", "\x1b[1m", "\x1b[31m"}) {
      for (std::size_t at; (at = text->find(code)) != std::string::npos;)
        text->erase(at, std::string_view(code).size());
    }
  }
  EXPECT_EQ(out, plain_out);
  EXPECT_EQ(err, plain_err);
}

TEST(CommandLine, RefusesBadValuesByName) {
  EXPECT_EQ(refused("count 65"), "depth: '65' is above the maximum depth of 64");
  EXPECT_EQ(refused("count -1"), "depth: '-1' is not a whole number from 0 to 64");
  EXPECT_EQ(refused("count x"), "depth: 'x' is not a whole number from 0 to 64");
  EXPECT_EQ(error_of({"count", ""}), "depth: '' is not a whole number from 0 to 64");
  EXPECT_EQ(refused("count 3 --threads 0"), "--threads: '0' is not a whole number from 1 to 1024");
  EXPECT_EQ(refused("count 3 --threads 2x"),
            "--threads: '2x' is not a whole number from 1 to 1024");
  EXPECT_EQ(refused("count 3 --format xml"),
            "--format: 'xml' is not one of text, json, csv, stockfish");
  EXPECT_EQ(refused("stats 3 --format stockfish"),
            "--format: 'stockfish' is not one of text, json, csv");
  EXPECT_EQ(refused("count 3 --progress loud"),
            "--progress: 'loud' is not one of auto, never, json");
  EXPECT_THAT(refused("count 3 --kernel abacus"), StartsWith("--kernel: 'abacus'"));
  EXPECT_EQ(refused("count 3 --hash 4Q"), "--hash: '4Q' is not a size such as 512M, 1.5G or off");
  EXPECT_EQ(refused("count 3 --key-seed -1"),
            "--key-seed: '-1' is not a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(refused("check startpos 3 8,90"), "value: '8,90' is not a whole number");
  EXPECT_EQ(refused("suite f --max-depth 99"),
            "--max-depth: '99' is above the maximum depth of 64");
  EXPECT_EQ(refused("suite f --max-nodes many"), "--max-nodes: 'many' is not a whole number");
}

TEST(CommandLine, HelpsThoseWhoGuess) {
  EXPECT_EQ(refused(""), "no command given; 'perft --help' shows how");
  EXPECT_EQ(refused("coutn 3"), "unknown command 'coutn'; did you mean 'count'?");
  EXPECT_EQ(refused("div 3"), "unknown command 'div'; did you mean 'divide'?");
  EXPECT_EQ(refused("6"), "unknown command '6'; did you mean 'perft count 6'?");
  EXPECT_EQ(refused("fly"), "unknown command 'fly'; 'perft --help' lists the commands");
  EXPECT_EQ(error_of({""}), "unknown command ''; 'perft --help' lists the commands");
  EXPECT_EQ(refused("count"), "DEPTH is required; 'perft count --help' shows how");
  EXPECT_EQ(refused("count 3 --bogus"),
            "'--bogus' is unexpected here; 'perft count --help' shows how");
  for (const char* position : {"kiwipete", "start", "position4", "8/8/8/8/8/8/8/8"}) {
    EXPECT_EQ(error_of({"count", "3", position, "--fen", "startpos"}),
              std::string("'") + position + "' is unexpected here; only one position is allowed");
  }
  EXPECT_EQ(refused("gen kiwipete"), "'kiwipete' is unexpected here; 'perft gen --help' shows how");
}

TEST(CommandLine, KnowsWhatAMistypedFlagWasMeantToBe) {
  const auto meant = [](const std::string& line) { return refused("count " + line); };
  EXPECT_EQ(meant("3 --treads 2"), "'--treads' is unexpected here; did you mean '--threads'?");
  EXPECT_EQ(meant("3 --fromat=json"),
            "'--fromat=json' is unexpected here; did you mean '--format'?");
  EXPECT_THAT(meant("3 -threads 2"), HasSubstr("did you mean '--threads'?"));
  EXPECT_THAT(meant("3 --Hash off"), HasSubstr("did you mean '--hash'?"));
  EXPECT_THAT(meant("3 --key 7"), HasSubstr("did you mean '--key-seed'?"));
  // The error must not say that the value of the option is not a depth.
  EXPECT_THAT(meant("--hahs 4G 3"), HasSubstr("did you mean '--hash'?"));
  EXPECT_THAT(meant("--hahs 4G"), HasSubstr("did you mean '--hash'?"));
  EXPECT_EQ(meant("3 --samples 9"), "'--samples' is unexpected here; it is a flag of 'estimate'");
  EXPECT_EQ(meant("3 --engine x"),
            "'--engine' is unexpected here; it is a flag of 'zobrist', 'suite' and others");
  EXPECT_EQ(refused("gen --hash 4G"),
            "'--hash' is unexpected here; it is a flag of 'count', 'divide' and others");
  EXPECT_EQ(refused("count 3 --fen kiwipet"),
            "FEN: 'kiwipet' is not a position; did you mean 'kiwipete'?");
  for (const char* position : {"kiwipet", "position kiwipet"}) {
    for (const bool before : {true, false}) {
      std::vector<std::string> words{"count", "3"};
      words.insert(words.end() - (before ? 1 : 0), position);
      EXPECT_EQ(error_of(words),
                std::string("FEN: '") + position + "' is not a position; did you mean 'kiwipete'?");
    }
  }
  EXPECT_EQ(refused("count 3 xyz"), "'xyz' is unexpected here; 'perft count --help' shows how");
  EXPECT_THAT(error_of({"count", "3", "two\nlines"}), HasSubstr("'two lines' is unexpected"));
  EXPECT_EQ(refused("check strtpos 3 8902"),
            "FEN: 'strtpos' is not a position; did you mean 'startpos'?");
  EXPECT_EQ(refused("bisect 3 --fen positon3"),
            "FEN: 'positon3' is not a position; did you mean 'position3'?");
  EXPECT_EQ(refused("count 3 --threads"),
            "--threads: N is required after this flag; 'perft count --help' shows how");
  EXPECT_EQ(refused("--hlep"), "'--hlep' is unexpected here; did you mean '--help'?");
  EXPECT_EQ(refused("--vresion"), "'--vresion' is unexpected here; did you mean '--version'?");
  for (const char* odd : {"-", "--", "---", "-5"}) EXPECT_NE(meant(std::string("3 ") + odd), "");
}

TEST(CommandLine, CountsTypingErrors) {
  EXPECT_EQ(typing_errors("count", "count"), 0);
  EXPECT_EQ(typing_errors("coutn", "count"), 1);
  EXPECT_EQ(typing_errors("cout", "count"), 1);
  EXPECT_EQ(typing_errors("countt", "count"), 1);
  EXPECT_EQ(typing_errors("kount", "count"), 1);
  EXPECT_EQ(typing_errors("", "count"), 5);
  EXPECT_EQ(typing_errors("count", ""), 5);
  EXPECT_EQ(typing_errors("ab", "ba"), 1);
  EXPECT_EQ(typing_errors("kitten", "sitting"), 3);
  EXPECT_EQ(nearest("stat", std::vector<std::string>{"status", "stats", "uci"}), "stats");
  EXPECT_EQ(nearest("hash-size", std::vector<std::string>{"has", "hash"}), "hash");
  EXPECT_EQ(nearest("x", std::vector<std::string>{"uci"}), std::nullopt);
}

TEST(CommandLine, AFenThatLostItsQuotesIsGivenBackWithThem) {
  const std::string advice = "FEN: put it in quotes: \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"";
  for (const std::string command : {"count 3 --fen", "count 3", "perftree 3", "check"})
    EXPECT_EQ(refused(command + " 4k3/8/8/8/8/8/8/4K3 w - - 0 1"), advice) << command;
  EXPECT_EQ(refused("count --fen 4k3/8/8/8/8/8/8/4K3 w - - --divide 3"),
            "FEN: put it in quotes: \"4k3/8/8/8/8/8/8/4K3 w - -\"");
  EXPECT_EQ(refused("count 3 --fen '4k3/8/8/8/8/8/8/4K3 w - - 0 1'"), advice);
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
    EXPECT_LE(longest_line(help).size(), 100u) << help;
  }
}

TEST(CommandLine, TopicsAreHelpedWithToo) {
  const std::string overview = text_of({"--help"});
  for (const Topic& topic : topics()) {
    EXPECT_THAT(overview, HasSubstr(std::string("\n  ") + topic.name + ' '));
    EXPECT_EQ(find_command(cli_commands(), std::vector<std::string>{topic.name}), nullptr);
    const std::string help = text_of({"help", topic.name});
    EXPECT_THAT(help, StartsWith(std::string(topic.summary) + "\n\n"));
    EXPECT_LE(longest_line(help).size(), 90u) << help;
  }
  EXPECT_THAT(text_of({"help", "positions"}), HasSubstr("kiwipete"));
  EXPECT_EQ(refused("formats"), "unknown command 'formats'; did you mean 'perft help formats'?");
  EXPECT_EQ(refused("help format"), "unknown command 'format'; did you mean 'perft help formats'?");
}

TEST(CommandLine, TableSizes) {
  using Size = std::pair<const char*, std::uint64_t>;
  for (const auto& [text, bytes] :
       {Size("off", 0), Size("0", 0), Size("64K", 65536), Size("512M", 512ull << 20),
        Size("512MB", 512ull << 20), Size("512MiB", 512ull << 20), Size("512m", 512ull << 20),
        Size("1.5G", 3ull << 29), Size("0.25g", 256ull << 20), Size("4GB", 4ull << 30),
        Size("16T", 16ull << 40), Size("1", 1ull << 20), Size("256", 256ull << 20),
        Size("1_024", 1ull << 30), Size("1048576", 1ull << 40)}) {
    const Result<std::uint64_t> size = parse_table_size(text);
    ASSERT_TRUE(size.ok()) << text;
    EXPECT_EQ(*size, bytes) << text;
  }
  for (const char* text : {"", "G", "0G", "-1", "1.G", ".5G", "1.5.5G", "4Q", "4GG", "4GBs", "4 G",
                           "0.0000001K", "99999999999T", "on", "1__0M", "1_M"})
    EXPECT_FALSE(parse_table_size(text).ok()) << text;
}

// Many other tools take the table size in MiB.
TEST(CommandLine, ATableSizeInBytesIsToldFromOneInMebibytes) {
  const auto hint = [](const char* text) { return parse_table_size(text).error().message; };
  EXPECT_EQ(hint("8589934592"), "'8589934592' would be in MiB, as in UCI; for bytes, write 8G");
  EXPECT_THAT(hint("1000000000"), ::testing::EndsWith("write 953M"));
  EXPECT_THAT(hint("67108864"), ::testing::EndsWith("write 64M"));
  EXPECT_EQ(refused("count 6 --hash 1073741824"),
            "--hash: '1073741824' would be in MiB, as in UCI; for bytes, write 1G");
}

TEST(CommandLine, NumbersAsPeopleWriteThem) {
  using Number = std::pair<const char*, std::uint64_t>;
  for (const auto& [text, number] :
       {Number("1000000", 1'000'000), Number("1_000_000", 1'000'000), Number("1e6", 1'000'000),
        Number("1E6", 1'000'000), Number("1M", 1'000'000), Number("2.5G", 2'500'000'000),
        Number("1.5e3", 1500), Number("7k", 7000), Number("7K", 7000), Number("0", 0),
        Number("007", 7), Number("1.50k", 1500)}) {
    EXPECT_EQ(*parse_amount(text, 0, UINT64_MAX), number) << text;
    EXPECT_EQ(*parse_nodes(text), NodeCount(number)) << text;
  }
  EXPECT_EQ(parse_nodes("1e21")->to_string(), "1000000000000000000000");
  for (const char* text : {"", "e6", "1e", "1e-3", "1.5", "1.2345k", "1m", "1Q", "M", "_1", "1_",
                           "1,000", "1e61", "0x10", " 1", "1e21"})
    EXPECT_FALSE(parse_amount(text, 0, UINT64_MAX).ok()) << text;
  EXPECT_EQ(parse_amount("1e6", 1, 1000).error().message,
            "'1e6' is not a whole number from 1 to 1000");
}

TEST(CommandLine, OptionsThatContradictEachOtherAreRefused) {
  for (const char* line : {"count 3 --hash off --key-seed 1", "count 3 --hash off --key-bits 24",
                           "count 3 --hash 1K", "count 3 --loop --checkpoint file"}) {
    const CommandRun ran = perft(words_of(line));
    EXPECT_EQ(ran.exit_code, kExitError);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  }
}

TEST(CommandLine, ErrorsStayOnOneLine) {
  const CommandRun ran = perft({"two\nlines"});
  EXPECT_EQ(ran.exit_code, kExitError);
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1);
}

TEST(Complaints, SteerNoTerminal) {
  const std::string escape = "\x1b]0;title\x07";
  for (const std::string& line :
       {escape, "count " + escape, "count 3 " + escape, "count 3 " + escape + "=1",
        "count 3 --" + escape, "count 3 --hash " + escape, "count 3 --kernel " + escape,
        "count 3 --format " + escape, "count 3 --fen " + escape, "count 3 --moves " + escape,
        "count 3 --checkpoint /no/such/" + escape,
        "count rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w " + escape, "suite /no/such/" + escape,
        "unique 2 --memory " + escape, "check startpos 2 " + escape, "help " + escape,
        std::string("count 3 --threads \xC2\x9B") + "2J"}) {
    const CommandRun ran = perft(words_of(line));
    EXPECT_EQ(ran.exit_code, kExitError);
    std::string told = ran.err;
    ASSERT_TRUE(told.starts_with("perft: ") && told.ends_with('\n')) << told;
    told.pop_back();
    EXPECT_EQ(printable(told), told);
    EXPECT_EQ(ran.out, "");
  }
}

}  // namespace
}  // namespace manyply
