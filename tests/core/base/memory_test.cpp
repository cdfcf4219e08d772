#include "core/base/memory.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/sizes.h"

namespace manyply {
namespace {

using testing::HasSubstr;

TEST(Memory, ThisMachineHasSome) { EXPECT_GT(available_memory_bytes(), 64 * kMiB); }

TEST(Memory, MoreThanThereIsIsRefusedBeforeItIsTouched) {
  const std::uint64_t available = available_memory_bytes();
  for (const std::uint64_t bytes :
       {available + available / 4, std::uint64_t{1} << 50, ~std::uint64_t{0}}) {
    const auto refused = TableMemory::allocate(bytes);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(refused.error().field, "hash");
    EXPECT_THAT(refused.error().message, HasSubstr(format_bytes(bytes) + " requested, but"));
  }
}

TEST(Memory, IsZeroAndStaysSoWhenTouched) {
  for (const std::uint64_t bytes : {std::uint64_t{64}, 5 * kMiB + 64}) {
    const TableMemory memory = TableMemory::allocate(bytes).value();
    EXPECT_EQ(memory.bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0U);
    std::atomic<std::uint64_t> touched = 0;
    {
      std::vector<std::jthread> threads;
      for (int part = 0; part < 3; ++part) {
        threads.emplace_back([&, part] { memory.touch(part, 3, {}, &touched); });
      }
    }
    EXPECT_EQ(touched, bytes);
    const std::span words(static_cast<const std::uint64_t*>(memory.data()), bytes / 8);
    EXPECT_EQ(std::ranges::count(words, 0U), static_cast<std::ptrdiff_t>(words.size()));
  }
}

TEST(Memory, SizesForPeople) {
  EXPECT_EQ(format_bytes(0), "0 bytes");
  EXPECT_EQ(format_bytes(1023), "1023 bytes");
  EXPECT_EQ(format_bytes(kMiB), "1 MiB");
  EXPECT_EQ(format_bytes(kGiB + kGiB / 2), "1.5 GiB");
  EXPECT_EQ(format_bytes(std::uint64_t{1} << 50), "1024 TiB");
}

}  // namespace
}  // namespace manyply
