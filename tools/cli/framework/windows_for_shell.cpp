#include "core/base/windows_text.h"
#include "tools/cli/framework/printable.h"

namespace manyply {

std::string for_shell(std::string_view text) {
  return windows::narrow(windows::quoted(windows::wide(text)));
}

}  // namespace manyply
