// Stores the number of paths to each pair of a row and a column. Rows are configurations of one
// side, columns are configurations of the other side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/configurations/large_array.h"
#include "core/configurations/row_kernel.h"
#include "parallel/matrix/huge_pages.h"

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

/// A chunk has this number of neighbouring rows. Workers create and process whole chunks.
inline constexpr std::size_t kChunkRows = 64;

constexpr std::size_t chunks_of(std::size_t rows) { return (rows + kChunkRows - 1) / kChunkRows; }

/// Up to kChunkRows rows, stored one after the other.
struct RowChunk {
  std::vector<std::uint32_t> begin{0};  ///< index of each row's first group; last: number of groups
  std::uint32_t* groups = nullptr;
  std::uint32_t* paths = nullptr;  ///< kGroupColumns numbers for each group

  [[nodiscard]] std::size_t rows() const { return begin.size() - 1; }
  [[nodiscard]] std::size_t size() const { return begin.back(); }
  [[nodiscard]] RowView row(std::size_t row) const {
    const std::size_t at = begin[row];
    return {groups + at, paths + at * kGroupColumns, begin[row + 1] - at};
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return (begin.capacity() + size() * (1 + kGroupColumns)) * sizeof(std::uint32_t);
  }
};

/// Memory for the groups and paths of chunks. Rows are short and are read in random order, so they
/// are stored densely on few pages. All of the memory is freed at once. Not thread-safe.
class RowMemory {
 public:
  /// Points `chunk` to uninitialised memory for its groups and paths. `begin` of the chunk
  /// determines the size.
  void give_room(RowChunk& chunk) {
    chunk.groups = take((chunk.size() + kGroupColumns - 1) / kGroupColumns * kGroupColumns);
    chunk.paths = take(chunk.size() * kGroupColumns);
  }

 private:
  /// Precondition: `words` is a multiple of kGroupColumns, so that the paths of each group are
  /// within one cache line.
  std::uint32_t* take(std::size_t words) {
    if (words > left_) {
      constexpr std::size_t kFirst = std::size_t{1} << 14;  // small counts need little memory
      constexpr std::size_t kMost = std::size_t{1} << 21;
      const std::size_t size = std::max(words, std::min(kMost, kFirst << blocks_.size()));
      blocks_.emplace_back(size, huge_pages());
      next_ = blocks_.back().data();
      left_ = size;
    }
    left_ -= words;
    return std::exchange(next_, next_ + words);
  }

  std::vector<LargeArray<std::uint32_t>> blocks_;
  std::uint32_t* next_ = nullptr;  // in the last block
  std::size_t left_ = 0;           // number of words from next_ to the end of its block
};

/// A matrix. All chunks except the last have kChunkRows rows.
struct Matrix {
  std::vector<RowChunk> chunks;
  RowMemory memory;  // contains the groups and paths of the chunks

  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const RowChunk& chunk : chunks) sum += chunk.bytes();
    return sum;
  }
  [[nodiscard]] RowView row(std::size_t row) const {
    return chunks[row / kChunkRows].row(row % kChunkRows);
  }
};

}  // namespace manyply
