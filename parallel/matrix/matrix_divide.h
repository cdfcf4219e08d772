// Makes the divide of a count by configurations: carries the numbers of leaves below pairs back to
// the root moves.
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

/// A number of up to 128 bits, lowest digit first. After a carry, a digit uses kBits of its 64
/// bits, so about 2^16 numbers can be added before the next carry.
struct Digits {
  static constexpr std::size_t kMost = 3;
  static constexpr int kBits = 48;
  /// A pair with at most this number of plies below it has at most 512^5 = 2^45 leaves, which fit
  /// into one digit.
  static constexpr int kMostPliesOfOne = 5;

  std::array<std::uint64_t, kMost> digit{};
};

/// The number of leaves below each pair of a matrix. A number consists of one or more digits, which
/// are integers of type `Number`. Each row has numbers for the same groups of columns as in the
/// matrix. Any thread may use it.
template <typename Number>
class PairValues {
 public:
  /// Sets all values to 0. `plies` is the number of plies below the pairs. If `stop` was requested,
  /// do not add values.
  PairValues(const Matrix& matrix, int plies, const Workers& workers, const std::stop_token& stop);

  [[nodiscard]] std::size_t digits() const { return digits_; }
  void prefetch(std::size_t row) const { __builtin_prefetch(values(row, 0)); }
  /// Adds to the values of row `row`, one digit at a time: calls add(values, digit) for each digit
  /// number. The array `values` has only this digit of each value in the row. The array has
  /// kGroupColumns elements for each group of the row. `add` must add to these elements.
  template <typename Add>
  void add_to_row(std::size_t row, const Add& add) {
    const MutexLock lock((*locks_)[row % kLocks]);
    for (std::size_t digit = 0; digit < digits_; ++digit)
      add(&numbers_[place_of(row, digit)], digit);
  }
  /// Adds `amount` to one pair. Precondition: the matrix has paths to this pair.
  void add(std::size_t row, std::uint32_t column, const Digits& amount);

  /// Sets the values of columns without paths to 0. Carries digits until all digits except the
  /// highest are below 2^kBits. Threads must not add during the call. After a stop request the
  /// object is unusable.
  void finish(const Workers& workers, const std::stop_token& stop);
  [[nodiscard]] const Number* values(std::size_t row, std::size_t digit) const {
    return &numbers_[place_of(row, digit)];
  }
  [[nodiscard]] static std::uint64_t bytes_for(const Matrix& matrix, int plies);

 private:
  static constexpr std::size_t digits_for(int plies) {
    return plies <= Digits::kMostPliesOfOne ? 1 : Digits::kMost;
  }
  // Each lock guards every kLocks-th row, so workers seldom wait for each other.
  static constexpr std::size_t kLocks = 1024;

  [[nodiscard]] std::size_t place_of(std::size_t row, std::size_t digit) const {
    const RowChunk& chunk = matrix_.chunks[row / kChunkRows];
    return first_[row / kChunkRows] +
           (digit * chunk.size() + chunk.begin[row % kChunkRows].group) * kGroupColumns;
  }

  const Matrix& matrix_;
  const std::size_t digits_;
  std::size_t size_ = 0;
  std::vector<std::size_t> first_;  // by chunk: index of its first number; last: size_
  LargeArray<Number> numbers_;      // the digits of one chunk are consecutive
  std::unique_ptr<std::array<Mutex, kLocks>> locks_;
};

/// Carries values back from the rows of the last ply to the root, ply by ply, over the edges along
/// which the paths came. An en passant capture has no edge, so the values of positions after the
/// capture are added to the pair from which the double push started, two plies earlier.
class MatrixDivide {
 public:
  /// `plies` must be all plies that were played, and they must outlive this object. `depth` is the
  /// depth of the count in plies. Throws MatrixDoesNotFit. Do not add leaves if `stop` was
  /// requested.
  MatrixDivide(std::span<const std::unique_ptr<MatrixPly>> plies, int depth, const Workers& workers,
               MatrixBudget& budget, const std::stop_token& stop);

  /// Adds the leaves below row `row` of the last ply. `leaves` is indexed by column. Any thread may
  /// call it, once for each row.
  void take_row(std::size_t row, const std::uint32_t* leaves);
  /// Adds leaves that take_row() does not include, such as those after en passant captures. Edge
  /// number `edge` of the last ply leads from a pair in column `column` to these leaves. Any thread
  /// may call it.
  void take_more(std::uint32_t edge, std::uint32_t column, std::uint64_t leaves);

  /// Returns the divide in legal_moves() order. Call it after all rows were added. After a stop
  /// request the result is meaningless.
  std::vector<DivideEntry> finish(const Position& root, const std::stop_token& stop);

 private:
  using Values = PairValues<std::uint64_t>;
  using LastValues = PairValues<std::uint32_t>;
  /// Values of one row, indexed by digit and column.
  template <typename Number>
  using RowValues = std::array<const Number*, Digits::kMost>;
  [[nodiscard]] const MatrixPly& ply(std::size_t number) const { return *plies_[number - 1]; }
  [[nodiscard]] int plies_below(std::size_t before) const {
    return depth_ - static_cast<int>(before);
  }
  void open_values(std::size_t before, const std::stop_token& stop);
  template <typename Number>
  void take(std::size_t number, std::size_t row, const RowValues<Number>& below, std::size_t digits,
            PairValues<Number>* values);
  void take_more(std::size_t number, std::uint32_t edge, std::uint32_t column,
                 const Digits& leaves);
  void add_to_root(std::size_t row, const Digits& leaves);
  template <typename Number>
  void carry_back(std::size_t number, PairValues<Number>& values, const std::stop_token& stop);

  const std::span<const std::unique_ptr<MatrixPly>> plies_;  // ply n is plies_[n - 1]
  const int depth_;
  const Workers& workers_;
  // Values of the last matrix, which is by far the largest. They fit into 32 bits, because a pair
  // three plies above the leaves has at most 512^3 = 2^27 leaves.
  std::unique_ptr<LastValues> last_values_;
  // Values of all matrices before the last one. Element n has the values of the pairs after ply n.
  // They are freed when they are no longer needed.
  std::vector<std::unique_ptr<Values>> values_;
  Mutex root_mutex_;
  std::vector<NodeCount> root_values_ MANYPLY_GUARDED_BY(root_mutex_);  // by row of the first ply
};

}  // namespace manyply
