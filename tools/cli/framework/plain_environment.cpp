#include <cstdlib>
#include <string_view>

#include "tools/cli/framework/console.h"
#include "tools/cli/framework/io.h"

namespace manyply::console {

// This process never changes its environment. NOLINTBEGIN(concurrency-mt-unsafe)

std::vector<std::string> arguments(int argc, char** argv) { return {argv + 1, argv + argc}; }

bool has_colours(int fd) {
  const char* const terminal = std::getenv("TERM");
  return is_terminal(fd) && terminal != nullptr && std::string_view(terminal) != "dumb";
}

const char* keys_that_end_input() { return "Ctrl-D"; }

std::string temporary_directory() {
  const char* const chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/var/tmp";
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace manyply::console

namespace manyply {

std::string for_shell(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

}  // namespace manyply
