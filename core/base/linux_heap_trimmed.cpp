// For C libraries with malloc_trim(), such as glibc.
#include <malloc.h>

#include "core/base/linux_memory.h"

void manyply::trim_heap() { ::malloc_trim(0); }
