#include <fcntl.h>
#include <io.h>

#include <stdexcept>

#include "tests/support/pipe.h"

namespace manyply {

std::array<int, 2> open_pipe() {
  constexpr unsigned kBytes = 65'536;
  std::array<int, 2> ends{};
  if (::_pipe(ends.data(), kBytes, _O_BINARY | _O_NOINHERIT) != 0)
    throw std::runtime_error("no pipe");
  return ends;
}

}  // namespace manyply
