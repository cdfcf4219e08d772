#include <gmock/gmock.h>
#include <windows.h>

#include <utility>

#include "core/base/machine.h"
#include "core/base/memory.h"
#include "tests/support/sizes.h"

namespace manyply {
namespace {

DWORD state_of(const void* data) {
  MEMORY_BASIC_INFORMATION information{};
  EXPECT_NE(VirtualQuery(data, &information, sizeof information), 0U);
  return information.State;
}

TEST(Memory, MovesAndIsGivenBack) {
  void* data = nullptr;
  {
    TableMemory first = TableMemory::allocate(kMiB).value();
    data = first.data();
    TableMemory second = std::move(first);
    EXPECT_EQ(second.data(), data);
    EXPECT_EQ(state_of(data), MEM_COMMIT);
  }
  EXPECT_EQ(state_of(data), MEM_FREE);
}

// Works for users with and without the right to use large pages.
TEST(Memory, SaysWhatLargePagesTake) {
  const TableMemory table = TableMemory::allocate(256 * kMiB).value();
  const char* const advice = advice_on_pages();
  if (system_memory::large_page() > 0) {
    EXPECT_EQ(advice, nullptr);
  } else {
    ASSERT_NE(advice, nullptr);
    EXPECT_THAT(advice, testing::HasSubstr("the right to lock pages in memory"));
  }
}

}  // namespace
}  // namespace manyply
