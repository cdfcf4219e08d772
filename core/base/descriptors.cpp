// Operations on open files, for systems with POSIX file descriptors.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/files.h"

namespace manyply::files {

void close(int file) { ::close(file); }

std::optional<Kind> kind(int file) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return std::nullopt;
  return S_ISREG(status.st_mode) ? Kind::kRegular : Kind::kOther;
}
std::optional<std::uint64_t> bytes(int file) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

std::optional<std::size_t> read_at(int file, std::uint64_t at, std::span<std::byte> bytes) {
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n =
        ::pread(file, bytes.data() + have, bytes.size() - have, static_cast<off_t>(at + have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  return have;
}

bool write_at(int file, std::uint64_t at, std::span<const std::byte> bytes) {
  return write_all(bytes, [&](std::span<const std::byte> left) {
    const std::uint64_t place = at + (bytes.size() - left.size());
    return ::pwrite(file, left.data(), left.size(), static_cast<off_t>(place));
  });
}

bool write(int file, std::span<const std::byte> bytes) {
  return write_all(bytes, [&](std::span<const std::byte> left) {
    return ::write(file, left.data(), left.size());
  });
}

bool cut(int file, std::uint64_t bytes) {
  return ::ftruncate(file, static_cast<off_t>(bytes)) == 0;
}

}  // namespace manyply::files
