// Memory and processors of a WebAssembly module. A module has one memory, which can grow but never
// shrink. Tables take whole pages from this memory. The pages of freed tables can be used for later
// tables.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "core/base/machine.h"
#include "core/base/memory.h"

namespace manyply::system_memory {
namespace {

constexpr std::uint64_t kPage = 65'536;
constexpr std::uint64_t kMost = std::uint64_t{1} << 32;  // addresses have 32 bits

struct Gap {
  std::uint64_t begin;
  std::uint64_t bytes;
};

/// Returns the list of freed blocks, in ascending order. Adjacent blocks are merged. Call it from
/// one thread only.
std::vector<Gap>& gaps() {
  static std::vector<Gap> all;
  return all;
}

std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void* at(std::uint64_t address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

/// Returns the size of the largest block that allocate() can return.
std::uint64_t largest_block() {
  const std::uint64_t grown = std::uint64_t{__builtin_wasm_memory_size(0)} * kPage;
  std::uint64_t most = kMost - std::min(kMost, grown);
  for (const Gap& gap : gaps()) most = std::max(most, gap.bytes);
  return most;
}

}  // namespace

void* allocate(std::uint64_t bytes) {
  const std::uint64_t wanted = whole_pages(bytes);
  std::vector<Gap>& all = gaps();
  const auto gap = std::ranges::find_if(all, [&](const Gap& one) { return one.bytes >= wanted; });
  if (gap != all.end()) {
    void* const data = at(gap->begin);
    gap->begin += wanted;
    gap->bytes -= wanted;
    if (gap->bytes == 0) all.erase(gap);
    return std::memset(data, 0, static_cast<std::size_t>(wanted));
  }
  if (wanted > largest_block()) return nullptr;
  const std::size_t before =
      __builtin_wasm_memory_grow(0, static_cast<std::size_t>(wanted / kPage));
  return before == SIZE_MAX ? nullptr : at(std::uint64_t{before} * kPage);
}

void free(void* data, std::uint64_t bytes) {
  std::vector<Gap>& all = gaps();
  const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(data);
  auto place = std::ranges::lower_bound(all, begin, {}, &Gap::begin);
  place = all.insert(place, {begin, whole_pages(bytes)});
  if (const auto next = place + 1;
      next != all.end() && place->begin + place->bytes == next->begin) {
    place->bytes += next->bytes;
    all.erase(next);
  }
  if (place == all.begin()) return;
  if (const auto last = place - 1; last->begin + last->bytes == place->begin) {
    last->bytes += place->bytes;
    all.erase(place);
  }
}

bool can_free_parts() { return true; }

}  // namespace manyply::system_memory

namespace manyply {

std::uint64_t available_memory_bytes() { return system_memory::largest_block(); }
void return_freed_memory() {}  // memory never shrinks
const char* advice_on_pages() { return nullptr; }

/// A WebAssembly module has one thread. If a caller wants more threads, it starts more modules.
int usable_processors() { return 1; }

void spread_thread(int /*thread*/) {}

}  // namespace manyply
