#include "core/quote.h"

namespace manyply {

std::string quote(std::string_view text) {
  constexpr std::size_t kMaxBytes = 40;
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  std::string result = "'";
  for (const char c : text.substr(0, kMaxBytes)) {
    if (c >= ' ' && c <= '~') {
      result += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    result += "\\x";
    result += kHexDigits[byte >> 4];
    result += kHexDigits[byte & 15];
  }
  if (text.size() > kMaxBytes) result += "...";
  return result + "'";
}

}  // namespace manyply
