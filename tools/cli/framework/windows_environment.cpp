// The order of these includes matters:
// clang-format off
#include <windows.h>
#include <shellapi.h>
// clang-format on
#include <io.h>

#include "core/base/windows_text.h"
#include "tools/cli/framework/console.h"
#include "tools/cli/framework/io.h"

namespace manyply::console {

// Does not use the arguments of main(), because these are encoded in a code page, and their
// wildcards are already expanded.
std::vector<std::string> arguments(int /*argc*/, char** /*argv*/) {
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  std::vector<std::string> texts;
  for (int i = 1; words != nullptr && i < count; ++i) texts.push_back(windows::narrow(words[i]));
  LocalFree(static_cast<void*>(words));
  return texts;
}

bool has_colours(int fd) {
  DWORD mode = 0;
  return GetConsoleMode(reinterpret_cast<HANDLE>(_get_osfhandle(fd)), &mode) != 0 &&
         (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

const char* keys_that_end_input() { return "Ctrl-Z and Enter"; }

}  // namespace manyply::console

namespace manyply {

std::string for_shell(std::string_view text) {
  return windows::narrow(windows::quoted(windows::wide(text)));
}

}  // namespace manyply
