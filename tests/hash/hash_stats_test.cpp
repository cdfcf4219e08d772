#include "hash/hash_stats.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hash/count_tables.h"
#include "tests/hash/self_checking.h"
#include "tests/support/budget.h"

namespace manyply {
namespace {

HashStats stats_at(int depth, std::uint64_t probes, std::uint64_t hits) {
  HashStats stats;
  stats.by_depth[static_cast<std::size_t>(depth)] = {
      .probes = probes, .hits = hits, .stores = 3, .replacements = 2};
  return stats;
}

TEST(HashStats, AddUp) {
  HashStats sum = stats_at(2, 100, 10);
  sum.kernel_calls = 5;
  sum += sum;
  sum += stats_at(3, 7, 1);
  EXPECT_EQ(sum.by_depth[2].probes, 200U);
  EXPECT_EQ(sum.by_depth[2].hits, 20U);
  EXPECT_EQ(sum.by_depth[3].probes, 7U);
  EXPECT_EQ(sum.kernel_calls, 10U);
  EXPECT_EQ(sum.total().probes, 207U);
  EXPECT_EQ(sum.total().hits, 21U);
  EXPECT_EQ(sum.total().stores, 9U);
  EXPECT_EQ(sum.total().replacements, 6U);
}

TEST(ExpectedFalseMatches, MissesTimesWaysOverTagValues) {
  EXPECT_EQ(expected_false_matches({}, 128), 0);
  const double misses = 900;
  EXPECT_DOUBLE_EQ(expected_false_matches(stats_at(2, 1000, 100), 128),
                   std::ldexp(misses * WindowLine::kWays, -WindowLine::kTagBits));
  EXPECT_DOUBLE_EQ(expected_false_matches(stats_at(3, 1000, 100), 128),
                   std::ldexp(misses * kDeepWays, -DeepEntry::kTagBits));
  EXPECT_DOUBLE_EQ(expected_false_matches(stats_at(kWideDepth - 1, 1000, 100), 128),
                   std::ldexp(misses * kDeepWays, -DeepEntry::kTagBits));
  EXPECT_DOUBLE_EQ(expected_false_matches(stats_at(kWideDepth, 1000, 100), 128),
                   std::ldexp(misses, -128));
}

TEST(ExpectedFalseMatches, StrongKeysDoNotDependOnTableSizes) {
  const HashStats stats = stats_at(3, 1000, 100);
  EXPECT_EQ(expected_false_matches(stats, 128, {.deep = 10}),
            expected_false_matches(stats, 128, {.deep = 30}));
}

TEST(ExpectedFalseMatches, OfWeakKeysTheIndexLeavesFewBitsToCompare) {
  const HashStats stats = stats_at(3, 1000, 0);
  EXPECT_DOUBLE_EQ(expected_false_matches(stats, 24, {.deep = 10}),
                   std::ldexp(1000.0 * kDeepWays, -14));
  EXPECT_DOUBLE_EQ(expected_false_matches(stats, 24, {.deep = 30}), 1000.0 * kDeepWays)
      << "one key a bucket";
}

// Compares the formula with a table: stores `held` keys, and looks up the same number of other
// keys.
TEST(ExpectedFalseMatches, AgreesWithATableOfWeakKeys) {
  constexpr int kBits = 24;
  constexpr std::uint64_t kBuckets = 1024;
  const auto weak_key = [](std::uint64_t number) { return weak_key_number(number, kBits); };
  DeepTable table(memory_of(kBuckets * sizeof(DeepBucket)));
  for (std::uint64_t i = 0; table.fill() < 1; ++i)
    table.store(weak_key(i), table.bucket_of(weak_key(i)), 1);
  constexpr std::uint64_t kProbes = budget(1'000'000);
  std::uint64_t false_matches = 0;
  for (std::uint64_t i = 0; i < kProbes; ++i) {
    const ZobristKey key = weak_key((std::uint64_t{1} << 40) + i);
    false_matches += table.probe(key, table.bucket_of(key)) != 0 ? 1 : 0;
  }
  const double expected =
      expected_false_matches(stats_at(3, kProbes, 0), kBits, {.deep = std::log2(kBuckets)});
  // The tolerance is five standard deviations of a Poisson distribution.
  EXPECT_NEAR(static_cast<double>(false_matches), expected, 5 * std::sqrt(expected));
}

}  // namespace
}  // namespace manyply
