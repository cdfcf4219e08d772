#include <gtest/gtest.h>

#include <cmath>

#include "hash/statistics_search.h"
#include "tests/hash/self_checking.h"

namespace manyply {
namespace {

MoveStatistics statistics_of(std::uint64_t nodes) {
  MoveStatistics statistics;
  statistics.counts.fill(nodes);
  return statistics;
}

TEST(StatisticsTable, FindsWhatWasStoredInBothParts) {
  StatisticsTable table(memory_of(StatisticsTable::kMinBytes));
  for (const int depth : {StatisticsTable::kNarrowDepth, StatisticsTable::kNarrowDepth + 1}) {
    MoveStatistics found;
    EXPECT_FALSE(table.probe(key_number(1), depth, found));
    table.store(key_number(1), depth, statistics_of(7));
    EXPECT_FALSE(table.probe(key_number(2), depth, found));
    ASSERT_TRUE(table.probe(key_number(1), depth, found));
    EXPECT_EQ(found.counts, statistics_of(7).counts);
  }
}

// Two threads that count the same position store its key twice. The second time must not drop the
// other entry of the pair.
TEST(StatisticsTable, HoldsAKeyOnlyOnce) {
  constexpr int kDepth = StatisticsTable::kNarrowDepth;
  StatisticsTable table(memory_of(StatisticsTable::kMinBytes));
  ZobristKey other = key_number(1);
  other.high ^= 1;  // in the same bucket, which `low` selects
  table.store(other, kDepth, statistics_of(3));
  for (int i = 0; i < 2; ++i) table.store(key_number(1), kDepth, statistics_of(7));
  MoveStatistics found;
  ASSERT_TRUE(table.probe(key_number(1), kDepth, found));
  EXPECT_EQ(found.counts, statistics_of(7).counts);
  ASSERT_TRUE(table.probe(other, kDepth, found));
  EXPECT_EQ(found.counts, statistics_of(3).counts);
}

// Compares the formula with a full table of deliberately weak keys, as hash_stats_test does for
// counts. The bits that choose the bucket are not compared.
TEST(StatisticsTable, FalseMatchesOfWeakKeysAreAsOftenAsExpected) {
  constexpr int kBits = 18;
  const auto weak_key = [](std::uint64_t number) { return weak_key_number(number, kBits); };
  for (const int depth : {StatisticsTable::kNarrowDepth, StatisticsTable::kNarrowDepth + 1}) {
    StatisticsTable table(memory_of(StatisticsTable::kMinBytes));
    for (std::uint64_t i = 0; i < 100'000; ++i) table.store(weak_key(i), depth, statistics_of(1));
    constexpr std::uint64_t kProbes = 2'000'000;
    std::uint64_t false_matches = 0;
    MoveStatistics found;
    for (std::uint64_t i = 0; i < kProbes; ++i)
      false_matches += table.probe(weak_key((std::uint64_t{1} << 40) + i), depth, found) ? 1 : 0;
    HashStats lookups;
    lookups.by_depth[static_cast<std::size_t>(depth)].probes = kProbes;
    const double expected = table.expected_false_matches(lookups, kBits);
    EXPECT_GT(expected, 50);
    // The tolerance is five standard deviations of a Poisson distribution.
    EXPECT_NEAR(static_cast<double>(false_matches), expected, 5 * std::sqrt(expected)) << depth;
  }
}

}  // namespace
}  // namespace manyply
