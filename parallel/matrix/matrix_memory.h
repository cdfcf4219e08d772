// Memory of counts by configurations: how much they may use, and huge pages for large arrays that
// are read in random order.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <stdexcept>

#include "core/base/check.h"

namespace manyply {

/// Thrown if a count by configurations cannot be completed. what() is a short reason. The caller
/// must count with another method or report an error.
class MatrixDoesNotFit : public std::runtime_error {
 public:
  explicit MatrixDoesNotFit(const char* reason, bool memory_helps = true)
      : std::runtime_error(reason), memory_helps(memory_helps) {}

  const bool memory_helps;  ///< true if more memory would allow the count
};

/// Thrown if the matrices need more memory than the budget has. A smaller part of the count may
/// fit.
class MatrixTakesTooMuch : public MatrixDoesNotFit {
 public:
  using MatrixDoesNotFit::MatrixDoesNotFit;
};

/// Throws MatrixDoesNotFit. Call it if more paths lead to one position than an entry of a matrix
/// can hold.
[[noreturn]] inline void throw_too_many_paths() {
  throw MatrixDoesNotFit("2^31 or more paths to one position", false);
}

/// Returns the number of bytes that matrices may use in a process of `of_process` bytes. If
/// `of_process` is 0, returns half of the available memory.
[[nodiscard]] std::uint64_t matrix_bytes(std::uint64_t of_process);
/// Returns the bytes of a process whose matrices use `of_matrices` bytes: the inverse of
/// matrix_bytes(), except for rounding.
[[nodiscard]] std::uint64_t process_bytes(std::uint64_t of_matrices);

/// Counts the bytes that matrices use, and limits their number. Any thread may use it.
class MatrixBudget {
 public:
  explicit MatrixBudget(std::uint64_t limit) : limit_(limit) {}

  /// Reserves `bytes`. Throws MatrixTakesTooMuch if fewer bytes are available. Even then, the bytes
  /// count as reserved until they are given back.
  void take(std::uint64_t bytes);
  /// Releases `bytes` bytes, which must have been reserved.
  void give_back(std::uint64_t bytes) {
    [[maybe_unused]] const std::uint64_t before = used_.fetch_sub(bytes, std::memory_order_relaxed);
    MANYPLY_DCHECK(before >= bytes);
  }
  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  [[nodiscard]] std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  /// Releases all bytes that were reserved after used() returned `used`. Workers must not reserve
  /// bytes during the call.
  void give_back_to(std::uint64_t used) { used_.store(used, std::memory_order_relaxed); }
  /// Returns the largest number of bytes that were in use at the same time.
  [[nodiscard]] std::uint64_t most() const { return most_.load(std::memory_order_relaxed); }

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};  // all workers add to it; orders no other accesses
  std::atomic<std::uint64_t> most_{0};
};

/// Returns a memory resource. Blocks of less than 2 MiB come from operator new. Larger blocks come
/// from the system, on huge pages if these are available. Freed blocks are kept for later
/// use. When no block of 2 MiB or more is in use, all kept blocks are returned to the system.
/// Any thread may use the resource.
///
/// Small pages would be slow: random access would wait for address translation, and the system
/// would have to handle the first access to each page.
[[nodiscard]] std::pmr::memory_resource* huge_pages();

/// huge_pages() keeps freed pages. This function returns such pages to the system until at most
/// `most` bytes are still kept. Any thread may call it.
void return_kept_pages(std::uint64_t most);

}  // namespace manyply
