// Large zeroed memory for tables, and the amount of available memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/base/stop_view.h"

namespace manyply {

/// Returns the number of bytes that this process can still use. The number is as exact as the
/// operating system's reports. On POSIX systems other than Linux, it is half of the physical
/// memory. If the number is unknown, returns the size of the address space.
[[nodiscard]] std::uint64_t available_memory_bytes();

/// Makes the allocator return freed memory to the system. Call it after freeing many small blocks
/// if the memory in use must stay below a limit. Any thread may call it.
void return_freed_memory();

/// Returns a text that tells the user how to get large pages; null if no advice is needed. Advice
/// is needed only on Windows, after this process has allocated at least 64 MiB in one call without
/// the right to use large pages. Any thread may call this function.
[[nodiscard]] const char* advice_on_pages();

/// A block of zeroed memory, on huge pages if the operating system grants them. The object can be
/// moved and owns its memory. Most systems map a page at the first access to it, which takes time.
class TableMemory {
 public:
  TableMemory() = default;
  ~TableMemory();
  TableMemory(TableMemory&& other) noexcept;
  TableMemory& operator=(TableMemory&& other) noexcept;

  /// Allocates `bytes` of zeroed memory. Returns kUnavailable if less memory is available or if the
  /// system refuses the allocation. Precondition: bytes > 0.
  static Result<TableMemory> allocate(std::uint64_t bytes);

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// Divides the memory into `parts` sections of about equal size, and maps the pages of section
  /// `part` (from 0) by writing zeros to them. Call it once for each section, before the first use
  /// of the memory. Several threads may touch different sections at once. A call may take minutes,
  /// but ends early if `stop` is requested.
  ///
  /// After every 2 MiB, adds the number of newly mapped bytes to `*touched`, unless `touched` is
  /// null. Use `*touched` only for progress displays, because the additions do not order other
  /// memory accesses.
  void touch(int part, int parts, StopView stop = {},
             std::atomic<std::uint64_t>* touched = nullptr) const;

 private:
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Returns a size as text for users, such as "1.5 GiB".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace manyply
