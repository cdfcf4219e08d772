// Large zeroed memory for tables.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/result.h"
#include "core/stop_view.h"

namespace manyply {

/// Bytes this process may still use without being killed, as far as the operating system tells.
[[nodiscard]] std::uint64_t available_memory_bytes();

/// Gives what has been freed back to the system, where the allocator keeps it: for whoever has
/// freed much in small pieces and must stay below a limit. Any thread.
void return_freed_memory();

/// Of memory that is on small pages: what the user may do about it, in one sentence; null where
/// that is nothing. Any thread.
[[nodiscard]] const char* advice_on_pages();

/// Anonymous zeroed pages, huge ones where the kernel grants them. Owned, movable. Pages are mapped
/// at first touch: whoever touches them first pays.
class TableMemory {
 public:
  TableMemory() = default;
  ~TableMemory();
  TableMemory(TableMemory&& other) noexcept;
  TableMemory& operator=(TableMemory&& other) noexcept;

  /// kUnavailable when `bytes` exceed what is available now, or the system refuses. Precondition:
  /// bytes > 0.
  static Result<TableMemory> allocate(std::uint64_t bytes);

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// Maps the pages of part `part` of `parts` by writing to them. Call once, before use; parts
  /// concurrently. Ends early when `stop` is requested: it may take minutes. `touched`, if given,
  /// grows with the bytes that are mapped, for whoever shows that; it publishes nothing.
  void touch(int part, int parts, StopView stop = {},
             std::atomic<std::uint64_t>* touched = nullptr) const;

 private:
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// "1.5 GiB", for people.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace manyply
