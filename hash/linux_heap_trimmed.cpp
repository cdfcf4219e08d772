// Of C libraries that have malloc_trim(), as glibc.
#include <malloc.h>

#include "hash/linux_memory.h"

void manyply::trim_heap() { ::malloc_trim(0); }
