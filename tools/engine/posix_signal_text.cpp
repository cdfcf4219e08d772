#include <algorithm>
#include <cstring>

#include "tools/engine/child_process.h"

namespace manyply {

std::string signal_text(int number) {
  // strsignal() also returns a text for unknown signals.
  // NOLINTNEXTLINE(concurrency-mt-unsafe): only one thread calls it
  const char* const found = ::strsignal(number);
  std::string text = found != nullptr ? found : "";
  text.erase(std::min(text.find(": "), text.size()));  // macOS adds the number
  return text.starts_with("Unknown signal") ? "" : text;
}

}  // namespace manyply
