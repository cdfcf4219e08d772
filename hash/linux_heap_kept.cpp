// Of C libraries without malloc_trim(), as musl.
#include "hash/linux_memory.h"

void manyply::trim_heap() {}
