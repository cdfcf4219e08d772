// Windows has texts of 16-bit units; ours are UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace manyply::windows {

/// What is no valid text becomes U+FFFD.
[[nodiscard]] std::wstring wide(std::string_view text);
[[nodiscard]] std::string narrow(std::wstring_view text);

/// `word` in double quotes, so that CommandLineToArgvW, and whoever reads as it does, finds that
/// word.
[[nodiscard]] std::wstring quoted(std::wstring_view word);

/// What the C library would call an error of GetLastError().
[[nodiscard]] int errno_of(unsigned long error);

}  // namespace manyply::windows
