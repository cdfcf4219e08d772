// A matrix of move paths, stored: rows are configurations of one side, columns of the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/configurations/row_kernel.h"

namespace manyply {

/// Thrown inside a count by configurations that cannot be ended that way, with the reason in a few
/// words. Whoever asked counts in another way.
class MatrixDoesNotFit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Workers make and take rows in chunks of so many neighbours.
inline constexpr std::size_t kChunkRows = 64;

constexpr std::size_t chunks_of(std::size_t rows) { return (rows + kChunkRows - 1) / kChunkRows; }

/// Up to kChunkRows rows, one after the other.
struct RowChunk {
  std::vector<std::uint32_t> begin{0};  ///< groups before each row, and all of them
  std::vector<std::uint32_t> groups;
  std::vector<std::uint32_t> paths;  ///< kGroupColumns for each group

  [[nodiscard]] std::size_t rows() const { return begin.size() - 1; }
  [[nodiscard]] RowView row(std::size_t row) const {
    const std::size_t at = begin[row];
    return {groups.data() + at, paths.data() + at * kGroupColumns, begin[row + 1] - at};
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return (begin.capacity() + groups.capacity() + paths.capacity()) * sizeof(std::uint32_t);
  }
};

/// All chunks but the last are whole.
struct Matrix {
  std::vector<RowChunk> chunks;

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
