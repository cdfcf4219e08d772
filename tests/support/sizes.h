// Sizes of tables and memories, in bytes.
#pragma once

#include <cstdint>

namespace manyply {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

}  // namespace manyply
