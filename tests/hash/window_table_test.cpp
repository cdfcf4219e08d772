#include <gtest/gtest.h>

#include <atomic>

#include "hash/count_tables.h"
#include "tests/hash/self_checking.h"
#include "tests/hash/together.h"
#include "tests/support/budget.h"

namespace manyply {
namespace {

using enum StoreOutcome;

unsigned match(const std::uint64_t* tags, std::uint64_t tag) {
  unsigned equal = 0;
  for (unsigned i = 0; i < WindowLine::kWays; ++i) equal |= (tags[i] == tag ? 1U : 0U) << i;
  return equal;
}

template <typename Window>
std::uint32_t probe_line(Window& window, const ZobristKey& key) {
  return window.probe(key, window.line_of(key), match);
}
template <typename Window>
StoreOutcome store_in_line(Window& window, const ZobristKey& key, std::uint32_t count) {
  return window.store(key, window.line_of(key), count);
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

TYPED_TEST(WindowTable, FindsWhatWasStoredAndNothingElse) {
  TypeParam window(memory_of(std::uint64_t{1} << 20));
  EXPECT_EQ(window.lines(), 16384U);
  EXPECT_EQ(window.bytes(), std::uint64_t{1} << 20);
  for (std::uint64_t i = 0; i < 10'000; ++i) EXPECT_EQ(probe_line(window, key_number(i)), 0U);
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const ZobristKey key = key_number(i);
    EXPECT_NE(store_in_line(window, key, window_count(key)), kDropped);
    EXPECT_EQ(probe_line(window, key), window_count(key));
  }
  for (std::uint64_t i = 10'000; i < 20'000; ++i) EXPECT_EQ(probe_line(window, key_number(i)), 0U);
}

TYPED_TEST(WindowTable, EveryBitOfTheTagIsCompared) {
  TypeParam window(memory_of(TypeParam::kMinBytes));
  const ZobristKey key = same_line_key(1);
  store_in_line(window, key, 42);
  for (int bit = 0; bit < 64; ++bit)
    EXPECT_EQ(probe_line(window, {key.low, key.high ^ std::uint64_t{1} << bit}), 0U);
  for (int bit = 0; bit < 16; ++bit)
    EXPECT_EQ(probe_line(window, {key.low ^ std::uint64_t{1} << bit, key.high}), 0U);
  EXPECT_EQ(probe_line(window, key), 42U);
}

TYPED_TEST(WindowTable, EqualHighTagsInOneLineAreToldApart) {
  TypeParam window(memory_of(TypeParam::kMinBytes));
  for (std::uint32_t i = 0; i < WindowLine::kWays; ++i) store_in_line(window, {i, 77}, 100 + i);
  for (std::uint32_t i = 0; i < WindowLine::kWays; ++i)
    EXPECT_EQ(probe_line(window, {i, 77}), 100 + i);
  EXPECT_EQ(probe_line(window, {WindowLine::kWays, 77}), 0U);
}

TYPED_TEST(WindowTable, CountsOfZeroAndCountsTooWideAreNotStored) {
  TypeParam window(memory_of(TypeParam::kMinBytes));
  const ZobristKey key = key_number(1);
  EXPECT_EQ(store_in_line(window, key, 0), kDropped);
  EXPECT_EQ(store_in_line(window, key, WindowLine::kMaxCount + 1), kDropped);
  EXPECT_EQ(probe_line(window, key), 0U);
  EXPECT_EQ(store_in_line(window, key, WindowLine::kMaxCount), kFilled);
  EXPECT_EQ(probe_line(window, key), WindowLine::kMaxCount);
}

TYPED_TEST(WindowTable, AKeyWithoutAnyTagBitIsFoundOnlyWhenStored) {
  TypeParam window(memory_of(TypeParam::kMinBytes));
  EXPECT_EQ(probe_line(window, {}), 0U) << "free entries are all zero, too";
  EXPECT_EQ(store_in_line(window, {}, 9), kFilled);
  EXPECT_EQ(probe_line(window, {}), 9U);
}

TYPED_TEST(WindowTable, TheOldestIsReplaced) {
  TypeParam window(memory_of(TypeParam::kMinBytes));
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(store_in_line(window, same_line_key(i), 1000),
              i < WindowLine::kWays ? kFilled : kReplaced);
    for (std::uint64_t j = 0; j <= i; ++j)
      EXPECT_EQ(probe_line(window, same_line_key(j)), i - j < WindowLine::kWays ? 1000U : 0U);
  }
}

/// Many threads probe and store in one window. Each result must be the key's own count. A thread
/// uses each key twice in a row, so there are hits even if the threads run one after another.
template <typename KeyOf>
void traffic(SharedWindow& window, std::uint64_t operations, const KeyOf& key_of) {
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> found{0};
  run_together(8, [&](int thread) {
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < operations; ++i) {
      const ZobristKey key = key_of(i / 2 + static_cast<std::uint64_t>(thread));
      const std::uint64_t line = window.line_of(key);
      window.prefetch(line);
      if (const std::uint32_t count = window.probe(key, line, match); count != 0) {
        ++hits;
        if (count != window_count(key)) wrong.fetch_add(1, std::memory_order_relaxed);
      } else {
        window.store(key, line, window_count(key));
      }
    }
    found.fetch_add(hits, std::memory_order_relaxed);
  });
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(found, 0U) << "no hit, nothing tested";
}

TEST(SharedWindow, ManyThreadsOnManyLines) {
  for (const std::size_t stripes : {1U, 64U, 4096U}) {
    SharedWindow window(memory_of(std::uint64_t{1} << 20), stripes);
    traffic(window, kOperations, [](std::uint64_t i) { return key_number(i % 100'000); });
  }
}

TEST(SharedWindow, ManyThreadsOnOneLine) {
  SharedWindow window(memory_of(SharedWindow::kMinBytes));
  traffic(window, kOperations, [](std::uint64_t i) { return same_line_key(i % 7); });
}

TEST(SharedWindow, ManyThreadsOnOneStripe) {
  SharedWindow window(memory_of(std::uint64_t{1} << 20), 16);
  traffic(window, kOperations, [&](std::uint64_t i) {
    ZobristKey key = key_number(i % 5'000);
    while (window.line_of(key) % 16 != 3) key.low += std::uint64_t{1} << 50;
    return key;
  });
}

}  // namespace
}  // namespace manyply
