#include <cstring>

#include "tools/engine/system_process.h"

namespace manyply {

std::string signal_text(int number) {
  const char* const text = ::sigdescr_np(number);
  return text != nullptr ? text : "";
}

}  // namespace manyply
