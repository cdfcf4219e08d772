// File operations and shared libraries on Windows. An open file is a descriptor of the C library.
// Error codes of Windows become errno values.
#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <cerrno>

#include "core/base/files.h"
#include "core/base/windows_text.h"

namespace manyply::files {
namespace {

/// Sets errno from GetLastError(). Returns false.
bool failed() {
  errno = windows::errno_of(GetLastError());
  return false;
}
bool succeeded(BOOL done) { return done != 0 || failed(); }

HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(_get_osfhandle(file)); }

/// Opens a file. While the file is open, other processes may read, write, replace and delete it, as
/// on POSIX.
int open(const std::string& path, DWORD access, DWORD how, DWORD attributes) {
  const HANDLE handle = CreateFileW(windows::wide(path).c_str(), access,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    how, attributes, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    failed();
    // CreateFile reports a directory as "access denied".
    if (errno == EACCES && kind(path) == Kind::kOther) errno = EISDIR;
    return -1;
  }
  const int file =
      _open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_BINARY | _O_NOINHERIT);
  if (file < 0) CloseHandle(handle);
  return file;
}

/// Returns the file offset `at` in the form that ReadFile and WriteFile need.
OVERLAPPED place(std::uint64_t at) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(at);
  place.OffsetHigh = static_cast<DWORD>(at >> 32);
  return place;
}

DWORD at_once(std::size_t bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  return static_cast<DWORD>(std::min(bytes, kMost));
}

/// Writes some of `bytes` to the file at the offset `to`, or at the file's current position if `to`
/// is null. Returns the number of written bytes, or -1 with the reason in errno. Uses WriteFile,
/// because _write() reports EINVAL instead of EPIPE for a pipe that is being closed.
std::ptrdiff_t write_some(int file, std::span<const std::byte> bytes, OVERLAPPED* to) {
  DWORD count = 0;
  if (WriteFile(handle_of(file), bytes.data(), at_once(bytes.size()), &count, to) == 0) {
    failed();
    return -1;
  }
  return static_cast<std::ptrdiff_t>(count);
}

}  // namespace

int open_to_read(const std::string& path) {
  return open(path, GENERIC_READ, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
}
int open_to_keep(const std::string& path) {
  return open(path, GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL);
}
int open_to_replace(const std::string& path) {
  return open(path, GENERIC_WRITE, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL);
}

void close(int file) { ::_close(file); }

Kind kind(const std::string& path) {
  const DWORD attributes = GetFileAttributesW(windows::wide(path).c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return Kind::kNothing;
  constexpr DWORD kNone = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE;
  return (attributes & kNone) == 0 ? Kind::kRegular : Kind::kOther;
}
std::optional<Kind> kind(int file) {
  const DWORD type = GetFileType(handle_of(file));
  if (type == FILE_TYPE_UNKNOWN) {
    failed();
    return std::nullopt;
  }
  return type == FILE_TYPE_DISK ? Kind::kRegular : Kind::kOther;
}
std::optional<std::uint64_t> bytes(int file) {
  LARGE_INTEGER size{};
  if (!succeeded(GetFileSizeEx(handle_of(file), &size))) return std::nullopt;
  return static_cast<std::uint64_t>(size.QuadPart);
}

bool lock(int file) {
  // Other processes cannot access locked bytes on Windows. So lock one byte that is beyond the end
  // of any file.
  OVERLAPPED last = place(std::uint64_t{1} << 62);
  return succeeded(LockFileEx(handle_of(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY,
                              0, 1, 0, &last));
}

std::optional<std::size_t> read_at(int file, std::uint64_t at, std::span<std::byte> bytes) {
  std::size_t have = 0;
  while (have < bytes.size()) {
    OVERLAPPED from = place(at + have);
    DWORD count = 0;
    if (ReadFile(handle_of(file), bytes.data() + have, at_once(bytes.size() - have), &count,
                 &from) == 0) {
      if (GetLastError() == ERROR_HANDLE_EOF) break;
      failed();
      return std::nullopt;
    }
    if (count == 0) break;
    have += count;
  }
  return have;
}

bool write_at(int file, std::uint64_t at, std::span<const std::byte> bytes) {
  return write_all(bytes, [&](std::span<const std::byte> left) {
    OVERLAPPED to = place(at + (bytes.size() - left.size()));
    return write_some(file, left, &to);
  });
}
bool write(int file, std::span<const std::byte> bytes) {
  return write_all(
      bytes, [&](std::span<const std::byte> left) { return write_some(file, left, nullptr); });
}

bool cut(int file, std::uint64_t bytes) {
  FILE_END_OF_FILE_INFO end{};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(bytes);
  return succeeded(
      SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end));
}
bool sync(int file) { return succeeded(FlushFileBuffers(handle_of(file))); }

bool replace(const std::string& from, const std::string& to) {
  return succeeded(MoveFileExW(windows::wide(from).c_str(), windows::wide(to).c_str(),
                               MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH));
}
void remove(const std::string& path) { DeleteFileW(windows::wide(path).c_str()); }

}  // namespace manyply::files

namespace manyply {

// Searches only the folder of the system, so that a file in another folder cannot replace a driver.
std::optional<SharedLibrary> SharedLibrary::open(const char* name) {
  if (name == nullptr) return std::nullopt;  // Windows cannot search all loaded libraries
  void* const handle = ::LoadLibraryExA(name, nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
  if (handle == nullptr) return std::nullopt;
  return SharedLibrary(handle);
}

SharedLibrary::Function SharedLibrary::find(const char* name) const {
  return reinterpret_cast<Function>(::GetProcAddress(static_cast<HMODULE>(handle_), name));
}

}  // namespace manyply
