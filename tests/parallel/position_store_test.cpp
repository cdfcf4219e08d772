#include "parallel/matrix/position_store.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <vector>

namespace manyply {
namespace {

namespace fs = std::filesystem;

std::vector<ReachedPosition> numbered(std::uint64_t from, std::uint64_t to) {
  std::vector<ReachedPosition> positions;
  for (std::uint64_t i = from; i < to; ++i) positions.push_back({{{i, 0, 0, 0}}, i + 1});
  return positions;
}

/// A directory of its own, removed when it is empty.
class PositionStoreTest : public ::testing::Test {
 protected:
  PositionStoreTest() : directory_(fs::temp_directory_path() / "manyply_position_store_test") {
    directory_ += std::to_string(::getpid());
    fs::create_directory(directory_);
  }
  ~PositionStoreTest() override { EXPECT_TRUE(fs::remove(directory_)) << "not empty"; }

  fs::path directory_;
};

TEST_F(PositionStoreTest, KeepsWhatWasWrittenWhenItMovesToAFile) {
  PositionStore store(directory_.string(), 1'000 * sizeof(ReachedPosition));
  std::uint64_t size = 0;
  for (const std::uint64_t next : {7U, 1'000U, 1'000U, 1'001U, 5'000U}) {
    ASSERT_EQ(store.grow(next), std::nullopt);
    ASSERT_EQ(store.write(size, numbered(size, next)), std::nullopt);
    size = next;
    EXPECT_EQ(store.size(), size);
    EXPECT_EQ(store.file_bytes(), size <= 1'000 ? 0 : size * sizeof(ReachedPosition));
    std::vector<ReachedPosition> all(size);
    ASSERT_EQ(store.read(0, all), std::nullopt);
    for (std::uint64_t i = 0; i < size; ++i) {
      ASSERT_EQ(all[i].board.planes[0], i);
      ASSERT_EQ(all[i].paths, i + 1);
    }
  }
  ReachedPosition one;
  ASSERT_EQ(store.read(4'321, {&one, 1}), std::nullopt);
  EXPECT_EQ(one.paths, 4'322U);
}

// Whoever is killed leaves nothing behind.
TEST_F(PositionStoreTest, ItsFileHasNoName) {
  PositionStore store(directory_.string(), sizeof(ReachedPosition));
  ASSERT_EQ(store.grow(1'000), std::nullopt);
  EXPECT_GT(store.file_bytes(), 0U);
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(PositionStoreTest, NeedsItsDirectoryForAFileOnly) {
  PositionStore store((directory_ / "missing").string(), 10 * sizeof(ReachedPosition));
  EXPECT_EQ(store.grow(10), std::nullopt);
  const auto error = store.grow(11);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kUnavailable);
  EXPECT_EQ(error->to_string(),
            "temporary file: " + (directory_ / "missing").string() + ": No such file or directory");
}

TEST_F(PositionStoreTest, IsNoLargerThanItMayBe) {
  constexpr std::uint64_t kBytes = sizeof(ReachedPosition);
  PositionStore store(directory_.string(), 10 * kBytes, 20 * kBytes);
  EXPECT_EQ(store.grow(20), std::nullopt);
  const auto error = store.grow(21);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kUnavailable);
  EXPECT_EQ(error->to_string(), "temporary file: would take 840 bytes, and may take 800 bytes");
  EXPECT_EQ(store.size(), 20U);
  PositionStore in_memory(directory_.string(), 10 * kBytes, 0);
  EXPECT_EQ(in_memory.grow(10), std::nullopt);
  EXPECT_NE(in_memory.grow(11), std::nullopt);
}

TEST_F(PositionStoreTest, IsNoLargerThanWhatOthersHaveLeft) {
  constexpr std::uint64_t kBytes = sizeof(ReachedPosition);
  PositionStore store(directory_.string(), 10 * kBytes, 20 * kBytes, 5 * kBytes);
  EXPECT_EQ(store.grow(15), std::nullopt);
  const auto error = store.grow(16);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->to_string(), "temporary file: would take 840 bytes, and may take 800 bytes");
}

}  // namespace
}  // namespace manyply
