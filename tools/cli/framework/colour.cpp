#include "tools/cli/framework/colour.h"

#include <array>
#include <cstddef>

namespace manyply {

std::string painted(std::string_view text, Colour colour, bool on) {
  constexpr std::array<std::string_view, 3> kCodes{"\x1b[1m", "\x1b[31m", "\x1b[32m"};
  if (!on) return std::string(text);
  return std::string(kCodes.at(static_cast<std::size_t>(colour))) + std::string(text) + "\x1b[0m";
}

}  // namespace manyply
