#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "parallel/files.h"

namespace manyply::files {
namespace {

Kind kind_of(const struct stat& status) {
  return S_ISREG(status.st_mode) ? Kind::kRegular : Kind::kOther;
}

}  // namespace

int open_to_read(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }
int open_to_keep(const std::string& path) {
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
}
int open_to_replace(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

int open_unnamed(const std::string& directory) {
  int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {  // a file system that needs names
    std::string name = directory + "/perft-XXXXXX";
    file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0) ::unlink(name.c_str());
  }
  return file;
}

void close(int file) { ::close(file); }

Kind kind(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? kind_of(status) : Kind::kNothing;
}
std::optional<Kind> kind(int file) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return std::nullopt;
  return kind_of(status);
}
std::optional<std::uint64_t> bytes(int file) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

bool lock(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0; }

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
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool cut(int file, std::uint64_t bytes) {
  return ::ftruncate(file, static_cast<off_t>(bytes)) == 0;
}
bool sync(int file) { return ::fdatasync(file) == 0; }

std::optional<std::uint64_t> bytes_left(const std::string& directory) {
  struct statvfs disk{};
  if (::statvfs(directory.c_str(), &disk) != 0) return std::nullopt;
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

bool replace(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0;
}
void remove(const std::string& path) { ::unlink(path.c_str()); }

}  // namespace manyply::files
