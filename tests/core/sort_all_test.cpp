// Tests sorting in parts: the order, the result for every assignment of parts to threads, and how
// soon a stop takes effect.

#include "core/configurations/sort_all.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/one_by_one.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

std::vector<std::uint32_t> random_numbers(std::size_t size) {
  std::mt19937 random(static_cast<std::uint32_t>(size));
  std::vector<std::uint32_t> numbers(size);
  for (std::uint32_t& number : numbers)
    number = static_cast<std::uint32_t>(random() % (size / 2 + 1));
  return numbers;
}

TEST(SortAll, SortsWhateverTheSize) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kSortedAtOnce - 1, kSortedAtOnce, kSortedAtOnce + 1,
        2 * kSortedAtOnce, 3 * kSortedAtOnce + 17, 4 * kSortedAtOnce + 1, 11 * kSortedAtOnce}) {
    std::vector<std::uint32_t> numbers = random_numbers(size);
    std::vector<std::uint32_t> other = numbers;
    std::vector<std::uint32_t> expected = numbers;
    std::ranges::sort(expected);
    sort_all(numbers, std::less<>(), first_to_last, {});
    sort_all(other, std::less<>(), last_to_first, {});
    EXPECT_EQ(numbers, expected) << size;
    EXPECT_EQ(other, expected) << size;
  }
}

TEST(SortAll, AStopIsHeardWithinAPart) {
  const std::vector<std::uint32_t> numbers = random_numbers(3 * kSortedAtOnce);
  const CountedLooks all;
  std::vector<std::uint32_t> sorted = numbers;
  sort_all(sorted, std::less<>(), first_to_last, all);
  ASSERT_GE(all.looks(), 8U) << "before each of three parts, and in two merges";
  constexpr std::uint64_t kMostOfAPart = 2 * 14 * kSortedAtOnce;  // twice log2
  for (std::uint64_t look = 1; look <= all.looks(); ++look) {
    const CountedLooks stop(look);
    std::uint64_t at_look = 0;
    std::uint64_t compared = 0;
    std::uint64_t most = 0;
    std::uint64_t late = 0;
    sorted = numbers;
    sort_all(
        sorted,
        [&](std::uint32_t a, std::uint32_t b) {
          if (stop.looks() != at_look) at_look = stop.looks(), compared = 0;
          most = std::max(most, ++compared);
          late += at_look >= look ? 1 : 0;
          return a < b;
        },
        first_to_last, stop);
    EXPECT_LE(most, kMostOfAPart) << "between two looks";
    EXPECT_EQ(late, 0U) << "compared after the stop";
  }
}

}  // namespace
}  // namespace manyply
