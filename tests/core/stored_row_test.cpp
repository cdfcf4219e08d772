#include "core/configurations/stored_row.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace manyply {
namespace {

using Group = std::array<std::uint32_t, kGroupColumns>;

Group unpacked_group(unsigned lanes, const std::uint16_t* packed) {
  Group paths;
  unpack(lanes, packed, paths.data());
  return paths;
}

/// Numbers at the limits of 16 bits, and numbers whose lower half is 0.
TEST(StoredRow, UnpacksWhatWasPacked) {
  constexpr std::array<std::uint32_t, 8> kNumbers{1,       2,       0xFFFE,  0xFFFF,
                                                  0x10000, 0x10001, 0x20000, 0x7FFFFFFF};
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t limit = random() % 2 == 0 ? 4 : kNumbers.size();  // the first 4 fit 16 bits
    const auto lanes = static_cast<unsigned>(1 + random() % 255);
    Group paths{};
    std::size_t words = 0;
    std::size_t large = 0;
    for (std::size_t lane = 0; lane < kGroupColumns; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      paths[lane] = kNumbers[random() % limit];
      ++words;
      large += paths[lane] > 0xFFFF ? 1U : 0U;
    }
    if (large != 0) words += 2 + large;
    ASSERT_EQ(size_to_pack(lanes, paths.data()), words);
    std::array<std::uint16_t, kMostPacked + 1> packed;
    packed.fill(0xAAAA);
    const std::uint16_t* const end = pack(lanes, paths.data(), packed.data());
    ASSERT_EQ(static_cast<std::size_t>(end - packed.data()), words);
    ASSERT_EQ(*end, 0xAAAA);
    ASSERT_EQ(packed_size(lanes, packed.data()), words);
    ASSERT_EQ(unpacked_group(lanes, packed.data()), paths);
    Group visited{};
    EXPECT_EQ(
        for_each_in_group(lanes, packed.data(),
                          [&](std::size_t lane, std::uint32_t number) { visited[lane] = number; }),
        end);
    ASSERT_EQ(visited, paths);
  }
}

TEST(StoredRow, AppendsGroupAfterGroup) {
  constexpr std::array<std::uint32_t, 3> kGroups{0, 4, 9};
  constexpr std::array<std::uint8_t, 3> kLanes{0b1, 0b10000010, 0b100};
  constexpr std::array<std::uint16_t, 7> kPacked{7, 0, 0b10, 5, 6, 1, 8};  // 0x10005 in lane 1
  std::vector<std::uint32_t> paths{99};
  append_unpacked({kGroups.data(), kLanes.data(), kPacked.data(), kGroups.size()}, paths);
  std::vector<std::uint32_t> expected(1 + 3 * kGroupColumns);
  expected[0] = 99;
  expected[1] = 7;
  expected[1 + kGroupColumns + 1] = 0x10005;
  expected[1 + kGroupColumns + 7] = 6;
  expected[1 + 2 * kGroupColumns + 2] = 8;
  EXPECT_EQ(paths, expected);
}

}  // namespace
}  // namespace manyply
