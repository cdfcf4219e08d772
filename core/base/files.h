// File operations for data that must outlive a process. Every system implements the same functions.
//
// A file is a small number, as a POSIX descriptor is. Functions that open return -1 on failure;
// functions that return bool return false. In both cases errno says why. Programs that this process
// starts do not inherit the files. All functions may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace manyply::files {

/// Opens an existing file for reading.
int open_to_read(const std::string& path);
/// Opens a file for reading and writing. Creates it if it does not exist; keeps its contents.
int open_to_keep(const std::string& path);
/// Opens a file for writing. Creates it if it does not exist; deletes its contents.
int open_to_replace(const std::string& path);
void close(int file);

/// kNothing: no file exists at that path. kOther: a directory, device, pipe or terminal.
enum class Kind { kNothing, kRegular, kOther };
Kind kind(const std::string& path);
/// Returns the kind of an open file; nullopt on error.
std::optional<Kind> kind(int file);
/// Returns the size of an open regular file in bytes; nullopt on error.
std::optional<std::uint64_t> bytes(int file);

/// Takes an exclusive lock on the file without waiting, and holds it until the file is closed.
/// Returns false if another process or another open file holds the lock, or if locking fails.
bool lock(int file);

/// Reads from byte `at`. Returns the number of bytes read, which is less than requested only at the
/// end of the file; nullopt on error.
std::optional<std::size_t> read_at(int file, std::uint64_t at, std::span<std::byte> bytes);
/// Writes all bytes from byte `at` on. On false, some of them may have been written.
bool write_at(int file, std::uint64_t at, std::span<const std::byte> bytes);
/// Writes all bytes at the current position of a file, pipe or terminal. errno is EPIPE if the
/// reader has closed its end.
bool write(int file, std::span<const std::byte> bytes);
/// Sets the size of the file to `bytes`.
bool cut(int file, std::uint64_t bytes);
/// Blocks until everything written to `file` is on the disk.
bool sync(int file);

/// Renames `from` to `to` and replaces the file at `to`, in one atomic step.
bool replace(const std::string& from, const std::string& to);
/// Deletes the file. Errors are ignored.
void remove(const std::string& path);

/// The two ends of a pipe, for the functions of this header. The owner closes both.
struct Pipe {
  int read = -1;
  int write = -1;
};

/// Creates a pipe that started programs do not inherit. Returns nullopt on failure; errno says why.
std::optional<Pipe> open_pipe();

}  // namespace manyply::files
