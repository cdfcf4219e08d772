// Allocates memory of various sizes.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "core/base/machine.h"
#include "core/configurations/large_array.h"
#include "parallel/matrix/matrix.h"

namespace manyply {
namespace {

TEST(HugePages, AreThereFromTheFirstByteToTheLast) {
  constexpr std::size_t kCacheLine = 64;
  for (const std::size_t size : {1U, 100U, (2U << 20) - 1, 2U << 20, (5U << 20) + 3}) {
    LargeArray<std::uint8_t> array(size, huge_pages());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % kCacheLine, 0U) << size;
    for (std::size_t i = 0; i < size; i += 512) array[i] = static_cast<std::uint8_t>(i / 512);
    array[size - 1] = 77;
    for (std::size_t i = 0; i + 1 < size; i += 512)
      ASSERT_EQ(array[i], static_cast<std::uint8_t>(i / 512)) << size;
    EXPECT_EQ(array[size - 1], 77) << size;
  }
}

TEST(HugePages, VectorsGrowAcrossTheBound) {
  std::pmr::vector<std::uint32_t> numbers(huge_pages());
  for (std::uint32_t i = 0; i < 2'000'000; ++i) numbers.push_back(i);
  const std::pmr::vector<std::uint32_t> moved = std::move(numbers);
  for (std::uint32_t i = 0; i < moved.size(); ++i) ASSERT_EQ(moved[i], i);
}

TEST(HugePages, AreUsedAgainWhileOthersAreInUse) {
  constexpr std::size_t kSize = std::size_t{4} << 20;
  const LargeArray<std::uint8_t> other(kSize, huge_pages());
  const std::uint8_t* freed = nullptr;
  {
    LargeArray<std::uint8_t> array(kSize, huge_pages());
    array[kSize - 1] = 77;
    freed = array.data();
  }
  const LargeArray<std::uint8_t> again(kSize, huge_pages());
  EXPECT_EQ(again.data(), freed);
  EXPECT_EQ(again[kSize - 1], 77);
}

TEST(HugePages, PiecesOfALargeBlockAreUsedAgain) {
  if (!system_memory::can_free_parts()) GTEST_SKIP() << "the system frees whole blocks only";
  constexpr std::size_t kLarge = std::size_t{20} << 20;
  constexpr std::size_t kSmall = std::size_t{6} << 20;
  const LargeArray<std::uint8_t> other(kSmall, huge_pages());
  const std::uint8_t* freed = nullptr;
  {
    LargeArray<std::uint8_t> large(kLarge, huge_pages());
    for (std::size_t i = 0; i < kLarge; i += 4096) large[i] = 77;
    freed = large.data();
  }
  std::vector<LargeArray<std::uint8_t>> small;
  for (int i = 0; i < 2; ++i) {
    small.emplace_back(kSmall, huge_pages());
    EXPECT_GE(small.back().data(), freed);
    EXPECT_LE(small.back().data() + kSmall, freed + kLarge);
    for (std::size_t at = 0; at < kSmall; at += 512)
      small.back()[at] = static_cast<std::uint8_t>(i);
  }
  for (std::size_t i = 0; i < small.size(); ++i) {
    for (std::size_t at = 0; at < kSmall; at += 512) ASSERT_EQ(small[i][at], i);
  }
}

TEST(HugePages, KeptPagesCanBeReturned) {
  constexpr std::size_t kSize = std::size_t{4} << 20;
  const LargeArray<std::uint8_t> other(kSize, huge_pages());
  const auto last_byte_before_use = [&] {
    LargeArray<std::uint8_t> array(kSize, huge_pages());
    return std::exchange(array[kSize - 1], std::uint8_t{77});
  };
  last_byte_before_use();
  return_kept_pages(kSize);
  EXPECT_EQ(last_byte_before_use(), 77);
  return_kept_pages(0);
  EXPECT_EQ(last_byte_before_use(), 0);  // new pages are zero
}

TEST(HugePages, AreRefusedWhereThereAreNone) {
  const std::size_t too_many = std::numeric_limits<std::size_t>::max() / 2;
  EXPECT_THROW(static_cast<void>(huge_pages()->allocate(too_many, 8)), std::bad_alloc);
}

TEST(BlockArray, GrowsAndFreesItsFirstBlocks) {
  constexpr std::size_t kSize = 1'000'000;  // several blocks
  BlockArray<std::uint64_t> array(huge_pages());
  for (std::uint64_t i = 0; i < 1000; ++i) array.push_back(i);
  array.grow(kSize - 1000);
  for (std::uint64_t i = 1000; i < kSize; ++i) array[i] = i;
  for (std::uint64_t i = 0; i < kSize; ++i) ASSERT_EQ(array[i], i);
  array.free_before(kSize / 2);
  for (std::uint64_t i = kSize / 2; i < kSize; ++i) ASSERT_EQ(array[i], i);
  const BlockArray<std::uint64_t> moved = std::move(array);
  EXPECT_EQ(moved.size(), kSize);
  EXPECT_EQ(moved[kSize - 1], kSize - 1);
  EXPECT_EQ(array.size(), 0U);  // NOLINT(bugprone-use-after-move): the class defines this state
}

}  // namespace
}  // namespace manyply
