#include "core/quote.h"

namespace manyply {

std::string quote(std::string_view text) {
  constexpr std::size_t kMaxLength = 40;
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  std::string shown;
  for (const char c : text) {
    if (shown.size() >= kMaxLength) return "'" + shown + "...'";
    if (c >= ' ' && c <= '~') {
      shown += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    shown += "\\x";
    shown += kHexDigits[byte >> 4];
    shown += kHexDigits[byte & 15];
  }
  return "'" + shown + "'";
}

}  // namespace manyply
