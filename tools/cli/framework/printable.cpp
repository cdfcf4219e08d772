#include "tools/cli/framework/printable.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace manyply {
namespace {

/// Returns the length of the character at the start of `text`; 0 if a terminal must not show it.
std::size_t shown_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return first >= ' ' && first != 0x7F ? 1 : 0;
  // Excludes stray continuation bytes, and U+0080 to U+009F, which are also control characters.
  const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 0 || first > 0xF4 || text.size() < length) return 0;
  if (first == 0xC2 && byte(1) < 0xA0) return 0;
  const auto continues = [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0) == 0x80; };
  return std::ranges::all_of(text.substr(1, length - 1), continues) ? length : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  constexpr std::string_view kBlank = "\n\r\t";
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = shown_bytes(text);
    const char c = text.front();
    if (length > 0) {
      shown += text.substr(0, length);
    } else if (kBlank.find(c) != std::string_view::npos) {
      shown += ' ';
    } else {
      const auto byte = static_cast<std::uint8_t>(c);
      shown += "\\x";
      shown += kHexDigits[byte >> 4];
      shown += kHexDigits[byte & 15];
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

}  // namespace manyply
