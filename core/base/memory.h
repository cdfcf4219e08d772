// Large zeroed memory for tables, and how much of it is available.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/base/stop_view.h"

namespace manyply {

/// Returns how many bytes this process may still use without being killed, as far as the operating
/// system reports it.
[[nodiscard]] std::uint64_t available_memory_bytes();

/// Makes the allocator return freed memory to the system. For callers that have freed many small
/// blocks and must stay below a limit. Any thread.
void return_freed_memory();

/// Returns one sentence for the user about how to get large pages, if large tables use small pages
/// and the user can change that; otherwise null. Any thread.
[[nodiscard]] const char* advice_on_pages();

/// Anonymous zeroed pages; huge pages if the kernel grants them. Movable, and owns its memory. The
/// system maps a page when it is first touched, which takes time.
class TableMemory {
 public:
  TableMemory() = default;
  ~TableMemory();
  TableMemory(TableMemory&& other) noexcept;
  TableMemory& operator=(TableMemory&& other) noexcept;

  /// Returns kUnavailable if `bytes` exceeds the available memory or the system refuses.
  /// Precondition: bytes > 0.
  static Result<TableMemory> allocate(std::uint64_t bytes);

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// Maps the pages of part `part` of `parts` by writing to them. Call it once per part, before
  /// use; several threads may touch different parts at once. It may take minutes and ends early if
  /// `stop` is requested. If `touched` is given, the number of mapped bytes is added to it. It is
  /// for progress displays only: it orders no other memory accesses.
  void touch(int part, int parts, StopView stop = {},
             std::atomic<std::uint64_t>* touched = nullptr) const;

 private:
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Returns a size as text for users, such as "1.5 GiB".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace manyply
