#include "core/types.h"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <utility>

namespace manyply {
namespace {

using ::testing::HasSubstr;

TEST(Square, NamesAndCoordinatesAgree) {
  EXPECT_EQ(to_string(Square::kA1), "a1");
  EXPECT_EQ(to_string(Square::kH1), "h1");
  EXPECT_EQ(to_string(Square::kE4), "e4");
  EXPECT_EQ(to_string(Square::kH8), "h8");
  for (int i = 0; i < kSquares; ++i) {
    const Square square = square_at(i);
    EXPECT_EQ(index(square), i);
    EXPECT_EQ(square_at(file_of(square), rank_of(square)), square);
  }
}

TEST(Color, HasAnOpposite) {
  EXPECT_EQ(~Color::kWhite, Color::kBlack);
  EXPECT_EQ(~Color::kBlack, Color::kWhite);
}

TEST(Depth, ReadsDigits) {
  for (const auto& [text, plies] :
       {std::pair{"0", 0}, {"1", 1}, {"7", 7}, {"64", 64}, {"007", 7}}) {
    const auto depth = Depth::parse(text);
    ASSERT_TRUE(depth.ok()) << text;
    EXPECT_EQ(depth->plies(), plies);
  }
}

TEST(Depth, RefusesEverythingElse) {
  for (const char* text : {"", " ", "-1", "+1", " 1", "1 ", "seven", "7.0", "0x7", "1e1", "٧"}) {
    const auto depth = Depth::parse(text);
    ASSERT_FALSE(depth.ok()) << text;
    EXPECT_EQ(depth.error().field, "depth");
    EXPECT_THAT(depth.error().message, HasSubstr("is not a whole number from 0 to 64")) << text;
  }
  for (const char* text : {"65", "100", "4294967296", "99999999999999999999999999"}) {
    const auto depth = Depth::parse(text);
    ASSERT_FALSE(depth.ok()) << text;
    EXPECT_EQ(depth.error().to_string(),
              "depth: '" + std::string(text) + "' is above the maximum depth of 64");
  }
}

TEST(Depth, IsCheckedWhenMadeByCode) {
  EXPECT_EQ(Depth().plies(), 0);
  EXPECT_EQ(Depth(Depth::kMax).plies(), 64);
  EXPECT_THROW(Depth(65), BugError);
  EXPECT_THROW(Depth(-1), BugError);
  EXPECT_LT(Depth(3), Depth(4));
}

}  // namespace
}  // namespace manyply
