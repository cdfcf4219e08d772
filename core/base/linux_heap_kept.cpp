// For C libraries without malloc_trim(), such as musl: freed memory stays with the process.
#include "core/base/linux_memory.h"

void manyply::trim_heap() {}
