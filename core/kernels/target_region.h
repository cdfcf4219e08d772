// Marks a stretch of code as compiled for a wider instruction set than the rest of the program.
//
// Use in one translation unit per instruction set: include everything first, then open the region,
// then define the code in a namespace of that instruction set's own. Inline functions of shared
// headers stay outside regions, so no copy that the linker may keep for everybody is ever compiled
// with wide instructions; they still gain them where they are inlined into the region.
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

/// A function inside a kernel that is kept out of its callers. Windows has a callee keep half of
/// the vector registers as they were: ten would be saved and restored at each call, by functions
/// that use all of them.
#if defined(_WIN32) && defined(__x86_64__)
#define MANYPLY_NOINLINE __attribute__((noinline, sysv_abi))
#else
#define MANYPLY_NOINLINE __attribute__((noinline))
#endif
