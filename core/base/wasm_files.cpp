// File operations of a WebAssembly module, with WASI. WASI cannot lock files, so the JavaScript
// host (tools/wasm/npm) provides a function for this.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "core/base/files.h"

// NOLINTBEGIN(readability-identifier-naming): the host defines this name
extern "C" {
/// Returns 0 if another process holds the lock; otherwise 1, even if the host cannot lock the file.
__attribute__((import_module("manyply"), import_name("lock"))) int manyply_lock(int file);
}
// NOLINTEND(readability-identifier-naming)

namespace manyply::files {
namespace {

/// wasi-libc turns every path into an absolute path. So that the host can recognise relative paths,
/// this function adds a prefix to them (tools/wasm/npm/wasi.js). The directory /.here does not
/// exist.
std::string located(const std::string& path) {
  return path.starts_with('/') ? path : "/.here/" + path;
}

}  // namespace

int open_to_read(const std::string& path) {
  return ::open(located(path).c_str(), O_RDONLY | O_CLOEXEC);
}
int open_to_keep(const std::string& path) {
  return ::open(located(path).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
}
int open_to_replace(const std::string& path) {
  return ::open(located(path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

Kind kind(const std::string& path) {
  struct stat status{};
  if (::stat(located(path).c_str(), &status) != 0) return Kind::kNothing;
  return S_ISREG(status.st_mode) ? Kind::kRegular : Kind::kOther;
}
bool lock(int file) { return manyply_lock(file) != 0; }

bool sync(int file) { return ::fdatasync(file) == 0; }

bool replace(const std::string& from, const std::string& to) {
  return std::rename(located(from).c_str(), located(to).c_str()) == 0;
}
void remove(const std::string& path) { ::unlink(located(path).c_str()); }

}  // namespace manyply::files
