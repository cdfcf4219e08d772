#include "core/base/memory.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "core/base/machine.h"

namespace manyply {

TableMemory::~TableMemory() {
  if (data_ != nullptr) system_memory::free(data_, bytes_);
}

TableMemory::TableMemory(TableMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

TableMemory& TableMemory::operator=(TableMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Result<TableMemory> TableMemory::allocate(std::uint64_t bytes) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kUnavailable, "hash", 0, format_bytes(bytes) + " requested, " + why};
  };
  const std::uint64_t available = available_memory_bytes();
  if (bytes > available) return refuse("but only " + format_bytes(available) + " are available");
  void* data = system_memory::allocate(bytes);
  if (data == nullptr) return refuse("but the system cannot allocate them");
  TableMemory memory;
  memory.data_ = data;
  memory.bytes_ = bytes;
  return memory;
}

void TableMemory::touch(int part, int parts, StopView stop,
                        std::atomic<std::uint64_t>* touched) const {
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  const std::uint64_t pages = (bytes_ + kHugePage - 1) / kHugePage;
  const std::uint64_t first =
      pages * static_cast<std::uint64_t>(part) / static_cast<std::uint64_t>(parts);
  const std::uint64_t last =
      pages * (static_cast<std::uint64_t>(part) + 1) / static_cast<std::uint64_t>(parts);
  const std::uint64_t end = std::min(last * kHugePage, bytes_);
  auto* bytes = static_cast<volatile unsigned char*>(data_);
  for (std::uint64_t page = first * kHugePage; page < end; page += kHugePage) {
    if (stop.stop_requested()) return;
    const std::uint64_t page_end = std::min(page + kHugePage, end);
    for (std::uint64_t at = page; at < page_end; at += 4096) bytes[at] = 0;
    if (touched != nullptr) touched->fetch_add(page_end - page, std::memory_order_relaxed);
  }
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  const bool whole = unit == 0 || amount == static_cast<double>(static_cast<std::uint64_t>(amount));
  const int length =
      std::snprintf(text.data(), text.size(), whole ? "%.0f %s" : "%.1f %s", amount, kUnits[unit]);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace manyply
