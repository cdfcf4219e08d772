// Stores which positions exist after a ply, to count distinct positions: one bit for each pair of
// configurations. Also tracks the memory that these matrices take from a budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/configurations/configuration_set.h"
#include "core/configurations/pair_kernel.h"
#include "parallel/matrix/matrix_stage.h"

namespace manyply {

/// Takes bytes from a budget for one owner. The destructor gives them back. The budget must outlive
/// this object. Not thread-safe.
class BudgetShare {
 public:
  BudgetShare() = default;  ///< without a budget: all functions do nothing
  explicit BudgetShare(MatrixBudget& budget) : budget_(&budget) {}
  ~BudgetShare() { give_all_back(); }
  BudgetShare(BudgetShare&& other) noexcept
      : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
  BudgetShare& operator=(BudgetShare&& other) noexcept {
    if (this != &other) {
      give_all_back();
      budget_ = other.budget_;
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;

  /// Sets the number of bytes in use. If the budget has too few bytes left, throws MatrixDoesNotFit
  /// and changes nothing.
  void set(std::uint64_t bytes) {
    if (budget_ == nullptr) return;
    if (bytes > bytes_) {
      take(bytes - bytes_);
    } else {
      budget_->give_back(bytes_ - bytes);
    }
    bytes_ = bytes;
  }
  /// Increases the number of bytes in use by `bytes`. Throws the same as set().
  void add(std::uint64_t bytes) { set(bytes_ + bytes); }

 private:
  void give_all_back() noexcept {
    if (budget_ != nullptr) budget_->give_back(std::exchange(bytes_, 0));
  }
  void take(std::uint64_t bytes) {
    try {
      budget_->take(bytes);
    } catch (...) {
      budget_->give_back(bytes);
      throw;
    }
  }

  MatrixBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// A chunk has this number of neighbouring rows. Workers create and process whole chunks.
inline constexpr std::size_t kPairChunkRows = 64;

constexpr std::size_t pair_chunks_of(std::size_t rows) {
  return (rows + kPairChunkRows - 1) / kPairChunkRows;
}

/// Up to kPairChunkRows rows, one after the other.
struct PairChunk {
  std::vector<std::uint32_t> begin{0};  ///< index of each row's first block; last: number of blocks
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

/// A matrix of bits. All chunks except the last have kPairChunkRows rows.
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

/// A pair in which the side to move may capture the other side's pawn on `to` en passant.
struct PairRight {
  std::uint32_t row;
  std::uint32_t column;
  std::uint8_t to;
};

/// All positions after some number of plies. The matrix includes pairs with an en passant right,
/// but does not say whether these pairs also exist without the right.
struct PairStage {
  Color mover;
  ConfigurationSet rows;  ///< the mover's; configurations of one kind are neighbours
  ConfigurationSet columns;
  PairMatrix matrix;
  std::vector<PairRight> rights;
  BudgetShare share;  ///< the bytes of all members above

  /// Creates the stage of one position, with the en passant right of `root`.
  explicit PairStage(const Board& root);
  explicit PairStage(Color to_move) : mover(to_move) {}

  [[nodiscard]] std::uint64_t bytes() const {
    return rows.bytes() + columns.bytes() + matrix.bytes() + rights.capacity() * sizeof(PairRight);
  }
};

}  // namespace manyply
