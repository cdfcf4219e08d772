#include "core/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace manyply {
namespace {

const Error kNoRook{ErrorCode::kIllegal, "castling", 24, "no rook on h1"};

TEST(Error, IsOneLineWithFieldAndColumn) {
  EXPECT_EQ(kNoRook.to_string(), "castling: no rook on h1 (column 24)");
  EXPECT_EQ((Error{ErrorCode::kInvalidInput, "depth", 0, "missing"}).to_string(), "depth: missing");
  EXPECT_EQ((Error{ErrorCode::kCancelled, "", 0, "cancelled"}).to_string(), "cancelled");
}

TEST(Result, HoldsAValue) {
  const Result<std::string> result = std::string("e4");
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(*result, "e4");
  EXPECT_EQ(result->size(), 2U);
  EXPECT_THROW(static_cast<void>(result.error()), BugError);
}

TEST(Result, HoldsAnError) {
  const Result<int> result = kNoRook;
  ASSERT_FALSE(result.ok());
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(result.error().code, ErrorCode::kIllegal);
  EXPECT_EQ(result.error().field, "castling");
  EXPECT_THROW(static_cast<void>(result.value()), BugError);
  EXPECT_THROW(static_cast<void>(*result), BugError);
}

TEST(Result, GivesItsValueAway) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(20);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 20);
  EXPECT_THROW(static_cast<void>(Result<int>(kNoRook).value()), BugError);
}

TEST(Result, LeavesNoDeadTemporaryBehind) {
  const auto moves = [] { return Result<std::string>(std::string(100, 'e')); };
  std::size_t length = 0;
  for (const char c : *moves()) length += c == 'e' ? 1 : 0;
  const std::string& text = moves().value();
  EXPECT_EQ(length, 100U);
  EXPECT_EQ(text.size(), 100U);
}

TEST(Result, OfAnErrorTypeStaysUnambiguous) {
  const Result<std::string> failed = kNoRook;
  const Result<std::string> fine("castling");
  EXPECT_FALSE(failed.ok());
  EXPECT_TRUE(fine.ok());
}

}  // namespace
}  // namespace manyply
