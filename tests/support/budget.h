// How much work a test may do: all of it in optimised builds, a small share of it under sanitizers
// and without optimisation, where the same code runs 10 to 50 times slower.
#pragma once

#include <cstdint>

// GCC names its sanitizers by macros, clang by features.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define MANYPLY_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MANYPLY_SANITIZED 1
#endif

namespace manyply {

#if defined(__OPTIMIZE__) && !defined(MANYPLY_SANITIZED)
inline constexpr bool kIsFastBuild = true;
#else
inline constexpr bool kIsFastBuild = false;
#endif

/// `work` of any unit, or what a slow build can do of it in about the same time.
constexpr std::uint64_t budget(std::uint64_t work) { return kIsFastBuild ? work : work / 32; }

}  // namespace manyply
