// What stands in for this room where libcurl is missing.
#include "tools/client/client_commands.h"

namespace manyply {

std::vector<Command> client_commands() {
  constexpr const char* kWhy = "this perft was built without its server";
  return {{.name = "submit", .missing = kWhy},
          {.name = "batch", .missing = kWhy},
          {.name = "status", .missing = kWhy},
          {.name = "watch", .missing = kWhy},
          {.name = "cancel", .missing = kWhy}};
}

}  // namespace manyply
