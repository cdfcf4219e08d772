#include "core/base/node_count.h"

#include <gmock/gmock.h>

#include <limits>
#include <random>
#include <string>

namespace manyply {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();
constexpr NodeCount kMax128 = NodeCount::from_words(kMax64, kMax64);
const std::string kMax128Text = "340282366920938463463374607431768211455";

NodeCount number(const std::string& text) { return NodeCount::parse(text).value(); }

TEST(NodeCount, ReadsAndWritesDecimals) {
  for (const char* text :
       {"0", "1", "20", "4865609", "18446744073709551615", "18446744073709551616",
        "61885021521585529237", "2015099950053364471960"}) {
    EXPECT_EQ(number(text).to_string(), text);
  }
  EXPECT_EQ(number(kMax128Text), kMax128);
  EXPECT_EQ(kMax128.to_string(), kMax128Text);
  EXPECT_EQ(number("00020"), NodeCount(20));
}

TEST(NodeCount, SurvivesTheRoundTrip) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const NodeCount count = NodeCount::from_words(random() >> (i % 64), random());
    EXPECT_EQ(number(count.to_string()), count);
  }
}

TEST(NodeCount, RefusesEverythingElse) {
  for (const char* text : {"", " ", "-1", "+1", "1 ", " 1", "1.0", "1e9", "1_000", "1,000", "x"}) {
    const auto count = NodeCount::parse(text);
    ASSERT_FALSE(count.ok()) << text;
    EXPECT_EQ(count.error().field, "count");
    EXPECT_THAT(count.error().message, HasSubstr("is not a whole number")) << text;
  }
  for (const std::string& text : {std::string("340282366920938463463374607431768211456"),
                                  kMax128Text + "0", std::string(500, '9')}) {
    const auto count = NodeCount::parse(text);
    ASSERT_FALSE(count.ok()) << text;
    EXPECT_THAT(count.error().message, HasSubstr("exceeds 128 bits"));
  }
}

TEST(NodeCount, KeepsSumsBeyond64Bits) {
  const NodeCount sum = NodeCount(kMax64) + NodeCount(1);
  EXPECT_EQ(sum, NodeCount::from_words(1, 0));
  EXPECT_FALSE(sum.fits_64_bits());
  EXPECT_TRUE(NodeCount(kMax64).fits_64_bits());
  EXPECT_EQ(sum.high(), 1U);
  EXPECT_EQ(sum.low(), 0U);
  EXPECT_EQ((NodeCount(kMax64) * NodeCount(kMax64)).to_string(),
            "340282366920938463426481119284349108225");
  EXPECT_GT(sum, NodeCount(kMax64));
  EXPECT_DOUBLE_EQ(sum.approximate(), 18446744073709551616.0);
}

TEST(NodeCount, ThrowsInsteadOfWrapping) {
  EXPECT_EQ(kMax128 + NodeCount(0), kMax128);
  EXPECT_THROW(kMax128 + NodeCount(1), CountOverflow);
  EXPECT_THROW(NodeCount::from_words(std::uint64_t{1} << 63, 0) +
                   NodeCount::from_words(std::uint64_t{1} << 63, 0),
               CountOverflow);
  EXPECT_EQ(kMax128 * NodeCount(1), kMax128);
  EXPECT_EQ(kMax128 * NodeCount(0), NodeCount(0));
  EXPECT_THROW(kMax128 * NodeCount(2), CountOverflow);
  EXPECT_THROW(NodeCount::from_words(1, 0) * NodeCount::from_words(1, 0), CountOverflow);
}

}  // namespace
}  // namespace manyply
