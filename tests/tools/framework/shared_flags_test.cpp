// Every flag must have an effect in at least one mode of its command. If another flag prevents the
// effect, the flag must be refused by name.

#include "tools/cli/framework/shared_flags.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <regex>

#include "core/move_statistics.h"
#include "tests/tools/framework/command_run.h"
#include "tools/campaign/campaign_commands.h"
#include "tools/cli/framework/help.h"
#include "tools/client/server_client.h"
#include "tools/server/serve_command.h"

namespace manyply {
namespace {

using Words = std::vector<std::string>;

std::vector<Command> all_commands() {
  std::vector<Command> commands = cli_commands();
#ifdef MANYPLY_ONLINE
  for (const Command& command : client_commands()) commands.push_back(command);
  commands.push_back(serve_command());
  for (const Command& command : campaign_commands()) commands.push_back(command);
#endif
  static const std::vector<Command> none;
  commands.push_back(completion_command(none));
  commands.push_back(manual_command(none));
  return commands;
}

/// Returns all commands, with the parts of each group instead of the group.
std::vector<Command> commands_that_run() {
  std::vector<Command> running;
  for (const Command& command : all_commands()) {
    const std::vector<Command> one{command};
    for (const Command& part : command.parts.empty() ? one : command.parts) running.push_back(part);
  }
  return running;
}

/// The flags of each command. Each flag has an effect in at least one mode. If you add a flag,
/// check refusals(), too.
const std::map<std::string, std::string> kFlags{
    {"count",
     "--fen --moves --chess960 --divide --loop --method --memory --parts --device --device-memory "
     "--threads --kernel --hash --key-seed --key-bits --checkpoint --pin --interleave --format "
     "--progress"},
    {"divide",
     "--fen --moves --chess960 --plies --fens --loop --method --memory --parts --device "
     "--device-memory --threads --kernel --hash --key-seed --key-bits --checkpoint --pin "
     "--interleave --format --progress"},
    {"verify",
     "--fen --moves --chess960 --sample --sample-seed --reseed --key-checks --device "
     "--device-memory --threads --kernel --hash --key-seed --key-bits --format --progress"},
    {"compare",
     "--fen --moves --chess960 --threads --kernel --hash --key-seed --key-bits --format "
     "--progress"},
    {"stats",
     "--fen --moves --chess960 --divide --details --threads --kernel --hash --key-seed --key-bits "
     "--checkpoint --format --progress"},
    {"unique",
     "--fen --moves --chess960 --epd --memory --checkpoint --threads --kernel "
     "--format --progress"},
    {"estimate",
     "--fen --moves --chess960 --samples --seed --threads --kernel --format --progress"},
    {"zobrist",
     "--fen --moves --chess960 --key-seed --key-bits --positions --engine --run --ask --label "
     "--paste "
     "--questions --suite --budget --timeout --format --progress"},
    {"suite",
     "--engine --budget --max-nodes --max-depth --lenient --write --run --ask --dialect --timeout "
     "--threads --kernel --hash "
     "--key-seed --key-bits --format --progress"},
    {"bisect",
     "--engine --fen --moves --chess960 --suite --max-nodes --causes --run --ask --dialect "
     "--timeout --threads --kernel --format --progress"},
    {"diff", "--fen --moves --chess960 --as-fen --threads --kernel --format"},
    {"gen", "--positions --seed --chess960 --depth --write --threads --kernel"},
    {"check",
     "--moves --chess960 --threads --kernel --hash --key-seed --key-bits --format --progress"},
    {"perftree", "--chess960 --threads --kernel --hash --key-seed --key-bits --progress"},
    {"uci", "--threads --kernel --chess960"},
    {"signature", "--threads --kernel --hash --key-seed --key-bits --format --progress"},
    {"serve",
     "--listen --socket-mode --base-path --state --token-file --campaigns "
     "--campaigns-database --threads --kernel --device --device-memory --hash --concurrent "
     "--short-limit --short-share --max-depth --max-queued --max-deadline --default-deadline "
     "--keep --max-state --pin --interleave --no-access-log"},
    {"submit",
     "--fen --moves --chess960 --divide --mode --method --samples --seed --deadline --watch "
     "--idempotency-key --server --token-file --format --progress"},
    {"batch",
     "--mode --deadline --watch --idempotency-key --format --server --token-file --progress"},
    {"status", "--divide --server --token-file --format"},
    {"watch", "--divide --server --token-file --format --progress"},
    {"cancel", "--server --token-file --format"},
    {"campaign init", "--database --insecure"},
    {"campaign create",
     "--fen --moves --chess960 --memory --verify --verify-other --workers --parts --lease "
     "--threads --kernel --database --insecure --format --progress"},
    {"campaign work",
     "--label --memory --device --device-memory --threads --kernel --pin --database --insecure "
     "--format --progress"},
    {"campaign status", "--database --insecure --format"},
    {"campaign watch", "--every --database --insecure --format"},
    {"campaign workers", "--suspect --yes --database --insecure --format"},
    {"campaign explain",
     "--recount --resolve --memory --threads --kernel --database --insecure --format"},
    {"campaign result", "--database --insecure --format"},
    {"campaign stop", "--database --insecure"},
    {"campaign continue", "--database --insecure"},
    {"campaign slurm", "--database --insecure"},
    {"campaign drop", "--yes --database --insecure"},
    {"completion", ""},
    {"manual", "--command"},
};

/// Returns command lines in which a flag would have no effect, each with its error.
std::vector<std::pair<std::string, std::string>> refusals() {
  using Table = std::map<std::string, Words>;
  const Table whole{
      {"only one of --engine, --run, --paste and --questions may be given",
       {"zobrist --engine x --run {fen}", "zobrist --paste x --questions 9"}},
      {"--plies: is not supported by the format stockfish",
       {"divide 3 --plies 2 --format stockfish"}},
      {"--fens: is not supported by the format stockfish", {"divide 3 --fens --format stockfish"}},
      {"--fens: requires a single depth; leave out --loop", {"divide 3 --fens --loop"}},
      {"depth: must be at least 1 for a divide", {"diff 0", "bisect 0 --engine x"}},
      {"'two' is unexpected here; 'perft diff --help' shows how", {"diff 1 one two"}},
  };
  // The error begins with the last flag.
  Table by_last_flag{
      {"stores a single count; leave out --loop",
       {"count 6 --loop --checkpoint f", "divide 6 --loop --checkpoint f"}},
      {"has no effect without a table",
       {"count 6 --hash off --interleave", "divide 6 --hash off --interleave"}},
      {"cannot be off, because verify checks the table", {"verify 6 --hash off"}},
      {"requires --sample", {"verify 6 --sample-seed 3"}},
      {"cannot be off, because compare also counts with a table", {"compare 6 --hash off"}},
      {"has no effect on a count by configurations, which has neither table nor keys",
       {"count 6 --method configurations --key-seed 3",
        "count 6 --method configurations --key-bits 9",
        "count 6 --method configurations --interleave",
        "divide 6 --method configurations --key-seed 3"}},
      {"stores only totals when counting by configurations; use 'perft count' without --divide, or "
       "--method hashed",
       {"count 6 --divide --method configurations --checkpoint x",
        "divide 6 --method configurations --checkpoint x"}},
      {"requires a depth of at least 3 when counting by configurations",
       {"count 2 --method configurations --checkpoint x"}},
      {"requires --method configurations", {"count 6 --parts 3"}},
      {"is only for checks of Manyply's own keys",
       {"zobrist --engine x --fen startpos", "zobrist --engine x --moves e2e4",
        "zobrist --engine x --chess960", "zobrist --engine x --key-seed 3",
        "zobrist --paste x --key-bits 24", "zobrist --questions 9 --positions 24"}},
      {"requires --engine",
       {"zobrist --ask d", "zobrist --label key", "zobrist --suite classic", "zobrist --budget 9",
        "zobrist --paste x --timeout 9", "zobrist --questions 9 --progress json",
        "zobrist --run {fen} --ask d", "suite classic --budget 1e6", "suite classic --timeout 9",
        "suite classic --dialect lines", "suite classic --ask {depth}"}},
      {"is not supported with --questions, which prints lines of text",
       {"zobrist --questions 9 --format json"}},
      {"must contain {fen}", {"zobrist --run x"}},
      {"cannot be combined with --engine; give one of them",
       {"suite --engine x --run {fen}{depth}"}},
      {"must contain {fen} and {depth}", {"bisect 3 --run x"}},
      {"contains {fen}, so it must also contain {depth}", {"bisect 3 --engine {fen}"}},
      {"cannot be combined with --run",
       {"bisect 3 --run {fen}{depth} --ask {depth}", "zobrist --engine {fen} --ask d"}},
      {"must contain {depth}", {"bisect 3 --engine x --ask perft"}},
      {"cannot be combined with --ask, which sets the engine's commands",
       {"bisect 3 --engine x --ask {depth} --dialect perft"}},
      {"cannot be combined with a command that contains {fen}",
       {"bisect 3 --run {fen}{depth} --dialect lines"}},
      {"requires a depth of at least 2", {"divide 1 --plies 2"}},
      {"cannot be combined with --write, which counts nothing",
       {"suite classic --write csv --ask {depth}", "suite classic --write csv --timeout 9",
        "suite classic --write csv --budget 1e6"}},
      {"'junit' requires --engine", {"suite classic --format junit"}},
      {"'csv' is not supported with --engine; use text, json or junit",
       {"suite classic --engine x --format csv"}},
  };
  for (const std::string command : {"count 6", "divide 6", "verify 6", "compare 6", "stats 6",
                                    "check startpos 6 1", "perftree 6 startpos", "signature"}) {
    for (const char* flag : {" --hash off --key-seed 3", " --hash off --key-bits 24"})
      by_last_flag["has no effect without a table"].push_back(command + flag);
  }
#ifdef MANYPLY_ONLINE
  by_last_flag["requires --watch"] = {"submit 3 --progress json",
                                      "batch /dev/null --progress json"};
  by_last_flag["'verify' is not one of count, hashed, unhashed"] = {
      "batch /dev/null --mode verify"};
  by_last_flag["'csv' is not one of text, json, junit"] = {"batch /dev/null --format csv"};
  by_last_flag["a list of jobs has no divides; give the number of one job"] = {"status --divide"};
#endif
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [error, lines] : whole) {
    for (const std::string& line : lines) all.emplace_back(line, error);
  }
  for (const auto& [error, lines] : by_last_flag) {
    for (const std::string& line : lines) {
      const std::size_t flag = line.rfind("--");
      all.emplace_back(line, line.substr(flag, line.find(' ', flag) - flag) + ": " + error);
    }
  }
  return all;
}

TEST(Flags, EveryCommandAndFlagHasBeenLookedAt) {
  for (const Command& command : commands_that_run()) {
    ASSERT_TRUE(kFlags.contains(command.name)) << command.name;
    Words flags;
    for (const Argument& argument : command.arguments) {
      if (argument.is_flag()) flags.emplace_back(argument.name);
    }
    EXPECT_THAT(flags, ::testing::UnorderedElementsAreArray(words_of(kFlags.at(command.name))))
        << command.name;
  }
}

TEST(Flags, WhatAModeCanNeverHonourIsRefusedByName) {
  const std::vector<Command> commands = all_commands();
  for (const auto& [words, line] : refusals()) {
    const CommandRun ran = perft(words_of(words), commands);
    EXPECT_EQ(ran.exit_code, kExitError) << words;
    EXPECT_EQ(ran.out, "") << words;
    EXPECT_EQ(ran.err, "perft: " + line + '\n') << words;
  }
}

// The README says that all commands that count on this machine have both flags. Commands that let a
// server count have neither.
TEST(Flags, AllThatCountHereTakeThreadsAndKernel) {
  for (const auto& [command, flags] : kFlags) {
    const bool counts = command != "zobrist" && command != "submit" && command != "batch" &&
                        command != "status" && command != "watch" && command != "cancel" &&
                        command != "completion" && command != "manual" &&
                        (!command.starts_with("campaign ") || command == "campaign create" ||
                         command == "campaign work" || command == "campaign explain");
    for (const char* flag : {"--threads", "--kernel"}) {
      EXPECT_EQ(std::ranges::count(words_of(flags), flag), counts ? 1 : 0) << command;
    }
  }
}

// The words that shells offer for completion.
TEST(Flags, TakeEachWordThatIsOfferedForThem) {
  std::map<std::string, int> offered;
  for (const Command& command : commands_that_run()) {
    for (std::size_t i = 0; i < command.arguments.size(); ++i) {
      const Argument& argument = command.arguments[i];
      const std::vector<std::string> words = words_of(argument.values);
      for (const std::string& word : words) {
        const bool runs = argument.values.kind != ValueKind::kKernel || word == "auto" ||
                          std::ranges::any_of(all_kernels(), [&](const Kernel& kernel) {
                            return kernel.name == word && runs_here(kernel);
                          });
        if (!runs) continue;
        const auto error = command.call().take(i, word);
        EXPECT_FALSE(error) << command.name << ' ' << argument.name << ": " << error->to_string();
        ++offered[argument.name];
      }
      if (argument.values.kind == ValueKind::kWord && std::string(argument.name) != "--mode") {
        EXPECT_TRUE(command.call().take(i, "nonsense")) << command.name << ' ' << argument.name;
      }
      if (argument.values.kind == ValueKind::kPosition) {
        for (const std::string& word : words) EXPECT_TRUE(parse_position(word).ok()) << word;
      }
#ifdef MANYPLY_ONLINE
      if (std::string(argument.name) == "--mode") {
        for (const std::string& word : words) EXPECT_TRUE(parse_count_mode(word).ok()) << word;
        EXPECT_FALSE(parse_count_mode("nonsense").ok());
        EXPECT_EQ(words.size(), std::string(command.name) == "batch" ? 3u : 8u);
      }
#endif
    }
  }
  for (const char* name : {"--fen", "FEN", "--kernel", "--format", "--progress", "--dialect",
                           "--suite", "FILES", "SHELL"}) {
    EXPECT_GT(offered[name], 1) << name;
  }
}

// ---------------------------------------------------------------- what is told of commands

/// Returns the rows of the README's table of commands: "count DEPTH", and the text beside it.
std::vector<std::pair<std::string, std::string>> readme_rows() {
  std::ifstream in(MANYPLY_SOURCE_DIR "/README.md");
  std::vector<std::pair<std::string, std::string>> rows;
  bool here = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) here = line == "## Commands";
    if (!here || !line.starts_with("| `")) continue;
    const std::size_t end = line.find("` |");
    if (end == std::string::npos) continue;
    rows.emplace_back(line.substr(3, end - 3), line.substr(end + 3));
  }
  return rows;
}

// The order of rows does not matter.
TEST(Readme, HasARowForEachCommandAndNoFlagThatItLacks) {
  const std::vector<Command> commands = all_commands();
  std::map<std::string, std::string> rows;
  for (const auto& [usage, text] : readme_rows()) rows[usage] = text;
  std::size_t listed = 0;
  for (const Command& command : commands) {
    if (!command.is_listed()) continue;
    ++listed;
    std::string usage = usage_of(command);
    constexpr std::string_view kOptions = " [OPTIONS]";
    usage.erase(usage.find(kOptions), kOptions.size());
    ASSERT_TRUE(rows.contains(usage)) << usage;
    static const std::regex kFlag("--[a-z0-9-]+");
    const std::string& text = rows[usage];
    for (std::sregex_iterator at(text.begin(), text.end(), kFlag), end; at != end; ++at)
      EXPECT_THAT(flags_of(command), ::testing::Contains(at->str())) << usage;
  }
#ifdef MANYPLY_ONLINE
  EXPECT_EQ(rows.size(), listed);
#else
  EXPECT_LT(listed, rows.size());
#endif
}

TEST(Manual, HasASectionForEachCommandAndEachOfItsFlags) {
  const std::vector<Command> commands = all_commands();
  const std::string page = manual(commands, "2025-11-22");
  EXPECT_THAT(page, ::testing::HasSubstr("\n.TH PERFT 1 2025-11-22 \"Manyply "));
  std::size_t at = 0;
  for (const Command& command : commands_that_run()) {
    const std::string section = "\n.SS perft " + std::string(command.name) + " [OPTIONS]";
    if (!command.is_listed()) {
      EXPECT_EQ(page.find(section), std::string::npos);
      continue;
    }
    at = page.find(section, at);
    ASSERT_NE(at, std::string::npos) << command.name;
    const std::string text = page.substr(at, page.find("\n.SS", at + 1) - at);
    for (const std::string& flag : flags_of(command)) {
      EXPECT_THAT(text, ::testing::HasSubstr("\\fB\\-\\-" + flag.substr(2) + "\\fR"))
          << command.name;
    }
  }
  const auto count = std::ranges::find_if(
      commands, [](const Command& command) { return std::string_view(command.name) == "count"; });
  ASSERT_NE(count, commands.end());
  const std::string own = manual_of(*count, "2025-11-22");
  EXPECT_THAT(own, ::testing::HasSubstr("\n.TH PERFT-COUNT 1 2025-11-22 \"Manyply "));
  EXPECT_THAT(own, ::testing::HasSubstr("\\fB\\-\\-method\\fR"));
  for (const Topic& topic : topics()) {
    at = page.find(std::string("\n.SH \"") + topic.section + "\"\n", at);
    ASSERT_NE(at, std::string::npos) << topic.name;
  }
}

}  // namespace
}  // namespace manyply
