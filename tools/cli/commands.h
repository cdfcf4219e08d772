// The commands that need no server and no database. Each command prints data to io.out and
// everything else to io.err, and returns an ExitCode.
#pragma once

#include <vector>

#include "tools/cli/framework/command.h"

namespace manyply {

Command count_command();      ///< counts leaves by the chosen method
Command divide_command();     ///< counts the leaves of each root move
Command verify_command();     ///< counts with and without a table and explains differences
Command compare_command();    ///< measures the speed of the methods
Command stats_command();      ///< counts moves by kind
Command unique_command();     ///< counts distinct positions
Command estimate_command();   ///< estimates large counts
Command zobrist_command();    ///< checks Manyply's Zobrist keys or an engine's keys
Command suite_command();      ///< checks suites, by counting or with an engine
Command bisect_command();     ///< finds an engine's wrong move
Command diff_command();       ///< compares a pasted divide
Command gen_command();        ///< writes random suites
Command check_command();      ///< compares a count with a value that the user gives
Command perftree_command();   ///< prints a divide for perftree
Command uci_command();        ///< speaks UCI
Command signature_command();  ///< checks this build

/// Returns the commands above, in the order of the help. Calls the functions above through
/// pointers, so that the compiler does not inline them all into one large function. A browser would
/// need more time to optimise such a function than most commands need to run.
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
