#include <cstring>

#include "tools/bisect/system_process.h"

namespace manyply {

std::string signal_text(int number) {
  const char* const text = ::sigdescr_np(number);
  return text != nullptr ? text : "";
}

}  // namespace manyply
