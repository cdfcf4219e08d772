#include "tools/engine/greeting.h"

#include <array>

#include "core/base/ascii.h"

namespace manyply {

bool is_complaint(std::string_view line) {
  constexpr std::array<std::string_view, 11> kWords{
      "unknown",     "unrecogni", "invalid",   "illegal", "error",      "usage:",
      "unsupported", "not found", "not known", "no such", "bad command"};
  const std::string small = to_lower(line);
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

}  // namespace manyply
