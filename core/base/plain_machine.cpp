// Memory and processors with only the C++ library, for systems that have no other implementation.
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>

#include "core/base/machine.h"

namespace manyply::system_memory {

std::uint64_t available() { return std::numeric_limits<std::size_t>::max(); }

void* allocate(std::uint64_t bytes) {
  constexpr std::size_t kCacheLine = 64;
  if (bytes > available() - kCacheLine) return nullptr;
  const std::size_t whole_lines =
      (static_cast<std::size_t>(bytes) + kCacheLine - 1) / kCacheLine * kCacheLine;
  void* data = std::aligned_alloc(kCacheLine, whole_lines);
  return data != nullptr ? std::memset(data, 0, whole_lines) : nullptr;
}

void free(void* data, std::uint64_t /*bytes*/) { std::free(data); }

void return_freed() {}

const char* small_pages() { return nullptr; }

}  // namespace manyply::system_memory

namespace manyply {

int usable_processors() { return static_cast<int>(std::thread::hardware_concurrency()); }

void spread_thread(int /*thread*/) {}

void sleep_while(const std::atomic<int>& number, int value) { number.wait(value); }
void wake_sleepers(std::atomic<int>& number) { number.notify_all(); }

}  // namespace manyply
