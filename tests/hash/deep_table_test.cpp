#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "hash/count_tables.h"
#include "tests/hash/self_checking.h"
#include "tests/hash/together.h"
#include "tests/support/budget.h"

namespace manyply {
namespace {

using enum StoreOutcome;

StoreOutcome store(DeepTable& table, const ZobristKey& key, std::uint64_t count) {
  return table.store(key, table.bucket_of(key), count);
}
std::uint64_t probe(const DeepTable& table, const ZobristKey& key) {
  return table.probe(key, table.bucket_of(key));
}

/// Returns the `number`-th of many keys that all belong to bucket 0.
ZobristKey same_bucket_key(std::uint64_t number) {
  ZobristKey key = key_number(number);
  key.low &= (std::uint64_t{1} << 24) - 1;
  return key;
}

TEST(DeepTable, FindsWhatWasStoredAndNothingElse) {
  DeepTable table(memory_of(std::uint64_t{1} << 20));
  for (std::uint64_t i = 0; i < 10'000; ++i) EXPECT_EQ(probe(table, key_number(i)), 0U);
  for (std::uint64_t i = 0; i < 4'000; ++i) {
    const ZobristKey key = key_number(i);
    const StoreOutcome outcome = store(table, key, count_for(key, DeepEntry::kCountBits));
    EXPECT_NE(outcome, kDropped);
    EXPECT_EQ(probe(table, key), count_for(key, DeepEntry::kCountBits)) << "just stored";
  }
  for (std::uint64_t i = 4'000; i < 10'000; ++i) EXPECT_EQ(probe(table, key_number(i)), 0U);
}

TEST(DeepTable, EveryBitOfTheTagIsCompared) {
  DeepTable table(memory_of(DeepTable::kMinBytes));
  const ZobristKey key = same_bucket_key(1);
  store(table, key, 42);
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(probe(table, {key.low, key.high ^ std::uint64_t{1} << bit}), 0U);
  }
  for (int bit = 0; bit < 24; ++bit) {
    EXPECT_EQ(probe(table, {key.low ^ std::uint64_t{1} << bit, key.high}), 0U);
  }
  EXPECT_EQ(probe(table, key), 42U);
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

TEST(DeepTable, CountsOfZeroAndCountsTooWideAreNotStored) {
  DeepTable table(memory_of(DeepTable::kMinBytes));
  const ZobristKey key = key_number(1);
  for (const std::uint64_t count :
       {std::uint64_t{0}, DeepEntry::kMaxCount + 1, ~std::uint64_t{0}}) {
    EXPECT_EQ(store(table, key, count), kDropped);
    EXPECT_EQ(probe(table, key), 0U);
  }
  EXPECT_EQ(store(table, key, DeepEntry::kMaxCount), kFilled);
  EXPECT_EQ(probe(table, key), DeepEntry::kMaxCount);
  EXPECT_EQ(store(table, key, 1), kFilled) << "over its own count";
  EXPECT_EQ(probe(table, key), 1U);
}

TEST(DeepTable, AKeyWithoutAnyTagBitIsFoundOnlyWhenStored) {
  DeepTable table(memory_of(DeepTable::kMinBytes));
  EXPECT_EQ(probe(table, {}), 0U) << "free entries are all zero, too";
  EXPECT_EQ(store(table, {}, 9), kFilled);
  EXPECT_EQ(probe(table, {}), 9U);
}

TEST(DeepTable, TheSmallestCountIsReplaced) {
  DeepTable table(memory_of(DeepTable::kMinBytes));
  const std::array<std::uint64_t, kDeepWays> counts{500, 300, 700, 400};
  for (std::size_t i = 0; i < kDeepWays; ++i)
    EXPECT_EQ(store(table, same_bucket_key(i), counts[i]), kFilled);
  // The new entry is stored even if its count is the smallest, because positions that are visited
  // soon will probably need it.
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

/// Many threads probe and store `keys`. Each result must be the key's own count. A thread uses each
/// key twice in a row, so there are hits even if the threads run one after another.
template <typename KeyOf>
void traffic(DeepTable& table, int threads, std::uint64_t operations, const KeyOf& key_of) {
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> found{0};
  run_together(threads, [&](int thread) {
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < operations; ++i) {
      const ZobristKey key = key_of(static_cast<std::uint64_t>(thread), i / 2);
      const std::uint64_t bucket = table.bucket_of(key);
      table.prefetch(bucket);
      const std::uint64_t expected = count_for(key, DeepEntry::kCountBits);
      if (const std::uint64_t count = table.probe(key, bucket); count != 0) {
        ++hits;
        if (count != expected) wrong.fetch_add(1, std::memory_order_relaxed);
      } else {
        table.store(key, bucket, expected);
      }
      if (i % 1024 == 0 && table.fill(16) > 1) wrong.fetch_add(1, std::memory_order_relaxed);
    }
    found.fetch_add(hits, std::memory_order_relaxed);
  });
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(found, 0U) << "no hit, nothing tested";
}

constexpr int kThreads = 8;

TEST(DeepTable, ManyThreadsOnManyBuckets) {
  for (const std::size_t stripes : {std::size_t{1}, std::size_t{64}, DeepTable::kDefaultStripes}) {
    DeepTable table(memory_of(std::uint64_t{1} << 20), stripes);
    traffic(table, kThreads, kOperations, [](std::uint64_t thread, std::uint64_t i) {
      return key_number((i + thread) % 30'000);
    });
  }
}

TEST(DeepTable, ManyThreadsOnOneBucket) {
  DeepTable table(memory_of(DeepTable::kMinBytes));
  traffic(table, kThreads, kOperations,
          [](std::uint64_t thread, std::uint64_t i) { return same_bucket_key((i + thread) % 7); });
}

TEST(DeepTable, ManyThreadsOnOneStripe) {
  DeepTable table(memory_of(std::uint64_t{1} << 20), 16);
  traffic(table, kThreads, kOperations, [&](std::uint64_t thread, std::uint64_t i) {
    ZobristKey key = key_number((i + thread) % 5'000);
    while (table.bucket_of(key) % 16 != 3) key.low += std::uint64_t{1} << 50;
    return key;
  });
}

}  // namespace
}  // namespace manyply
