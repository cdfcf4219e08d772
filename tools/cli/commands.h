// The commands that count here. Each returns an ExitCode, prints data to io.out and everything else
// to io.err.
#pragma once

#include <vector>

#include "tools/cli/framework/command.h"

namespace manyply {

Command count_command();
Command divide_command();
Command verify_command();
Command compare_command();
Command stats_command();
Command unique_command();
Command estimate_command();
Command zobrist_command();
Command suite_command();
Command bisect_command();
Command diff_command();
Command gen_command();
Command check_command();
Command perftree_command();
Command uci_command();
Command signature_command();

/// All of them, in the order of the help. Called by their addresses, so that a compiler cannot make
/// one function of them all, which a browser's engine would then optimise for longer than most
/// commands run.
inline std::vector<Command> cli_commands() {
  std::vector<Command> commands;
  for (Command (*const made)() :
       {count_command, divide_command, verify_command, compare_command, stats_command,
        unique_command, estimate_command, zobrist_command, suite_command, bisect_command,
        diff_command, gen_command, check_command, perftree_command, uci_command, signature_command})
    commands.push_back(made());
  return commands;
}

}  // namespace manyply
