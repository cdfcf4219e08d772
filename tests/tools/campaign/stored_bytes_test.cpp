#include <gmock/gmock.h>

#include "tools/campaign/campaign_store.h"

namespace manyply {
namespace {

TEST(StoredBytes, LowBytesComeFirstAndComeBack) {
  const Hash128 hash{.low = 3, .high = 5};
  EXPECT_EQ(stored_hash(stored_bytes(hash)), hash);
  std::vector<std::byte> word(8);
  word[0] = std::byte{2};
  word[1] = std::byte{1};
  EXPECT_EQ(stored_bytes(std::uint64_t{0x0102}), word);
}

// The digest depends on the place, so the same count in another place has another digest.
TEST(StoredBytes, DigestsKnowTheirPlaceAndAllThatWasCounted) {
  const PartCount count{
      .nodes = NodeCount::from_words(1, 2), .rows = 3, .kernel_pairs = 4, .lane_pairs = 5};
  const Hash128 campaign{.low = 1, .high = 2};
  const Hash128 digest = part_digest(campaign, 3, count);
  EXPECT_EQ(part_digest(campaign, 3, count), digest);
  EXPECT_NE(part_digest(campaign, 4, count), digest);
  EXPECT_NE(part_digest({.low = 2, .high = 1}, 3, count), digest);
  PartCount other = count;
  other.nodes = NodeCount::from_words(2, 1);
  EXPECT_NE(part_digest(campaign, 3, other), digest);
  for (std::uint64_t PartCount::* const field :
       {&PartCount::rows, &PartCount::kernel_pairs, &PartCount::lane_pairs}) {
    other = count;
    ++(other.*field);
    EXPECT_NE(part_digest(campaign, 3, other), digest);
  }
}

}  // namespace
}  // namespace manyply
