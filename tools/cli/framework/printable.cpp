#include "tools/cli/framework/printable.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/quote.h"

namespace manyply {
namespace {

/// Returns the length of the first character of `text` in bytes; 0 if a terminal would not show it
/// or might obey it (U+0080 to U+009F are control characters, too).
std::size_t shown_bytes(std::string_view text) {
  const Utf8Character c = first_character(text);
  const bool steers = c.code < ' ' || (c.code >= 0x7F && c.code < 0xA0);
  return steers ? 0 : c.bytes;
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
