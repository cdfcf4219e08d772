// Tests the tables of counts and of statistics, the expected false matches, the locks of tables,
// and sets of positions.
#include "hash/count_tables.h"

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <cmath>
#include <map>

#include "core/fen.h"
#include "core/position.h"
#include "hash/fingerprint.h"
#include "hash/hash_stats.h"
#include "hash/packed_board.h"
#include "hash/statistics_search.h"
#include "hash/stripe_locks.h"
#include "tests/hash/table_helpers.h"
#include "tests/support/budget.h"
#include "tests/support/eventually.h"
#include "tests/support/positions.h"

namespace manyply {
namespace {

using enum StoreOutcome;

/// Many threads probe and store in one table. use(thread, i) must probe one key, and store the
/// key's own count if it finds none. It must return the count that it has found (or zero) and the
/// key's own count.
template <typename Use>
void traffic(const Use& use) {
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> found{0};
  run_together(8, [&](int thread) {
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < kOperations; ++i) {
      const auto [count, expected] = use(static_cast<std::uint64_t>(thread), i);
      if (count == decltype(count){}) continue;
      ++hits;
      if (count != expected) wrong.fetch_add(1, std::memory_order_relaxed);
    }
    found.fetch_add(hits, std::memory_order_relaxed);
  });
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(found, 0U) << "no hit, nothing tested";
}

/// The deep table and the two kinds of windows have the same tests of single entries.
template <typename Table>
struct Entry {
  static constexpr int kLowTagBits = 16;
  static constexpr int kCountBits = 16;
  static constexpr std::uint64_t kMaxCount = WindowLine::kMaxCount;
};
template <>
struct Entry<DeepTable> {
  static constexpr int kLowTagBits = 24;
  static constexpr int kCountBits = DeepEntry::kCountBits;
  static constexpr std::uint64_t kMaxCount = DeepEntry::kMaxCount;
};

StoreOutcome store(DeepTable& table, const ZobristKey& key, std::uint64_t count) {
  return table.store(key, table.bucket_of(key), count);
}
std::uint64_t probe(DeepTable& table, const ZobristKey& key) {
  return table.probe(key, table.bucket_of(key));
}

unsigned match(const std::uint64_t* tags, std::uint64_t tag) {
  unsigned equal = 0;
  for (unsigned i = 0; i < WindowLine::kWays; ++i) equal |= (tags[i] == tag ? 1U : 0U) << i;
  return equal;
}
template <typename Window>
std::uint32_t probe(Window& window, const ZobristKey& key) {
  return window.probe(key, window.line_of(key), match);
}
template <typename Window>
StoreOutcome store(Window& window, const ZobristKey& key, std::uint64_t count) {
  return window.store(key, window.line_of(key), static_cast<std::uint32_t>(count));
}

template <typename Table>
class CountTable : public testing::Test {};
using CountTables = testing::Types<DeepTable, PrivateWindow, SharedWindow>;
TYPED_TEST_SUITE(CountTable, CountTables);

TYPED_TEST(CountTable, FindsWhatWasStoredAndNothingElse) {
  TypeParam table(memory_of(std::uint64_t{1} << 20));
  for (std::uint64_t i = 0; i < 10'000; ++i) EXPECT_EQ(probe(table, key_number(i)), 0U);
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const ZobristKey key = key_number(i);
    const std::uint64_t count = count_for(key, Entry<TypeParam>::kCountBits);
    EXPECT_NE(store(table, key, count), kDropped);
    EXPECT_EQ(probe(table, key), count) << "just stored";
  }
  for (std::uint64_t i = 10'000; i < 20'000; ++i) EXPECT_EQ(probe(table, key_number(i)), 0U);
}

TYPED_TEST(CountTable, EveryBitOfTheTagIsCompared) {
  TypeParam table(memory_of(TypeParam::kMinBytes));
  ZobristKey key = key_number(1);
  key.low &= (std::uint64_t{1} << Entry<TypeParam>::kLowTagBits) - 1;
  store(table, key, 42);
  for (int bit = 0; bit < 64; ++bit)
    EXPECT_EQ(probe(table, {key.low, key.high ^ std::uint64_t{1} << bit}), 0U);
  for (int bit = 0; bit < Entry<TypeParam>::kLowTagBits; ++bit)
    EXPECT_EQ(probe(table, {key.low ^ std::uint64_t{1} << bit, key.high}), 0U);
  EXPECT_EQ(probe(table, key), 42U);
}

TYPED_TEST(CountTable, CountsOfZeroAndCountsTooWideAreNotStored) {
  constexpr std::uint64_t kMaxCount = Entry<TypeParam>::kMaxCount;
  TypeParam table(memory_of(TypeParam::kMinBytes));
  const ZobristKey key = key_number(1);
  for (const std::uint64_t count : {std::uint64_t{0}, kMaxCount + 1, ~std::uint64_t{0}}) {
    EXPECT_EQ(store(table, key, count), kDropped);
    EXPECT_EQ(probe(table, key), 0U);
  }
  EXPECT_EQ(store(table, key, kMaxCount), kFilled);
  EXPECT_EQ(probe(table, key), kMaxCount);
}

TYPED_TEST(CountTable, AKeyWithoutAnyTagBitIsFoundOnlyWhenStored) {
  TypeParam table(memory_of(TypeParam::kMinBytes));
  EXPECT_EQ(probe(table, {}), 0U) << "free entries are all zero, too";
  EXPECT_EQ(store(table, {}, 9), kFilled);
  EXPECT_EQ(probe(table, {}), 9U);
}

/// Returns the `number`-th of many keys that all belong to bucket 0.
ZobristKey same_bucket_key(std::uint64_t number) {
  ZobristKey key = key_number(number);
  key.low &= (std::uint64_t{1} << 24) - 1;
  return key;
}

TEST(DeepTable, EveryBucketIsReachable) {
  for (const std::uint64_t buckets : {1U, 3U, 1000U, 1024U}) {
    const DeepTable table(memory_of(buckets * sizeof(DeepBucket)), 1);
    EXPECT_EQ(table.buckets(), buckets);
    EXPECT_EQ(table.bucket_of({0, 0}), 0U);
    EXPECT_EQ(table.bucket_of({~std::uint64_t{0}, 0}), buckets - 1);
    std::vector<int> hits(buckets);
    for (std::uint64_t i = 0; i < 100 * buckets; ++i) {
      const std::uint64_t bucket = table.bucket_of(key_number(i));
      ASSERT_LT(bucket, buckets);
      ++hits[bucket];
    }
    for (const int hit : hits) EXPECT_GT(hit, 40) << "100 expected";
  }
}

TEST(DeepTable, AKeyReplacesItsOwnCount) {
  DeepTable table(memory_of(DeepTable::kMinBytes));
  EXPECT_EQ(store(table, key_number(1), DeepEntry::kMaxCount), kFilled);
  EXPECT_EQ(store(table, key_number(1), 1), kFilled);
  EXPECT_EQ(probe(table, key_number(1)), 1U);
}

TEST(DeepTable, TheSmallestCountIsReplaced) {
  DeepTable table(memory_of(DeepTable::kMinBytes));
  const std::array<std::uint64_t, kDeepWays> counts{500, 300, 700, 400};
  for (std::size_t i = 0; i < kDeepWays; ++i)
    EXPECT_EQ(store(table, same_bucket_key(i), counts[i]), kFilled);
  // The new entry is stored even if its count is the smallest, because it will probably be needed
  // soon.
  EXPECT_EQ(store(table, same_bucket_key(10), 100), kReplaced);
  EXPECT_EQ(probe(table, same_bucket_key(1)), 0U);
  EXPECT_EQ(store(table, same_bucket_key(11), 900), kReplaced);
  EXPECT_EQ(probe(table, same_bucket_key(10)), 0U);
  EXPECT_EQ(store(table, same_bucket_key(12), 800), kReplaced);
  EXPECT_EQ(probe(table, same_bucket_key(3)), 0U);
  EXPECT_EQ(probe(table, same_bucket_key(0)), 500U);
  EXPECT_EQ(probe(table, same_bucket_key(2)), 700U);
  EXPECT_EQ(probe(table, same_bucket_key(11)), 900U);
  EXPECT_EQ(probe(table, same_bucket_key(12)), 800U);
}

TEST(DeepTable, DepthsDoNotMix) {
  const KeySet keys({.bits = 8});  // weak keys, too
  DeepTable table(memory_of(std::uint64_t{1} << 20));
  for (int depth = 3; depth <= Depth::kMax; ++depth)
    store(table, keys.depth(depth), static_cast<std::uint64_t>(depth));
  for (int depth = 3; depth <= Depth::kMax; ++depth)
    EXPECT_EQ(probe(table, keys.depth(depth)), static_cast<std::uint64_t>(depth));
  EXPECT_EQ(probe(table, {}), 0U);
}

TEST(DeepTable, FillIsTheShareOfEntriesInUse) {
  DeepTable table(memory_of(DeepTable::kMinBytes));
  const std::uint64_t entries = table.buckets() * kDeepWays;
  EXPECT_EQ(table.fill(), 0);
  std::uint64_t filled = 0;
  for (std::uint64_t i = 0; filled < entries / 2; ++i)
    filled += store(table, key_number(i), 1) == kFilled ? 1 : 0;
  EXPECT_DOUBLE_EQ(table.fill(), 0.5);
  EXPECT_NEAR(table.fill(100), 0.5, 0.1);
}

/// Runs traffic() in `table`. key_of(thread, i) returns a key. A thread uses each key twice in a
/// row, so there are hits even if the threads run one after another.
template <typename KeyOf>
void deep_traffic(DeepTable& table, const KeyOf& key_of) {
  traffic([&](std::uint64_t thread, std::uint64_t i) {
    const ZobristKey key = key_of(thread, i / 2);
    const std::uint64_t bucket = table.bucket_of(key);
    table.prefetch(bucket);
    const std::uint64_t expected = count_for(key, DeepEntry::kCountBits);
    const std::uint64_t count = table.probe(key, bucket);
    if (count == 0) table.store(key, bucket, expected);
    if (i % 1024 == 0) {
      EXPECT_LE(table.fill(16), 1);
    }
    return std::pair(count, expected);
  });
}

TEST(DeepTable, ManyThreadsOnManyBuckets) {
  for (const std::size_t stripes : {std::size_t{1}, std::size_t{64}, DeepTable::kDefaultStripes}) {
    DeepTable table(memory_of(std::uint64_t{1} << 20), stripes);
    deep_traffic(table, [](std::uint64_t thread, std::uint64_t i) {
      return key_number((i + thread) % 30'000);
    });
  }
}

TEST(DeepTable, ManyThreadsOnOneBucket) {
  DeepTable table(memory_of(DeepTable::kMinBytes));
  deep_traffic(table, [](std::uint64_t thread, std::uint64_t i) {
    return same_bucket_key((i + thread) % 7);
  });
}

TEST(DeepTable, ManyThreadsOnOneStripe) {
  DeepTable table(memory_of(std::uint64_t{1} << 20), 16);
  deep_traffic(table, [&](std::uint64_t thread, std::uint64_t i) {
    ZobristKey key = key_number((i + thread) % 5'000);
    while (table.bucket_of(key) % 16 != 3) key.low += std::uint64_t{1} << 50;
    return key;
  });
}

std::uint32_t window_count(const ZobristKey& key) {
  return static_cast<std::uint32_t>(count_for(key, 16));
}

/// Returns the `number`-th of many keys that all belong to line 0.
ZobristKey same_line_key(std::uint64_t number) {
  ZobristKey key = key_number(number);
  key.low &= 0xFFFF;
  return key;
}

template <typename Window>
class WindowTable : public testing::Test {};
using Windows = testing::Types<PrivateWindow, SharedWindow>;
TYPED_TEST_SUITE(WindowTable, Windows);

TYPED_TEST(WindowTable, HasTheSizeOfItsMemory) {
  TypeParam window(memory_of(std::uint64_t{1} << 20));
  EXPECT_EQ(window.lines(), 16384U);
  EXPECT_EQ(window.bytes(), std::uint64_t{1} << 20);
}

TYPED_TEST(WindowTable, EqualHighTagsInOneLineAreToldApart) {
  TypeParam window(memory_of(TypeParam::kMinBytes));
  for (std::uint32_t i = 0; i < WindowLine::kWays; ++i) store(window, {i, 77}, 100 + i);
  for (std::uint32_t i = 0; i < WindowLine::kWays; ++i) EXPECT_EQ(probe(window, {i, 77}), 100 + i);
  EXPECT_EQ(probe(window, {WindowLine::kWays, 77}), 0U);
}

TYPED_TEST(WindowTable, TheOldestIsReplaced) {
  TypeParam window(memory_of(TypeParam::kMinBytes));
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(store(window, same_line_key(i), 1000), i < WindowLine::kWays ? kFilled : kReplaced);
    for (std::uint64_t j = 0; j <= i; ++j)
      EXPECT_EQ(probe(window, same_line_key(j)), i - j < WindowLine::kWays ? 1000U : 0U);
  }
}

/// Like deep_traffic(), in a window. key_of(i) returns a key.
template <typename KeyOf>
void window_traffic(SharedWindow& window, const KeyOf& key_of) {
  traffic([&](std::uint64_t thread, std::uint64_t i) {
    const ZobristKey key = key_of(i / 2 + thread);
    const std::uint64_t line = window.line_of(key);
    window.prefetch(line);
    const std::uint32_t count = window.probe(key, line, match);
    if (count == 0) window.store(key, line, window_count(key));
    return std::pair(count, window_count(key));
  });
}

TEST(SharedWindow, ManyThreadsOnManyLines) {
  for (const std::size_t stripes : {1U, 64U, 4096U}) {
    SharedWindow window(memory_of(std::uint64_t{1} << 20), stripes);
    window_traffic(window, [](std::uint64_t i) { return key_number(i % 100'000); });
  }
}

TEST(SharedWindow, ManyThreadsOnOneLine) {
  SharedWindow window(memory_of(SharedWindow::kMinBytes));
  window_traffic(window, [](std::uint64_t i) { return same_line_key(i % 7); });
}

TEST(SharedWindow, ManyThreadsOnOneStripe) {
  SharedWindow window(memory_of(std::uint64_t{1} << 20), 16);
  window_traffic(window, [&](std::uint64_t i) {
    ZobristKey key = key_number(i % 5'000);
    while (window.line_of(key) % 16 != 3) key.low += std::uint64_t{1} << 50;
    return key;
  });
}

NodeCount wide_count(const ZobristKey& key) {
  return NodeCount::from_words(count_for(key, 63), count_for({key.high, key.low}, 63));
}

TEST(WideTable, FindsWhatWasStoredAndNothingElse) {
  WideTable table(1000);
  EXPECT_EQ(table.bytes(), 1000 * WideTable::kEntryBytes);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const ZobristKey key = key_number(i);
    EXPECT_EQ(table.probe(key), NodeCount());
    EXPECT_NE(table.store(key, wide_count(key)), kDropped);
    EXPECT_EQ(table.probe(key), wide_count(key));
  }
}

TEST(WideTable, TheWholeKeyIsCompared) {
  WideTable table(1);
  const ZobristKey key = key_number(1);
  table.store(key, 42);
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(table.probe({key.low ^ std::uint64_t{1} << bit, key.high}), NodeCount());
    EXPECT_EQ(table.probe({key.low, key.high ^ std::uint64_t{1} << bit}), NodeCount());
  }
  EXPECT_EQ(table.probe(key), NodeCount(42));
}

TEST(WideTable, HoldsTheLargestCountThereIs) {
  WideTable table(16);
  const NodeCount most = NodeCount::from_words(~std::uint64_t{0}, ~std::uint64_t{0});
  table.store(key_number(1), most);
  EXPECT_EQ(table.probe(key_number(1)), most);
}

TEST(WideTable, TheNewestIsKept) {
  WideTable table(1);
  EXPECT_EQ(table.store(key_number(1), 1000), kFilled);
  EXPECT_EQ(table.store(key_number(2), 1), kReplaced);
  EXPECT_EQ(table.probe(key_number(1)), NodeCount());
  EXPECT_EQ(table.probe(key_number(2)), NodeCount(1));
}

TEST(WideTable, ZeroIsNotStored) {
  WideTable table(1);
  table.store(key_number(1), 7);
  EXPECT_EQ(table.store(key_number(2), 0), kDropped);
  EXPECT_EQ(table.probe(key_number(1)), NodeCount(7)) << "driven out by nothing";
}

TEST(WideTable, ManyThreads) {
  for (const std::size_t entries : {1U, 7U, 1000U}) {
    WideTable table(entries);
    traffic([&](std::uint64_t thread, std::uint64_t i) {
      const ZobristKey key = key_number((i + thread) / 4 % (2 * entries));
      const NodeCount count = table.probe(key);
      if (count == NodeCount()) table.store(key, wide_count(key));
      return std::pair(count, wide_count(key));
    });
  }
}

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

// Two threads that count the same position store its key twice. The second store must not drop the
// other entry of the bucket.
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

// Compares the formula with a full table of deliberately weak keys, as AgreesWithATableOfWeakKeys
// does for counts. The bits that choose the bucket are not compared.
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

TEST(StripeLocks, ArePowersOfTwo) {
  EXPECT_EQ(StripeLocks(1).stripes(), 1U);
  EXPECT_EQ(StripeLocks(4096).stripes(), 4096U);
  EXPECT_THROW(StripeLocks(0), BugError);
  EXPECT_THROW(StripeLocks(3), BugError);
}

TEST(StripeLocks, NeighbouringBucketsDoNotShareOne) {
  StripeLocks locks(64);
  std::atomic<int> taken{0};
  bool taken_meanwhile = false;
  std::jthread neighbours;
  {
    const StripeLocks::Guard first(locks, 0);
    neighbours = std::jthread([&] {
      for (const std::uint64_t bucket : {1U, 63U}) {
        const StripeLocks::Guard guard(locks, bucket);
        ++taken;
      }
    });
    taken_meanwhile = eventually([&] { return taken == 2; });
  }
  EXPECT_TRUE(taken_meanwhile);
}

TEST(StripeLocks, AHolderIsWaitedFor) {
  StripeLocks locks(64);
  std::atomic<bool> released{false};
  std::atomic<bool> entered_early{false};
  std::jthread waiting;
  {
    const StripeLocks::Guard guard(locks, 5);
    waiting = std::jthread([&] {
      const StripeLocks::Guard same_stripe(locks, 5 + 64);
      if (!released) entered_early = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    released = true;
  }
  waiting.join();
  EXPECT_FALSE(entered_early);
}

// Plain counters: if a lock let two threads in, increments would be lost, and ThreadSanitizer would
// report a race.
TEST(StripeLocks, OneAtATimeInEachStripe) {
  constexpr int kThreads = 8;
  constexpr std::uint64_t kBuckets = 8;
  const std::uint64_t rounds = budget(100'000);
  for (const std::size_t stripes : {1U, 4U}) {
    StripeLocks locks(stripes);
    std::vector<std::uint64_t> counters(stripes);
    run_together(kThreads, [&](int thread) {
      for (std::uint64_t i = 0; i < rounds; ++i) {
        const std::uint64_t bucket = (i + static_cast<std::uint64_t>(thread)) % kBuckets;
        const StripeLocks::Guard guard(locks, bucket);
        ++counters[bucket % stripes];
      }
    });
    std::uint64_t sum = 0;
    for (const std::uint64_t counter : counters) sum += counter;
    EXPECT_EQ(sum, kThreads * rounds);
  }
}

using Inserted = PositionSet::Inserted;

constexpr std::uint64_t kBytes = 1 << 20;  // 26214 slots in 4 shards

PositionSet make_set() { return PositionSet(TableMemory::allocate(kBytes).value()); }

PackedBoard numbered(std::uint64_t i) { return {{i, 0, ~i, 1}}; }

std::uint64_t place_of(const PackedBoard& board) {
  return xxh3_64(std::as_bytes(std::span(board.planes)));
}

std::map<PackedBoard, std::uint64_t> held_by(PositionSet& set) {
  std::map<PackedBoard, std::uint64_t> held;
  for (std::size_t shard = 0; shard < set.shards(); ++shard) {
    const auto positions = set.gather(shard);
    EXPECT_EQ(positions.size(), set.size_of(shard));
    for (const auto& [board, paths] : positions) {
      EXPECT_TRUE(held.emplace(board, paths).second);
    }
  }
  return held;
}

TEST(PackedBoard, HoldsAllOfABoard) {
  const Chooser choose = choose_by_seed(77);
  int with_en_passant = 0;
  int with_castling = 0;
  const auto unpacks = [&](const Board& board) {
    with_en_passant += board.en_passant != 0 ? 1 : 0;
    with_castling += board.castling != 0 ? 1 : 0;
    EXPECT_EQ(PackedBoard::of(board).unpack(board.side_to_move), board);
  };
  for (std::uint64_t i = 0; i < budget(5'000); ++i) {
    const auto parsed = parse_position(piece_soup(choose));
    if (!parsed.ok()) continue;
    unpacks(parsed->position.board());
    for (const Move move : legal_moves(parsed->position))
      unpacks(parsed->position.after_unchecked(move).board());
  }
  EXPECT_GT(with_en_passant, 0);
  EXPECT_GT(with_castling, 0);
}

TEST(PositionSet, AddsUpPathsOfEqualBoards) {
  PositionSet set = make_set();
  std::map<PackedBoard, std::uint64_t> expected;
  for (std::uint64_t i = 0; i < 40'000; ++i) {
    const PackedBoard board = numbered(i * i % 9'973);
    expected[board] += i + 1;
    ASSERT_EQ(set.insert(place_of(board), board, i + 1), Inserted::kYes);
  }
  EXPECT_EQ(held_by(set), expected);
}

TEST(PositionSet, TellsBoardsApartThatShareAPlace) {
  PositionSet set = make_set();
  for (std::uint64_t round = 1; round <= 2; ++round) {
    for (std::uint64_t i = 0; i < 300; ++i)  // the last slot of a shard; its first slot is next
      ASSERT_EQ(set.insert(UINT64_MAX, numbered(i), round), Inserted::kYes);
  }
  const auto held = held_by(set);
  EXPECT_EQ(held.size(), 300U);
  for (const auto& [board, paths] : held) EXPECT_EQ(paths, 3U);
}

TEST(PositionSet, RefusesNewOnesWhenAShardIsFull) {
  PositionSet set = make_set();
  std::uint64_t i = 0;
  while (set.insert(place_of(numbered(i)), numbered(i), 1) == Inserted::kYes) ++i;
  EXPECT_EQ(set.insert(place_of(numbered(i)), numbered(i), 1), Inserted::kFull);
  const double load = static_cast<double>(i) / static_cast<double>(set.slots());
  EXPECT_GT(load, PositionSet::kPlannedLoad);
  EXPECT_LE(load, PositionSet::kMaxLoad);
  EXPECT_EQ(set.insert(place_of(numbered(0)), numbered(0), 1), Inserted::kYes);  // not new
  EXPECT_THAT(set.sample(UINT64_MAX), ::testing::SizeIs(i));
  EXPECT_THAT(set.sample(100).size(), ::testing::AllOf(::testing::Ge(50U), ::testing::Le(101U)));

  for (std::size_t shard = 0; shard < set.shards(); ++shard) set.clear(shard);
  EXPECT_THAT(held_by(set), ::testing::IsEmpty());
  EXPECT_EQ(set.insert(place_of(numbered(i)), numbered(i), 1), Inserted::kYes);
}

TEST(PositionSet, NoticesTooManyPaths) {
  PositionSet set = make_set();
  EXPECT_EQ(set.insert(5, numbered(5), UINT64_MAX - 1), Inserted::kYes);
  EXPECT_EQ(set.insert(5, numbered(5), 1), Inserted::kYes);
  EXPECT_EQ(set.insert(5, numbered(5), 1), Inserted::kOverflow);
}

TEST(PositionSetStress, ManyThreadsLoseNothing) {
  PositionSet set = make_set();
  constexpr std::uint64_t kBoards = 1'000;
  const std::uint64_t rounds = budget(320);
  run_together(4, [&](int) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (std::uint64_t i = 0; i < kBoards; ++i) {
        const PackedBoard board = numbered(i);
        if (set.insert(place_of(board), board, i + 1) != Inserted::kYes) ADD_FAILURE();
      }
    }
  });
  const auto held = held_by(set);
  EXPECT_EQ(held.size(), kBoards);
  for (const auto& [board, paths] : held) EXPECT_EQ(paths, 4 * rounds * (board.planes[0] + 1));
}

}  // namespace
}  // namespace manyply
