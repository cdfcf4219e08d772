#include "tools/text/numbers.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace manyply {
namespace {

TEST(Numbers, GroupsByThreeDigits) {
  EXPECT_EQ(grouped("1"), "1");
  EXPECT_EQ(grouped("123"), "123");
  EXPECT_EQ(grouped("1234"), "1,234");
  EXPECT_EQ(grouped("61885021521585529237"), "61,885,021,521,585,529,237");
}

TEST(Numbers, RatesHaveThreeDigits) {
  EXPECT_EQ(si(0), "0");
  EXPECT_EQ(si(12), "12");
  EXPECT_EQ(si(999), "999");
  EXPECT_EQ(si(1000), "1.00 k");
  EXPECT_EQ(si(12'345), "12.3 k");
  EXPECT_EQ(si(231'512'345), "232 M");
  EXPECT_EQ(si(999'600), "1.00 M");
  EXPECT_EQ(si(2e21), "2.00 Z");
  EXPECT_EQ(si(8.03e32), "803 Q");
}

TEST(Numbers, RatesBeyond64BitsStayRates) {
  EXPECT_EQ(rate_json(0).dump(), "0");
  EXPECT_EQ(rate_json(1234567.5).dump(), "1234568");
  EXPECT_EQ(rate_json(9.2e18).dump(), "9200000000000000000");
  EXPECT_EQ(rate_json(2.5e23).dump(), "2.5e+23");
}

TEST(Numbers, DurationsSuitTheirLength) {
  EXPECT_EQ(duration(7.4), "7 s");
  EXPECT_EQ(duration(99), "99 s");
  EXPECT_EQ(duration(150), "2 min");
  EXPECT_EQ(duration(3 * 3600.0), "3.0 h");
  EXPECT_EQ(duration(5 * 86400.0), "5.0 days");
}

}  // namespace
}  // namespace manyply
