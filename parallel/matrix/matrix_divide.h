// The divide of a count by configurations: what lies below pairs, carried back to the root's moves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/mutex.h"
#include "core/counting.h"
#include "core/position.h"
#include "parallel/matrix/matrix_ply.h"
#include "parallel/matrix/matrix_stage.h"
#include "parallel/workers.h"

namespace manyply {

/// A number of up to 128 bits, the lowest digit first. A digit has room for sums of a few hundred.
struct Digits {
  static constexpr std::size_t kMost = 3;
  static constexpr int kBits = 48;
  /// Below this many plies there are at most 512^5 = 2^45 leaves, one digit.
  static constexpr int kMostPliesOfOne = 5;

  std::array<std::uint64_t, kMost> digit{};
};

/// Leaves below each pair of a matrix, laid out as its paths. Any thread.
class PairValues {
 public:
  /// All 0. `plies` of them are below. After `stop` nobody may add anything.
  PairValues(const Matrix& matrix, int plies, const Workers& workers, const std::stop_token& stop);

  [[nodiscard]] std::size_t digits() const { return digits_; }
  /// Adds what add(row's numbers of a digit, digit) adds to row `row`.
  template <typename Add>
  void add_to_row(std::size_t row, const Add& add) {
    const MutexLock lock((*locks_)[row % kLocks]);
    for (std::size_t digit = 0; digit < digits_; ++digit)
      add(&chunk_of(row)[place_of(row, digit)], digit);
  }
  /// Adds to one pair. Precondition: paths lead to it.
  void add(std::size_t row, std::uint32_t column, const Digits& amount);

  /// Brings all digits below 2^kBits; after `stop` they mean nothing. Not while anybody adds.
  void carry_over(const Workers& workers, const std::stop_token& stop);
  [[nodiscard]] const std::uint64_t* values(std::size_t row, std::size_t digit) const {
    return &chunks_[row / kChunkRows][place_of(row, digit)];
  }
  [[nodiscard]] static std::uint64_t bytes_for(const Matrix& matrix, int plies);

 private:
  static constexpr std::size_t digits_for(int plies) {
    return plies <= Digits::kMostPliesOfOne ? 1 : Digits::kMost;
  }
  // Each guards rows, a kLocks-th of all: workers that meet in one are few.
  static constexpr std::size_t kLocks = 1024;

  [[nodiscard]] std::vector<std::uint64_t>& chunk_of(std::size_t row) {
    return chunks_[row / kChunkRows];
  }
  [[nodiscard]] std::size_t place_of(std::size_t row, std::size_t digit) const {
    const RowChunk& chunk = matrix_.chunks[row / kChunkRows];
    return (digit * chunk.size() + chunk.begin[row % kChunkRows]) * kGroupColumns;
  }

  const Matrix& matrix_;
  const std::size_t digits_;
  std::vector<std::vector<std::uint64_t>> chunks_;  // digit after digit
  std::unique_ptr<std::array<Mutex, kLocks>> locks_;
};

/// Values are carried from the rows of the last ply over the same edges as paths came, ply by ply.
/// What an edge does not know is asked for in addition: captures en passant, which reach a pair two
/// plies below the one that they belong to.
class MatrixDivide {
 public:
  /// `plies` are all that were played, and outlive it; `depth` plies are counted. Throws
  /// MatrixDoesNotFit. After `stop` it takes nothing.
  MatrixDivide(std::span<const std::unique_ptr<MatrixPly>> plies, int depth, const Workers& workers,
               MatrixBudget& budget, const std::stop_token& stop);

  /// Leaves below row `row` of the last ply, by column. Any thread, each row once.
  void take_row(std::size_t row, const std::uint64_t* leaves);
  /// More leaves below the pair that `edge` of the last ply reaches from column `column`. Any
  /// thread.
  void take_more(std::uint32_t edge, std::uint32_t column, std::uint64_t leaves);

  /// Once all rows are taken: the divide, in legal_moves() order. After `stop` it means nothing.
  std::vector<DivideEntry> finish(const Position& root, const std::stop_token& stop);

 private:
  /// Values of one row, by digit and column.
  using RowValues = std::array<const std::uint64_t*, Digits::kMost>;
  [[nodiscard]] const MatrixPly& ply(std::size_t number) const { return *plies_[number - 1]; }
  [[nodiscard]] int plies_below(std::size_t before) const {
    return depth_ - static_cast<int>(before);
  }
  void open_values(std::size_t before, const std::stop_token& stop);
  void take(std::size_t number, std::size_t row, const RowValues& below, std::size_t digits);
  void take_more(std::size_t number, std::uint32_t edge, std::uint32_t column,
                 const Digits& leaves);
  void add_to_root(std::size_t row, const Digits& leaves);
  void carry_back(std::size_t number, const std::stop_token& stop);

  const std::span<const std::unique_ptr<MatrixPly>> plies_;  // ply n is plies_[n - 1]
  const int depth_;
  const Workers& workers_;
  std::vector<std::unique_ptr<PairValues>> values_;  // after so many plies, while they are needed
  Mutex root_mutex_;
  std::vector<NodeCount> root_values_ MANYPLY_GUARDED_BY(root_mutex_);  // by row of the first ply
};

}  // namespace manyply
