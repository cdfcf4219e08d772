#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "tests/support/pipe.h"

namespace manyply {

std::array<int, 2> open_pipe() {
  std::array<int, 2> ends{};
  std::signal(SIGPIPE, SIG_IGN);
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  return ends;
}

}  // namespace manyply
