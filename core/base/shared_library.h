// Opens shared libraries at run time and finds functions in them. There is one implementation for
// POSIX systems and one for Windows, but none for WebAssembly.
#pragma once

#include <optional>

namespace manyply {

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

  /// Returns the function `name`; null if there is none. The caller must cast the pointer to the
  /// function's type.
  [[nodiscard]] Function find(const char* name) const;

 private:
  explicit SharedLibrary(void* handle) : handle_(handle) {}

  void* handle_;
};

}  // namespace manyply
