#include <gtest/gtest.h>
#include <windows.h>

#include <utility>

#include "hash/memory.h"
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

}  // namespace
}  // namespace manyply
