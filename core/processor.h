// Instruction set extensions: those that code needs, and those that this processor has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/check.h"

#if defined(__x86_64__)
#define MANYPLY_X86 1
#else
#define MANYPLY_X86 0
#endif

/// Calls each(NAME) for every extension that code of this program uses. NAME is the extension's
/// name in the compiler's target attribute.
#define MANYPLY_X86_EXTENSIONS(each)                                                          \
  each("popcnt") each("lzcnt") each("bmi") each("bmi2") each("avx") each("avx2") each("gfni") \
      each("avx512f") each("avx512bw") each("avx512dq") each("avx512vl") each("avx512vbmi")   \
          each("avx512vbmi2") each("avx512bitalg") each("avx512vpopcntdq")

namespace manyply {

/// A set of instruction set extensions.
class Extensions {
 public:
  constexpr Extensions() = default;

  /// Returns the extensions in the value of a target attribute, such as "avx,popcnt". If a name is
  /// missing in the list above, the code does not compile.
  static consteval Extensions of(std::string_view target) {
    Extensions all;
    while (!target.empty()) {
      const std::string_view name = target.substr(0, target.find(','));
      target.remove_prefix(name.size() == target.size() ? target.size() : name.size() + 1);
      all.bits_ |= bit_of(name);
    }
    return all;
  }

  /// Returns the extensions of the list above that this processor and its operating system support.
  /// The set is empty if the architecture is not x86-64.
  static Extensions of_this_processor();

  /// Returns whether this set contains all of `others`.
  [[nodiscard]] constexpr bool include(Extensions others) const {
    return (others.bits_ & ~bits_) == 0;
  }
  [[nodiscard]] constexpr Extensions without(Extensions others) const {
    Extensions rest;
    rest.bits_ = bits_ & ~others.bits_;
    return rest;
  }
  /// Returns text such as "avx, popcnt".
  [[nodiscard]] std::string to_string() const;

  friend constexpr bool operator==(Extensions, Extensions) = default;

 private:
#define MANYPLY_NAME(name) name,
  static constexpr std::string_view kNames[] = {MANYPLY_X86_EXTENSIONS(MANYPLY_NAME)};
#undef MANYPLY_NAME

  static consteval std::uint32_t bit_of(std::string_view name) {
    std::uint32_t bit = 1;
    for (const std::string_view known : kNames) {
      if (known == name) return bit;
      bit <<= 1;
    }
    fail_check("a known extension");  // not constexpr, so an unknown name does not compile
  }

  std::uint32_t bits_ = 0;  // bit i is extension i of kNames
};

}  // namespace manyply

// The instruction sets for which this program contains code. The code for each set is in a
// namespace with the name of the set, in separate files of core/kernels, core/configurations and
// hash.

/// Calls each(NAMESPACE, PARTNER) for every instruction set that only some processors of this
/// architecture have, fastest set first. PARTNER is an enumerator of HashedPartner.
#if MANYPLY_X86
#define MANYPLY_WIDE_SETS(each) each(avx512, kAvx512) each(avx2, kAvx2)
#else
#define MANYPLY_WIDE_SETS(each)
#endif
/// Like MANYPLY_WIDE_SETS, and then calls `each` for the instruction set that all processors have.
#define MANYPLY_ALL_SETS(each) MANYPLY_WIDE_SETS(each) each(portable, kPortable)
