// The loop that writes all bytes of a block. All systems use it to implement core/base/files.h.
#pragma once

#include <cerrno>
#include <cstddef>
#include <span>

namespace manyply::files {

/// Calls `write_some` with the remaining bytes until all bytes are written. `write_some` must
/// return the number of bytes that it wrote, or -1 with the reason in errno. After EINTR, calls it
/// again. After any other error, returns false, and errno has the reason. It is EIO if `write_some`
/// wrote no byte, because another call might do the same forever.
template <typename WriteSome>
bool write_all(std::span<const std::byte> bytes, const WriteSome& write_some) {
  while (!bytes.empty()) {
    const std::ptrdiff_t n = write_some(bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace manyply::files
