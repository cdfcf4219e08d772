// Functions of shared libraries that are opened while the program runs. Each operating system has
// its own source file. WebAssembly has none.
#pragma once

#include <optional>

namespace manyply {

/// A shared library that the process has opened. It stays open until the process ends, because
/// threads that the library has started may run until then. Any thread.
class SharedLibrary {
 public:
  using Function = void (*)();

  /// Opens the library `name` from the system's folders; nullopt if it cannot be opened. If `name`
  /// is null, finds functions of all libraries that are loaded when the program starts.
  static std::optional<SharedLibrary> open(const char* name);

  /// Returns the function `name`, which the caller must cast to its type; null if there is none.
  [[nodiscard]] Function find(const char* name) const;

 private:
  explicit SharedLibrary(void* handle) : handle_(handle) {}

  void* handle_;
};

}  // namespace manyply
