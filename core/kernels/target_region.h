// Marks a region of code to be compiled for a wider instruction set than the rest of the program.
//
// Use it in one translation unit per instruction set: include everything first, then open the
// region, then define the code in a namespace of its own. Inline functions of shared headers must
// stay outside. The linker may keep any copy of them for the whole program, so no copy may contain
// wide instructions. They are still compiled for the wide set where they are inlined into the
// region.
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

/// A function in a kernel that is not inlined. The Windows calling convention makes a callee
/// preserve ten vector registers. Functions that use all registers would save and restore them in
/// each call, so they use the System V convention.
#if defined(_WIN32) && defined(__x86_64__)
#define MANYPLY_NOINLINE __attribute__((noinline, sysv_abi))
#else
#define MANYPLY_NOINLINE __attribute__((noinline))
#endif
