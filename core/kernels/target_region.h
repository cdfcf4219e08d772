// Marks a region of code to be compiled for a wider instruction set than the rest of the program.
//
// A translation unit with such a region contains code for one instruction set. Include all headers
// first. Then open the region and define the code in its own namespace.
//
// Inline functions of shared headers must stay outside the region. The linker keeps only one copy
// of such a function for the whole program. This copy may come from any translation unit, so every
// copy must be compiled without the wider instruction set. If the compiler inlines such a function
// into the region, that code still uses the wider instruction set.
#pragma once

#define MANYPLY_PRAGMA(text) _Pragma(#text)

#if defined(__clang__)
#define MANYPLY_TARGET_BEGIN(features) \
  MANYPLY_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define MANYPLY_TARGET_END MANYPLY_PRAGMA(clang attribute pop)
#else
#define MANYPLY_TARGET_BEGIN(features) \
  MANYPLY_PRAGMA(GCC push_options) MANYPLY_PRAGMA(GCC target(features))
#define MANYPLY_TARGET_END MANYPLY_PRAGMA(GCC pop_options)
#endif

/// Marks functions of kernels that must not be inlined. In the Windows calling convention, a called
/// function must preserve ten vector registers. A function that uses all registers would save and
/// restore these ten in each call. To avoid this, marked functions use the System V convention.
#if defined(_WIN32) && defined(__x86_64__)
#define MANYPLY_NOINLINE __attribute__((noinline, sysv_abi))
#else
#define MANYPLY_NOINLINE __attribute__((noinline))
#endif
