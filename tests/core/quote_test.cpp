#include "core/quote.h"

#include <gtest/gtest.h>

#include <string>

namespace manyply {
namespace {

TEST(Quote, KeepsWhatPrints) {
  EXPECT_EQ(quote("e2e4"), "'e2e4'");
  EXPECT_EQ(quote(""), "''");
  EXPECT_EQ(quote("two words ~"), "'two words ~'");
  EXPECT_EQ(quote('K'), "'K'");
}

TEST(Quote, MakesOneShortLineOfAnything) {
  EXPECT_EQ(quote("a\nb"), "'a\\x0Ab'");
  EXPECT_EQ(quote(std::string_view("\0\x7F\xFF", 3)), "'\\x00\\x7F\\xFF'");
  EXPECT_EQ(quote(std::string(40, 'e')), "'" + std::string(40, 'e') + "'");
  EXPECT_LT(quote(std::string(1'000, '\n')).size(), 50U);
  EXPECT_EQ(quote(std::string(1'000'000, 'e')), "'" + std::string(40, 'e') + "...'");
}

}  // namespace
}  // namespace manyply
