// Every flag of every command is one that some mode of it honours, and where another flag makes
// that impossible it is refused by name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "core/move_statistics.h"
#include "tools/cli/commands.h"
#include "tools/command/command_line.h"
#ifdef MANYPLY_HAS_CLIENT
#include "tools/client/client_commands.h"
#endif
#ifdef MANYPLY_HAS_SERVER
#include "tools/server/server_commands.h"
#endif

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
#ifdef MANYPLY_HAS_CLIENT
  for (const Command& command : client_commands()) commands.push_back(command);
#endif
#ifdef MANYPLY_HAS_SERVER
  for (const Command& command : server_commands()) commands.push_back(command);
#endif
  return commands;
}

/// The flags of each command, each of which has an effect in at least one mode of it. Who adds one
/// looks at kRefusals, too.
const std::map<std::string, std::string> kFlags{
    {"count",
     "--fen --moves --chess960 --divide --loop --threads --kernel --hash --key-seed --key-bits "
     "--checkpoint --pin --interleave --format --progress"},
    {"divide",
     "--fen --moves --chess960 --loop --threads --kernel --hash --key-seed --key-bits --checkpoint "
     "--pin --interleave --format --progress"},
    {"verify",
     "--fen --moves --chess960 --sample --sample-seed --reseed --key-checks --threads --kernel "
     "--hash --key-seed --key-bits --format --progress"},
    {"compare",
     "--fen --moves --chess960 --threads --kernel --hash --key-seed --key-bits --format "
     "--progress"},
    {"stats",
     "--fen --moves --chess960 --divide --threads --kernel --hash --key-seed --key-bits "
     "--checkpoint --format --progress"},
    {"unique",
     "--fen --moves --chess960 --epd --memory --temp-dir --threads --kernel --format --progress"},
    {"estimate",
     "--fen --moves --chess960 --samples --seed --threads --kernel --format --progress"},
    {"zobrist", "--fen --moves --chess960 --key-seed --key-bits --positions --format"},
    {"suite",
     "--max-nodes --max-depth --threads --kernel --hash --key-seed --key-bits --format --progress"},
    {"bisect",
     "--engine --fen --moves --chess960 --suite --max-nodes --causes --dialect --timeout --threads "
     "--kernel --format --progress"},
    {"gen", "--positions --seed --chess960 --depth --threads --kernel"},
    {"check",
     "--moves --chess960 --threads --kernel --hash --key-seed --key-bits --format --progress"},
    {"perftree", "--chess960 --threads --kernel --hash --key-seed --key-bits --progress"},
    {"uci", "--threads --kernel --chess960"},
    {"signature", "--threads --kernel --hash --key-seed --key-bits --format --progress"},
    {"serve",
     "--listen --state --token-file --threads --kernel --hash --concurrent --max-depth "
     "--max-queued --max-deadline --keep --pin --interleave --no-access-log"},
    {"submit",
     "--fen --moves --chess960 --divide --mode --samples --seed --deadline --watch "
     "--idempotency-key --server --token-file --format --progress"},
    {"status", "--divide --server --token-file --format"},
    {"watch", "--divide --server --token-file --format --progress"},
    {"cancel", "--server --token-file --format"},
};

constexpr const char* kNoKeys = "a count without a table needs no keys";

/// Modes in which a flag could have no effect.
const std::vector<std::pair<std::string, std::string>>& refusals() {
  static const std::vector<std::pair<std::string, std::string>> all = [] {
    std::vector<std::pair<std::string, std::string>> rows{
        {"count 6 --loop --checkpoint f", "--checkpoint: a file keeps one count: leave out --loop"},
        {"divide 6 --loop --checkpoint f",
         "--checkpoint: a file keeps one count: leave out --loop"},
        {"count 6 --hash off --interleave", "--interleave: there is no table to spread"},
        {"divide 6 --hash off --interleave", "--interleave: there is no table to spread"},
        {"verify 6 --hash off", "--hash: verify is about the table"},
        {"verify 6 --sample-seed 3", "--sample-seed: without --sample nothing is chosen"},
        {"compare 6 --hash off", "--hash: compare needs a table, too"},
    };
    for (const char* command : {"count 6", "divide 6", "verify 6", "compare 6", "stats 6",
                                "check startpos 6 1", "perftree 6 startpos", "signature"}) {
      const std::string words = std::string(command) + " --hash off ";
      rows.emplace_back(words + "--key-seed 3", std::string("--key-seed: ") + kNoKeys);
      rows.emplace_back(words + "--key-bits 24", std::string("--key-bits: ") + kNoKeys);
    }
    for (const Kernel& kernel : all_kernels()) {
      const std::string name(kernel.name);
      if (!runs_here(kernel) || has_own_statistics(kernel)) continue;
      rows.emplace_back("stats 4 --kernel " + name,
                        "--kernel: statistics are not counted by '" + name +
                            "'; without --kernel they take the best they have");
    }
#ifdef MANYPLY_HAS_CLIENT
    rows.emplace_back("submit 3 --progress json",
                      "--progress: without --watch nothing is waited for");
    rows.emplace_back("status --divide", "--divide: a list of jobs shows no moves; name a job");
#endif
    return rows;
  }();
  return all;
}

TEST(Flags, EveryCommandAndFlagHasBeenLookedAt) {
  for (const Command& command : all_commands()) {
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

// As the README says. A server counts with the kernel that it was started with.
TEST(Flags, AllThatCountHereTakeThreadsAndKernel) {
  for (const auto& [command, flags] : kFlags) {
    const bool counts = command != "zobrist" && command != "submit" && command != "status" &&
                        command != "watch" && command != "cancel";
    for (const char* flag : {"--threads", "--kernel"}) {
      EXPECT_EQ(std::ranges::count(words_of(flags), flag), counts ? 1 : 0) << command;
    }
  }
}

}  // namespace
}  // namespace manyply
