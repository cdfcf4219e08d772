#include "tools/cli/rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace manyply {

std::string report_row(std::string_view name, std::string_view value) {
  return fmt::format("{:<10} {}\n", name, value);
}

std::string report_sentence(std::string_view name, std::string_view text, int columns) {
  constexpr std::size_t kIndent = 11;
  constexpr std::size_t kLeast = 20;  // on narrower terminals, leave wrapping to the terminal
  const std::size_t room =
      columns == 0 ? std::string_view::npos
                   : std::max(static_cast<std::size_t>(columns), kIndent + kLeast) - kIndent;
  std::string lines;
  while (text.size() > room) {
    std::size_t end = text.rfind(' ', room);
    if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
    lines += report_row(lines.empty() ? name : "", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return text.empty() ? lines : lines + report_row(lines.empty() ? name : "", text);
}

}  // namespace manyply
