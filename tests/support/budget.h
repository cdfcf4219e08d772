// How much work a test may do: all of it where what it tests is optimised, a small share of it
// under sanitizers and in debug builds, where the same code runs 10 to 50 times slower. Who runs a
// test under an emulator asks for a smaller share yet, by the environment: MANYPLY_TEST_BUDGET=32
// is one part in 32.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <type_traits>

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

// Not __OPTIMIZE__: some tests of optimised code are not optimised themselves.
#if defined(NDEBUG) && !defined(MANYPLY_SANITIZED)
inline constexpr bool kIsFastBuild = true;
#else
inline constexpr bool kIsFastBuild = false;
#endif

/// Into how many parts the environment divides all work; 1 unless it says something sensible.
inline std::uint64_t budget_divisor() {
  static const std::uint64_t divisor = [] {
    const char* const text = std::getenv("MANYPLY_TEST_BUDGET");
    const std::uint64_t asked = text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
    return asked == 0 ? 1 : asked;
  }();
  return divisor;
}

/// `work` of any unit, or what a slow build can do of it in about the same time; where the
/// environment divides it (at run time only), at least 1.
constexpr std::uint64_t budget(std::uint64_t work) {
  const std::uint64_t share = kIsFastBuild ? work : work / 32;
  if (std::is_constant_evaluated()) return share;
  const std::uint64_t part = share / budget_divisor();
  return part == 0 && share != 0 ? 1 : part;
}

}  // namespace manyply
