// Which pairs of configurations there are after a ply, a bit each: what distinct positions are
// counted in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/configuration_set.h"
#include "core/configurations/pair_row.h"
#include "parallel/matrix/pair_budget.h"

namespace manyply {

/// Workers make and take rows in chunks of so many neighbours.
inline constexpr std::size_t kPairChunkRows = 64;

constexpr std::size_t pair_chunks_of(std::size_t rows) {
  return (rows + kPairChunkRows - 1) / kPairChunkRows;
}

/// Up to kPairChunkRows rows, one after the other.
struct PairChunk {
  std::vector<std::uint32_t> begin{0};  ///< blocks before each row, and all of them
  std::vector<std::uint32_t> blocks;
  std::vector<std::uint64_t> words;  ///< kBlockWords for each block

  [[nodiscard]] PairRowView row(std::size_t row) const {
    const std::size_t at = begin[row];
    return {blocks.data() + at, words.data() + at * kBlockWords, begin[row + 1] - at};
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return (begin.capacity() + blocks.capacity()) * sizeof(std::uint32_t) +
           words.capacity() * sizeof(std::uint64_t);
  }
};

/// What a block of a row takes in a matrix.
inline constexpr std::uint64_t kPairBlockBytes =
    sizeof(std::uint32_t) + kBlockWords * sizeof(std::uint64_t);

/// All chunks but the last are whole.
struct PairMatrix {
  std::vector<PairChunk> chunks;

  [[nodiscard]] PairRowView row(std::size_t row) const {
    return chunks[row / kPairChunkRows].row(row % kPairChunkRows);
  }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const PairChunk& chunk : chunks) sum += chunk.bytes();
    return sum;
  }
};

/// A pair whose side to move may capture en passant: the pawn of the other side on `to`.
struct PairRight {
  std::uint32_t row;
  std::uint32_t column;
  std::uint8_t to;
};

/// All positions after so many plies. Pairs with a right are among those of the matrix, which says
/// nothing of whether they are there without it, too.
struct PairStage {
  Color mover;
  ConfigurationSet rows;  ///< the mover's, those of one kind together
  ConfigurationSet columns;
  PairMatrix matrix;
  std::vector<PairRight> rights;
  BudgetShare share;  ///< for all of that

  /// Of one position, which has the en passant right that `root` has.
  explicit PairStage(const Board& root);
  explicit PairStage(Color to_move) : mover(to_move) {}

  [[nodiscard]] std::uint64_t bytes() const {
    return rows.bytes() + columns.bytes() + matrix.bytes() + rights.capacity() * sizeof(PairRight);
  }
};

}  // namespace manyply
