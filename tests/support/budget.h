// The amount of work of a test. In optimised builds, a test does all of its work. In slow builds
// (sanitizers or debug), where the same code takes 10 to 50 times as long, it does 1/32 of its
// work. For runs under an emulator, an environment variable divides the work further, for example
// MANYPLY_TEST_BUDGET=32 by 32.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <type_traits>

// GCC defines macros for enabled sanitizers; clang has __has_feature.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define MANYPLY_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MANYPLY_SANITIZED 1
#endif

namespace manyply {

// Not __OPTIMIZE__, because some tests of optimised code are compiled without optimisation.
#if defined(NDEBUG) && !defined(MANYPLY_SANITIZED)
inline constexpr bool kIsFastBuild = true;
#else
inline constexpr bool kIsFastBuild = false;
#endif

/// Returns the divisor from MANYPLY_TEST_BUDGET; 1 if the variable has no valid value.
inline std::uint64_t budget_divisor() {
  static const std::uint64_t divisor = [] {
    const char* const text = std::getenv("MANYPLY_TEST_BUDGET");
    const std::uint64_t asked = text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
    return asked == 0 ? 1 : asked;
  }();
  return divisor;
}

/// Returns `work`, which may have any unit, in an optimised build, and work / 32 in a slow build.
/// At run time, also divides by budget_divisor(). This second division never turns a positive
/// number into 0.
constexpr std::uint64_t budget(std::uint64_t work) {
  const std::uint64_t share = kIsFastBuild ? work : work / 32;
  if (std::is_constant_evaluated()) return share;
  const std::uint64_t part = share / budget_divisor();
  return part == 0 && share != 0 ? 1 : part;
}

/// Sizes of tables and memories, in bytes.
inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

}  // namespace manyply
