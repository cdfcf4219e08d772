// printf, as far as anybody asks: escapes of JSON, amounts of memory, numbers in streams, last
// words. libc's has 10 KB.
#include <fmt/format.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

/// Of conversions: s, d, i, x, X, f and g, the last with a precision, of x also a width in zeros.
/// What else comes ends it, as it stands.
std::string printed(const char* at, std::va_list given) {
  std::string text;
  while (*at != '\0') {
    if (*at != '%') {
      text += *at++;
      continue;
    }
    const char* const conversion = at++;
    int digits = -1;
    for (; std::strchr("0123456789.*h", *at) != nullptr && *at != '\0'; ++at) {
      if (*at == '*') {
        digits = va_arg(given, int);
      } else if (*at == '.') {
        digits = 0;
      } else if (*at != 'h') {
        digits = std::max(digits, 0) * 10 + (*at - '0');
      }
    }
    switch (*at++) {
      case 's':
        text += va_arg(given, const char*);
        break;
      case 'd':
      case 'i':
        text += std::to_string(va_arg(given, int));
        break;
      case 'x':
        text += fmt::format("{:0{}x}", va_arg(given, unsigned), std::max(digits, 0));
        break;
      case 'X':
        text += fmt::format("{:0{}X}", va_arg(given, unsigned), std::max(digits, 0));
        break;
      case 'f':
        text += fmt::format("{:.{}f}", va_arg(given, double), digits < 0 ? 6 : digits);
        break;
      case 'g':
        text += fmt::format("{:.{}g}", va_arg(given, double), digits < 0 ? 6 : digits);
        break;
      default:
        return text + conversion;
    }
  }
  return text;
}

}  // namespace

extern "C" {

int vsnprintf(char* to, std::size_t room, const char* format, std::va_list given) {
  const std::string text = printed(format, given);
  if (room > 0) to[text.copy(to, room - 1)] = '\0';
  return static_cast<int>(text.size());
}

int snprintf(char* to, std::size_t room, const char* format, ...) {
  std::va_list given;
  va_start(given, format);
  const int length = vsnprintf(to, room, format, given);
  va_end(given);
  return length;
}

int vfprintf(std::FILE* file, const char* format, std::va_list given) {
  const std::string text = printed(format, given);
  return static_cast<int>(std::fwrite(text.data(), 1, text.size(), file));
}

}  // extern "C"
