#include "tools/campaign/stored_bytes.h"

#include <gmock/gmock.h>

#include "tools/campaign/schema.h"

namespace manyply {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(StoredBytes, LowBytesComeFirstAndComeBack) {
  const std::vector<NodeCount> counts{NodeCount(1), NodeCount::from_words(0x0102, 0xFF00)};
  const std::vector<std::byte> bytes = stored_bytes(counts);
  ASSERT_EQ(bytes.size(), 32U);
  EXPECT_EQ(bytes[0], std::byte{1});
  EXPECT_EQ(bytes[17], std::byte{0xFF});
  EXPECT_EQ(bytes[24], std::byte{2});
  EXPECT_EQ(bytes[25], std::byte{1});
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(stored_count(bytes, i), counts[i]);
  const Hash128 hash{.low = 3, .high = 5};
  EXPECT_EQ(stored_hash(stored_bytes(hash)), hash);
  EXPECT_EQ(stored_word(stored_bytes(std::uint64_t{0x0102})), 0x0102U);
  EXPECT_THROW((void)stored_count(bytes, 2), BugError);
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
  counts[40] ^= std::byte{1};
  EXPECT_NE(batch_digest(campaign, 3, 4, counts), digest);
}

TEST(Schema, MigrationsAreToldApartByTheirLines) {
  EXPECT_THAT(migrations_in("-- words\n-- migration 1\nA;\n-- more\n-- migration 2\nB;\n"),
              ElementsAre("\nA;\n-- more", "\nB;\n"));
  EXPECT_THROW((void)migrations_in("\n-- migration 2\nB;\n"), BugError);
  EXPECT_THROW((void)migrations_in("\n-- migration 1\nA;\n-- migration 3\nC;\n"), BugError);
  EXPECT_THROW((void)migrations_in("nothing"), BugError);
  EXPECT_THAT(migrations().at(0), HasSubstr("CREATE TABLE campaign"));
  EXPECT_THAT(std::string(roles_script()), HasSubstr("CREATE SCHEMA manyply"));
}

}  // namespace
}  // namespace manyply
