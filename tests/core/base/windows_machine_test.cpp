// Tests memory and stacks on Windows.
#include <gmock/gmock.h>
#include <windows.h>

#include <array>
#include <cstddef>
#include <thread>
#include <utility>

#include "core/base/machine.h"
#include "core/base/memory.h"
#include "tests/support/budget.h"

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

constexpr std::uintptr_t kPage = 4096;

NT_TIB& thread_block() { return *reinterpret_cast<NT_TIB*>(NtCurrentTeb()); }
std::uintptr_t lowest_page_of_stack() {
  return reinterpret_cast<std::uintptr_t>(thread_block().StackLimit);
}

/// Wine gives a thread its whole stack at once. This function returns the lower part of the stack
/// to the system, except one guard page, as Windows does.
__attribute__((noinline)) void have_a_fresh_stack() {
  constexpr std::uintptr_t kLeft = 16 * kPage;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t lowest = (here - kLeft) & ~(kPage - 1);
  const std::uintptr_t before = lowest_page_of_stack();
  if (before >= lowest) return;
  ASSERT_NE(VirtualFree(reinterpret_cast<void*>(before), lowest - before, MEM_DECOMMIT), 0);
  void* const guard = reinterpret_cast<void*>(lowest - kPage);
  ASSERT_EQ(VirtualAlloc(guard, kPage, MEM_COMMIT, PAGE_READWRITE | PAGE_GUARD), guard);
  thread_block().StackLimit = reinterpret_cast<void*>(lowest);
}

/// Writes to the lowest byte of its frame first. On a fresh stack, this byte lies beyond the guard
/// page.
template <std::size_t kBytes>
__attribute__((noinline)) int takes(int depth) {
  std::array<volatile std::byte, kBytes> bytes;
  bytes[0] = std::byte{1};
  bytes[kBytes - 1] = std::byte{2};
  EXPECT_LE(lowest_page_of_stack(), reinterpret_cast<std::uintptr_t>(&bytes[0]));
  const int below = depth == 0 ? 0 : takes<kBytes>(depth - 1);
  return below + std::to_integer<int>(bytes[0]) + std::to_integer<int>(bytes[kBytes - 1]);
}

template <std::size_t kBytes>
void takes_of_a_fresh_stack(int times) {
  std::thread([&] {
    have_a_fresh_stack();
    const std::uintptr_t before = lowest_page_of_stack();
    EXPECT_EQ(takes<kBytes>(times - 1), 3 * times);
    const std::uintptr_t after = lowest_page_of_stack();
    EXPECT_LT(after, before);
    EXPECT_EQ(takes<kBytes>(times - 1), 3 * times);  // this part of the stack exists already
    EXPECT_EQ(lowest_page_of_stack(), after);
  }).join();
}

TEST(WindowsStackProbe, AStackGrowsPageByPage) {
  takes_of_a_fresh_stack<4096>(40);
  takes_of_a_fresh_stack<5000>(40);
  takes_of_a_fresh_stack<65536>(4);
  takes_of_a_fresh_stack<300'000>(2);
  takes_of_a_fresh_stack<600'000>(1);
}

/// The probe must preserve all registers except the flags.
TEST(WindowsStackProbe, KeepsRegisters) {
  std::thread([] {
    have_a_fresh_stack();
    for (const std::uint64_t size : {std::uint64_t{8192}, std::uint64_t{400'000}}) {
      std::uint64_t rax = size;
      std::uint64_t rcx = 1;
      register std::uint64_t r10 asm("r10") = 2;
      register std::uint64_t r11 asm("r11") = 3;
      asm volatile("call ___chkstk_ms"
                   : "+a"(rax), "+c"(rcx), "+r"(r10), "+r"(r11)
                   :
                   : "cc", "memory");
      EXPECT_EQ(rax, size);
      EXPECT_EQ(rcx, 1u);
      EXPECT_EQ(r10, 2u);
      EXPECT_EQ(r11, 3u);
    }
  }).join();
}

}  // namespace
}  // namespace manyply
