#include "core/processor.h"

namespace manyply {

Extensions Extensions::of_this_processor() {
  Extensions here;
#if MANYPLY_X86
  std::uint32_t bit = 1;
#define MANYPLY_LOOK(name)                                  \
  if (__builtin_cpu_supports(name) != 0) here.bits_ |= bit; \
  bit <<= 1;
  MANYPLY_X86_EXTENSIONS(MANYPLY_LOOK)
#undef MANYPLY_LOOK
#endif
  return here;
}

std::string Extensions::to_string() const {
  std::string names;
  std::uint32_t bit = 1;
  for (const std::string_view name : kNames) {
    if ((bits_ & bit) != 0) names += (names.empty() ? "" : ", ") + std::string(name);
    bit <<= 1;
  }
  return names;
}

}  // namespace manyply
