#include <dlfcn.h>

#include "core/base/shared_library.h"

namespace manyply {

std::optional<SharedLibrary> SharedLibrary::open(const char* name) {
  void* const handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  return SharedLibrary(handle);
}

SharedLibrary::Function SharedLibrary::find(const char* name) const {
  return reinterpret_cast<Function>(::dlsym(handle_, name));
}

}  // namespace manyply
