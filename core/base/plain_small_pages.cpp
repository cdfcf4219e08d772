// For systems on which the user cannot change the size of pages.
#include "core/base/system_memory.h"

namespace manyply::system_memory {

const char* small_pages() { return nullptr; }

}  // namespace manyply::system_memory
