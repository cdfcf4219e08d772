// Conversions for Windows: text (Windows uses UTF-16, Manyply uses UTF-8), words of a command line,
// and error codes.
#pragma once

#include <string>
#include <string_view>

namespace manyply::windows {

/// wide() converts UTF-8 to UTF-16. narrow() converts UTF-16 to UTF-8. Invalid sequences become
/// U+FFFD.
[[nodiscard]] std::wstring wide(std::string_view text);
[[nodiscard]] std::string narrow(std::wstring_view text);

/// Returns `word` in double quotes, with escapes. CommandLineToArgvW and the C library read the
/// result as this one word.
[[nodiscard]] std::wstring quoted(std::wstring_view word);

/// Returns the errno value that corresponds to a result of GetLastError(); EIO if there is no such
/// value.
[[nodiscard]] int errno_of(unsigned long error);

}  // namespace manyply::windows
