// The commands that count here. Each returns an ExitCode, prints data to io.out and everything else
// to io.err.
#pragma once

#include <vector>

#include "tools/command/command.h"

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
Command gen_command();
Command check_command();
Command perftree_command();
Command uci_command();
Command signature_command();

/// All of them, in the order of the help.
std::vector<Command> cli_commands();

}  // namespace manyply
