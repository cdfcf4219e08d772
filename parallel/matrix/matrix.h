// Stores the number of paths to each pair of a row and a column. Rows are configurations of one
// side. Columns are configurations of the other side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include "core/configurations/large_array.h"
#include "core/configurations/row_kernel.h"
#include "parallel/matrix/matrix_memory.h"

namespace manyply {

/// A chunk has this number of neighbouring rows. Workers create and process whole chunks.
inline constexpr std::size_t kChunkRows = 64;

constexpr std::size_t chunks_of(std::size_t rows) { return (rows + kChunkRows - 1) / kChunkRows; }

/// The place of a row in a chunk.
struct RowPlace {
  std::uint32_t group = 0;  ///< index of the row's first group
  std::uint32_t paths = 0;  ///< index of the row's first packed word
};

/// Up to kChunkRows rows, stored one after the other. The arrays are as in RowView.
struct RowChunk {
  std::vector<RowPlace> begin{{}};  ///< place of each row; last: the sizes of the arrays
  std::uint32_t* groups = nullptr;
  std::uint8_t* lanes = nullptr;
  std::uint16_t* paths = nullptr;

  [[nodiscard]] std::size_t rows() const { return begin.size() - 1; }
  [[nodiscard]] std::size_t size() const { return begin.back().group; }  ///< number of groups
  [[nodiscard]] RowView row(std::size_t row) const {
    const RowPlace at = begin[row];
    return {groups + at.group, lanes + at.group, paths + at.paths, begin[row + 1].group - at.group};
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return begin.capacity() * sizeof(RowPlace) + size() * kGroupBytes +
           begin.back().paths * sizeof(std::uint16_t);
  }
  static constexpr std::size_t kGroupBytes = sizeof(std::uint32_t) + sizeof(std::uint8_t);
};

/// Returns `words` as a RowPlace::paths. Throws MatrixTakesTooMuch if a chunk has too many paths.
inline std::uint32_t place_of_paths(std::uint64_t words) {
  if (words > UINT32_MAX) throw MatrixTakesTooMuch("64 rows of a matrix have 2^32 or more paths");
  return static_cast<std::uint32_t>(words);
}

/// Memory for the groups and paths of chunks. Rows are short and are read in random order, so they
/// are stored densely on few pages. All of the memory is freed at once. Not thread-safe.
class RowMemory {
 public:
  /// Points `chunk` to uninitialised memory for its groups and paths. chunk.begin determines the
  /// size.
  void give_room(RowChunk& chunk) {
    const std::size_t words = chunk.begin.back().paths;
    const std::size_t groups = chunk.size();
    constexpr std::size_t kWord = sizeof(std::uint32_t);
    const std::size_t words_of_lanes = (groups + kWord - 1) / kWord;
    std::uint32_t* const room = take(groups + words_of_lanes + (words + 1) / 2);
    chunk.groups = room;
    chunk.lanes = reinterpret_cast<std::uint8_t*>(room + groups);
    chunk.paths = reinterpret_cast<std::uint16_t*>(room + groups + words_of_lanes);
  }

 private:
  std::uint32_t* take(std::size_t words) {
    if (words > left_) {
      constexpr std::size_t kBehind = kPackedReadAhead * sizeof(std::uint16_t) / sizeof *next_;
      constexpr std::size_t kFirst = std::size_t{1} << 14;  // small counts need little memory
      constexpr std::size_t kDoublings = 7;                 // up to 8 MiB
      const std::size_t usual = kFirst << std::min(kDoublings, blocks_.size());
      const std::size_t size = std::max(words + kBehind, usual);
      blocks_.emplace_back(size, huge_pages());
      next_ = blocks_.back().data();
      left_ = size - kBehind;
    }
    left_ -= words;
    return std::exchange(next_, next_ + words);
  }

  std::vector<LargeArray<std::uint32_t>> blocks_;
  std::uint32_t* next_ = nullptr;  // in the last block
  std::size_t left_ = 0;           // number of words that may be taken from next_ on
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
