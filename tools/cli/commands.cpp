#include "tools/cli/commands.h"

namespace manyply {

std::vector<Command> cli_commands() {
  return {count_command(),    divide_command(), verify_command(),   compare_command(),
          stats_command(),    unique_command(), estimate_command(), zobrist_command(),
          suite_command(),    bisect_command(), gen_command(),      check_command(),
          perftree_command(), uci_command(),    signature_command()};
}

}  // namespace manyply
