// Every flag must have an effect in at least one mode of its command. If another flag prevents the
// effect, the flag must be refused by name.

#include "tools/cli/framework/shared_flags.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "core/move_statistics.h"
#include "tools/campaign/campaign_commands.h"
#include "tools/cli/commands.h"
#include "tools/cli/framework/command_line.h"
#include "tools/cli/framework/help.h"
#include "tools/client/client_commands.h"
#include "tools/server/serve_command.h"

namespace manyply {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

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

/// Returns the commands that run: of a group, its parts.
std::vector<Command> commands_that_run() {
  std::vector<Command> running;
  for (const Command& command : all_commands()) {
    const std::vector<Command> one{command};
    for (const Command& part : command.parts.empty() ? one : command.parts) running.push_back(part);
  }
  return running;
}

/// The flags of each command. Each flag has an effect in at least one mode. If you add a flag,
/// check kRefusals, too.
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

constexpr const char* kNoKeys = "has no effect without a table";

/// Returns modes in which a flag would have no effect.
const std::vector<std::pair<std::string, std::string>>& refusals() {
  static const std::vector<std::pair<std::string, std::string>> all = [] {
    std::vector<std::pair<std::string, std::string>> rows{
        {"count 6 --loop --checkpoint f", "--checkpoint: stores a single count; leave out --loop"},
        {"divide 6 --loop --checkpoint f", "--checkpoint: stores a single count; leave out --loop"},
        {"count 6 --hash off --interleave", "--interleave: has no effect without a table"},
        {"divide 6 --hash off --interleave", "--interleave: has no effect without a table"},
        {"verify 6 --hash off", "--hash: cannot be off, because verify checks the table"},
        {"verify 6 --sample-seed 3", "--sample-seed: requires --sample"},
        {"compare 6 --hash off", "--hash: cannot be off, because compare also counts with a table"},
        {"count 6 --method configurations --key-seed 3",
         "--key-seed: has no effect on a count by configurations, which has neither table nor "
         "keys"},
        {"count 6 --method configurations --key-bits 9",
         "--key-bits: has no effect on a count by configurations, which has neither table nor "
         "keys"},
        {"count 6 --method configurations --interleave",
         "--interleave: has no effect on a count by configurations, which has neither table nor "
         "keys"},
        {"count 6 --divide --method configurations --checkpoint x",
         "--checkpoint: stores only totals when counting by configurations; use 'perft count' "
         "without --divide, or --method hashed"},
        {"count 2 --method configurations --checkpoint x",
         "--checkpoint: requires a depth of at least 3 when counting by configurations"},
        {"count 6 --parts 3", "--parts: requires --method configurations"},
        {"zobrist --engine x --fen startpos", "--fen: is only for checks of Manyply's own keys"},
        {"zobrist --engine x --moves e2e4", "--moves: is only for checks of Manyply's own keys"},
        {"zobrist --engine x --chess960", "--chess960: is only for checks of Manyply's own keys"},
        {"zobrist --engine x --key-seed 3", "--key-seed: is only for checks of Manyply's own keys"},
        {"zobrist --paste x --key-bits 24", "--key-bits: is only for checks of Manyply's own keys"},
        {"zobrist --questions 9 --positions 24",
         "--positions: is only for checks of Manyply's own keys"},
        {"zobrist --ask d", "--ask: requires --engine"},
        {"zobrist --label key", "--label: requires --engine"},
        {"zobrist --suite classic", "--suite: requires --engine"},
        {"zobrist --budget 9", "--budget: requires --engine"},
        {"zobrist --paste x --timeout 9", "--timeout: requires --engine"},
        {"zobrist --questions 9 --progress json", "--progress: requires --engine"},
        {"zobrist --questions 9 --format json",
         "--format: is not supported with --questions, which prints lines of text"},
        {"zobrist --run {fen} --ask d", "--ask: requires --engine"},
        {"zobrist --run x", "--run: must contain {fen}"},
        {"zobrist --engine x --run {fen}",
         "only one of --engine, --run, --paste and --questions may be given"},
        {"zobrist --paste x --questions 9",
         "only one of --engine, --run, --paste and --questions may be given"},
        {"divide 6 --method configurations --checkpoint x",
         "--checkpoint: stores only totals when counting by configurations; use 'perft count' "
         "without --divide, or --method hashed"},
        {"divide 6 --method configurations --key-seed 3",
         "--key-seed: has no effect on a count by configurations, which has neither table nor "
         "keys"},
        {"suite classic --budget 1e6", "--budget: requires --engine"},
        {"suite classic --timeout 9", "--timeout: requires --engine"},
        {"suite classic --dialect lines", "--dialect: requires --engine"},
        {"suite classic --ask {depth}", "--ask: requires --engine"},
        {"suite --engine x --run {fen}{depth}",
         "--run: cannot be combined with --engine; give one of them"},
        {"bisect 3 --run x", "--run: must contain {fen} and {depth}"},
        {"bisect 3 --engine {fen}", "--engine: contains {fen}, so it must also contain {depth}"},
        {"bisect 3 --run {fen}{depth} --ask {depth}", "--ask: cannot be combined with --run"},
        {"bisect 3 --engine x --ask perft", "--ask: must contain {depth}"},
        {"bisect 3 --engine x --ask {depth} --dialect perft",
         "--dialect: cannot be combined with --ask, which sets the engine's commands"},
        {"bisect 3 --run {fen}{depth} --dialect lines",
         "--dialect: cannot be combined with a command that contains {fen}"},
        {"divide 3 --plies 2 --format stockfish",
         "--plies: is not supported by the format stockfish"},
        {"divide 3 --fens --format stockfish", "--fens: is not supported by the format stockfish"},
        {"divide 1 --plies 2", "--plies: requires a depth of at least 2"},
        {"divide 3 --fens --loop", "--fens: requires a single depth; leave out --loop"},
        {"diff 0", "depth: must be at least 1 for a divide"},
        {"diff 1 one two", "'two' is unexpected here; 'perft diff --help' shows how"},
        {"bisect 0 --engine x", "depth: must be at least 1 for a divide"},
        {"zobrist --engine {fen} --ask d", "--ask: cannot be combined with --run"},
        {"suite classic --write csv --ask {depth}",
         "--ask: cannot be combined with --write, which counts nothing"},
        {"suite classic --write csv --timeout 9",
         "--timeout: cannot be combined with --write, which counts nothing"},
        {"suite classic --write csv --budget 1e6",
         "--budget: cannot be combined with --write, which counts nothing"},
        {"suite classic --format junit", "--format: 'junit' requires --engine"},
        {"suite classic --engine x --format csv",
         "--format: 'csv' is not supported with --engine; use text, json or junit"},
    };
    for (const char* command : {"count 6", "divide 6", "verify 6", "compare 6", "stats 6",
                                "check startpos 6 1", "perftree 6 startpos", "signature"}) {
      const std::string words = std::string(command) + " --hash off ";
      rows.emplace_back(words + "--key-seed 3", std::string("--key-seed: ") + kNoKeys);
      rows.emplace_back(words + "--key-bits 24", std::string("--key-bits: ") + kNoKeys);
    }
#ifdef MANYPLY_ONLINE
    rows.emplace_back("submit 3 --progress json", "--progress: requires --watch");
    rows.emplace_back("batch /dev/null --progress json", "--progress: requires --watch");
    rows.emplace_back("batch /dev/null --mode verify",
                      "--mode: 'verify' is not one of count, hashed, unhashed");
    rows.emplace_back("batch /dev/null --format csv",
                      "--format: 'csv' is not one of text, json, junit");
    rows.emplace_back("status --divide",
                      "--divide: a list of jobs has no divides; give the number of one job");
#endif
    return rows;
  }();
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
    std::ostringstream out;
    std::ostringstream err;
    Io io{out, err};
    EXPECT_EQ(run_perft(words_of(words), io, commands), kExitError) << words;
    EXPECT_EQ(out.str(), "") << words;
    EXPECT_EQ(err.str(), "perft: " + line + '\n') << words;
  }
}

// As the README says. A server uses the kernel with which it was started.
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
      if (argument.values.kind == ValueKind::kWord && std::string(argument.name) != "--mode")
        EXPECT_TRUE(command.call().take(i, "nonsense")) << command.name << ' ' << argument.name;
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
