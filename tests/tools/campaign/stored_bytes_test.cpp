#include <gmock/gmock.h>

#include "tools/campaign/campaign_store.h"

namespace manyply {
namespace {

using testing::ElementsAre;

TEST(StoredBytes, LowBytesComeFirstAndComeBack) {
  const Hash128 hash{.low = 3, .high = 5};
  EXPECT_EQ(stored_hash(stored_bytes(hash)), hash);
  const std::vector<std::byte> word = stored_bytes(std::uint64_t{0x0102});
  EXPECT_EQ(word[0], std::byte{2});
  EXPECT_EQ(stored_word(word), 0x0102U);
}

TEST(StoredBytes, CountsTakeAsManyBytesAsTheLargestNeeds) {
  const auto count = [](std::uint64_t high, std::uint64_t low) {
    return NodeCount::from_words(high, low);
  };
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  struct Case {
    NodeCount largest;
    std::size_t width;
  };
  for (const auto& [largest, width] :
       {Case{0, 1}, Case{0xFF, 1}, Case{0x100, 2}, Case{0xFF'FFFF, 3}, Case{0x100'0000, 4},
        Case{kAll, 8}, Case{count(1, 0), 9}, Case{count(0x0102, 0xFF00), 10},
        Case{count(kAll, kAll), 16}}) {
    const std::vector<NodeCount> counts{NodeCount(0), largest, NodeCount(1), largest};
    const std::vector<std::byte> bytes = stored_bytes(counts);
    ASSERT_EQ(bytes.size(), width * counts.size()) << largest.to_string();
    const StoredCounts stored(bytes, counts.size());
    ASSERT_TRUE(stored.fit());
    for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(stored[i], counts[i]);
    EXPECT_THROW((void)stored[4], BugError);
    EXPECT_EQ(bytes[width], static_cast<std::byte>(largest.low()));
  }
}

TEST(StoredBytes, BytesThatAreNotSoManyCountsDoNotFit) {
  const std::vector<std::byte> bytes(48);
  EXPECT_TRUE(StoredCounts(bytes, 3).fit());
  for (const std::size_t counts : {0U, 2U, 5U, 49U, 100U})
    EXPECT_FALSE(StoredCounts(bytes, counts).fit()) << counts;
  EXPECT_FALSE(StoredCounts({}, 1).fit());
  EXPECT_THROW((void)StoredCounts(bytes, 5)[0], BugError);
}

// The same counts in another place are another batch.
TEST(StoredBytes, DigestsKnowTheirPlace) {
  std::vector<std::byte> counts = stored_bytes(std::vector<NodeCount>(3, NodeCount(7)));
  const Hash128 campaign{.low = 1, .high = 2};
  const Hash128 digest = batch_digest(campaign, 3, 4, counts);
  EXPECT_EQ(batch_digest(campaign, 3, 4, counts), digest);
  EXPECT_NE(batch_digest(campaign, 4, 3, counts), digest);
  EXPECT_NE(batch_digest(campaign, 3, 5, counts), digest);
  EXPECT_NE(batch_digest({.low = 2, .high = 1}, 3, 4, counts), digest);
  counts[2] ^= std::byte{1};
  EXPECT_NE(batch_digest(campaign, 3, 4, counts), digest);
}

}  // namespace
}  // namespace manyply
