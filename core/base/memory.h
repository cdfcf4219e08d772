// Large zeroed memory for tables, and the amount of available memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/base/stop_view.h"

namespace manyply {

/// Returns the number of bytes that this process may still use before the operating system would
/// kill it, as far as the operating system reports it.
[[nodiscard]] std::uint64_t available_memory_bytes();

/// Makes the allocator return freed memory to the system. Call it after freeing many small blocks
/// if the memory in use must stay below a limit. Any thread may call it.
void return_freed_memory();

/// Returns one sentence that tells the user how to get large pages. Returns null if large tables do
/// not use small pages or if the user cannot change this. Any thread may call it.
[[nodiscard]] const char* advice_on_pages();

/// Anonymous zeroed pages. They are huge pages if the kernel grants them. The object is movable and
/// owns its memory. The system maps a page at the first access to it, which takes time.
class TableMemory {
 public:
  TableMemory() = default;
  ~TableMemory();
  TableMemory(TableMemory&& other) noexcept;
  TableMemory& operator=(TableMemory&& other) noexcept;

  /// Allocates `bytes`. Returns kUnavailable if they exceed the available memory or the system
  /// refuses. Precondition: bytes > 0.
  static Result<TableMemory> allocate(std::uint64_t bytes);

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// Maps the pages of part `part` of `parts` by writing to them. Call it once per part, before the
  /// first use. Several threads may touch different parts at once. It may take minutes. It ends
  /// early if `stop` is requested.
  ///
  /// If `touched` is given, adds the number of mapped bytes to it. Use this number only for
  /// progress displays, because it does not order other memory accesses.
  void touch(int part, int parts, StopView stop = {},
             std::atomic<std::uint64_t>* touched = nullptr) const;

 private:
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Returns a size as text for users, such as "1.5 GiB".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace manyply
