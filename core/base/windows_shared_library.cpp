#include <windows.h>

#include "core/base/shared_library.h"

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
