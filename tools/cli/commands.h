// The commands that count locally. Each returns an ExitCode, and prints data to io.out and
// everything else to io.err.
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

/// Returns all of them, in the order of the help. The calls go through function pointers so that
/// the compiler does not inline them all into one function: a browser's engine would optimise it
/// for longer than most commands run.
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
