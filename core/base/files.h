// File operations for data that must outlive a process, and shared libraries. There is one
// implementation of these functions for each operating system.
//
// A small number, like a POSIX descriptor, identifies an open file. On failure, functions that open
// a file return -1, functions of type bool return false, and functions of type optional return
// nullopt. In all three cases errno has the reason. Programs that this process starts do not
// inherit the open files. Any thread may call these functions.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace manyply::files {

/// Opens an existing file for reading.
int open_to_read(const std::string& path);
/// Opens a file for reading and writing. Creates it if it does not exist. Does not change its
/// contents.
int open_to_keep(const std::string& path);
/// Opens a file for writing. Creates it if it does not exist. Deletes its contents.
int open_to_replace(const std::string& path);
void close(int file);

/// kNothing: there is no file at that path, or the system does not allow access to it. kOther: a
/// directory, device, pipe or terminal.
enum class Kind { kNothing, kRegular, kOther };
Kind kind(const std::string& path);
/// Returns the kind of an open file, never kNothing; nullopt on error.
std::optional<Kind> kind(int file);
/// Returns the size of an open regular file in bytes; nullopt on error.
std::optional<std::uint64_t> bytes(int file);

/// Takes an exclusive lock on the file without waiting, and holds it until the file is closed.
/// Returns false if another process or another open file holds the lock, or if locking fails.
bool lock(int file);

/// Reads `bytes`, starting at byte `at` of the file. Returns the number of bytes that were read;
/// nullopt on error. The number is smaller than the size of `bytes` only if the file ends earlier.
std::optional<std::size_t> read_at(int file, std::uint64_t at, std::span<std::byte> bytes);
/// Writes all of `bytes`, starting at byte `at` of the file. If the function returns false, it may
/// have written some of the bytes.
bool write_at(int file, std::uint64_t at, std::span<const std::byte> bytes);
/// Writes all bytes at the current position of a file, pipe or terminal. If the reader of a pipe
/// has closed its end, errno is EPIPE. On POSIX systems, the process must ignore SIGPIPE for this.
bool write(int file, std::span<const std::byte> bytes);

/// The loop with which all systems implement write_at() and write(). Calls `write_some` with the
/// remaining bytes until all bytes are written. `write_some` must return the number of bytes that
/// it wrote, or -1 with the reason in errno. After EINTR, calls it again. After any other error,
/// returns false, and errno has the reason. If `write_some` wrote no byte, returns false with EIO
/// in errno, because otherwise the loop might never end.
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

/// Sets the size of the file to `bytes`.
bool cut(int file, std::uint64_t bytes);
/// Blocks until all data written to `file` are on the disk.
bool sync(int file);

/// Renames `from` to `to` and replaces the file at `to`, in one atomic step.
bool replace(const std::string& from, const std::string& to);
/// Deletes the file. Errors are ignored.
void remove(const std::string& path);

/// The two ends of a pipe, for use with the functions of this header. The caller must close both
/// ends.
struct Pipe {
  int read = -1;
  int write = -1;
};

/// Creates a pipe. Returns nullopt on failure. Exists only on POSIX systems.
std::optional<Pipe> open_pipe();

}  // namespace manyply::files

namespace manyply {

// Opens shared libraries at run time and finds functions in them. WebAssembly has no such
// libraries.

/// A shared library that the process has opened. It stays open until the process ends, because
/// threads that the library has started may run until then. Any thread may use this class.
class SharedLibrary {
 public:
  using Function = void (*)();

  /// Opens the library `name`. POSIX systems search for it as dlopen() does, Windows only in its
  /// system folder. Returns nullopt if the library cannot be opened. If `name` is null, find()
  /// searches all libraries that were loaded when the program started. Windows cannot search them,
  /// so open(nullptr) returns nullopt there.
  static std::optional<SharedLibrary> open(const char* name);

  /// Returns the function `name`, or null if the library does not have it. The caller must cast the
  /// pointer to the function's type.
  [[nodiscard]] Function find(const char* name) const;

 private:
  explicit SharedLibrary(void* handle) : handle_(handle) {}

  void* handle_;
};

}  // namespace manyply
