#include "tools/client/client_commands.h"

namespace manyply {

std::vector<Command> client_commands() {
  return {submit_command(), batch_command(), status_command(), watch_command(), cancel_command()};
}

}  // namespace manyply
