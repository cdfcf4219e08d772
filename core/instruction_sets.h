// The instruction sets for which this program contains code. The code for each set is in a
// namespace of its name, in separate files of core/kernels, core/configurations and hash.
#pragma once

#include "core/processor.h"

/// Calls each(NAMESPACE, HashedPartner's name) for every set that a processor may lack, best first.
#if MANYPLY_X86
#define MANYPLY_WIDE_SETS(each) each(avx512, kAvx512) each(avx2, kAvx2)
#else
#define MANYPLY_WIDE_SETS(each)
#endif
/// The same, followed by the set that every processor has.
#define MANYPLY_ALL_SETS(each) MANYPLY_WIDE_SETS(each) each(portable, kPortable)
