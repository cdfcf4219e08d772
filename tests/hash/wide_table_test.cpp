#include <gtest/gtest.h>

#include <atomic>

#include "hash/count_tables.h"
#include "tests/hash/self_checking.h"
#include "tests/hash/together.h"
#include "tests/support/budget.h"

namespace manyply {
namespace {

using enum StoreOutcome;

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
  constexpr std::uint64_t kOperations = budget(100'000);
  for (const std::size_t entries : {1U, 7U, 1000U}) {
    WideTable table(entries);
    std::atomic<std::uint64_t> wrong{0};
    std::atomic<std::uint64_t> found{0};
    run_together(8, [&](int thread) {
      std::uint64_t hits = 0;
      for (std::uint64_t i = 0; i < kOperations; ++i) {
        const ZobristKey key =
            key_number((i + static_cast<std::uint64_t>(thread)) / 4 % (2 * entries));
        if (const NodeCount count = table.probe(key); count != NodeCount()) {
          ++hits;
          if (count != wide_count(key)) wrong.fetch_add(1, std::memory_order_relaxed);
        } else {
          table.store(key, wide_count(key));
        }
      }
      found.fetch_add(hits, std::memory_order_relaxed);
    });
    EXPECT_EQ(wrong, 0U);
    EXPECT_GT(found, 0U) << "no hit, nothing tested";
  }
}

}  // namespace
}  // namespace manyply
