// Counts distinct positions by pairs of configurations. A matrix of bits, one for each pair, stores
// which positions exist after a ply. Declares these matrices, plays a ply, and transposes it for
// the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/configurations/columns.h"
#include "core/configurations/configuration_set.h"
#include "core/configurations/lone_moves.h"
#include "core/configurations/pair_kernel.h"
#include "parallel/matrix/matrix_stage.h"
#include "parallel/progress.h"
#include "parallel/workers.h"

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

/// All positions after some number of plies. A pair is in the matrix if it exists with an en
/// passant right, without one, or both. If it exists with a right, the stage does not say whether
/// it also exists without the right.
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

/// The mover's configurations of one kind (configuration.h) after a ply, and the moves that lead to
/// them.
struct PairRows {
  struct Edge {
    std::uint32_t source;
    std::uint16_t move;  ///< LoneMove::number()
  };
  struct Extra {
    std::uint32_t row;
    std::uint32_t column;
  };
  ConfigurationSet set;
  std::vector<std::size_t> first;  ///< index of each row's first edge; last entry: number of edges
  std::vector<Edge> edges;
  std::vector<Extra> extra;  ///< pairs after en passant captures, sorted by row
  BudgetShare share;         ///< the bytes of all members above

  [[nodiscard]] std::uint64_t bytes() const {
    return set.bytes() + first.capacity() * sizeof(first[0]) + edges.capacity() * sizeof(Edge) +
           extra.capacity() * sizeof(Extra);
  }
};

/// A ply in progress. Rows are the mover's configurations after the ply. Columns are the other
/// side's configurations after the ply, including those that have lost a piece. Rows are made kind
/// by kind, so that only few rows are in memory at a time, and successive rows use neighbouring
/// data. The constructor uses all workers. After that, any thread may make rows with its own
/// Scratch.
class PairPly {
 public:
  /// Returns whether the ply needs a column that results from a capture. `without` is this column:
  /// the configuration without the captured piece.
  using Wanted = std::function<bool(const Configuration& without)>;

  /// `kernel` and `budget` must outlive this object. If `wanted` is not empty, calls
  /// wanted(column) for each column that results from a capture. If wanted() returns false, the ply
  /// leaves out the captures that lead to this column. Columns after en passant captures are always
  /// kept. After a stop request the object is unusable. Throws MatrixDoesNotFit.
  PairPly(PairStage before, const Kernel& kernel, const Workers& workers,
          const std::stop_token& stop, MatrixBudget& budget, const Wanted& wanted = {});

  /// Working memory of one thread for one row at a time.
  struct Scratch {
    explicit Scratch(const PairPly& ply) : row(ply.columns().size()) {}
    PairRow row;
    std::vector<PushedPairs> pushed;
    /// The pairs with an en passant right, after a double push by the row's side. `row` has such a
    /// pair only if the same pieces also occur without the right.
    std::vector<PairRight> rights;
    std::vector<LoneStep> steps;
  };

  [[nodiscard]] Color mover() const { return before_.mover; }
  /// Returns the other side's configurations.
  [[nodiscard]] const ConfigurationSet& columns() const { return before_.columns; }

  /// Returns the number of kinds of rows.
  [[nodiscard]] std::size_t kinds() const { return kinds_.size(); }
  [[nodiscard]] ConfigurationKind kind(std::size_t number) const { return kinds_[number].kind; }
  /// Returns the approximate cost of the rows of kind number `number`, compared with other kinds.
  [[nodiscard]] double weight(std::size_t number) const;
  /// Returns the rows of kind number `kind`; no rows after a stop request. Throws MatrixDoesNotFit.
  [[nodiscard]] PairRows rows_of(std::size_t kind, const std::stop_token& stop,
                                 Scratch& scratch) const;

  /// Makes row `row` of `rows` in `scratch`, which must be empty, with legal positions only. Each
  /// pair in scratch.row and each right is a distinct position.
  void make_row(const PairRows& rows, std::size_t row, Scratch& scratch) const;

  /// Returns the number of pairs in `row`. If `counted` is not null, it has one bit per column. The
  /// function then ignores pairs in columns whose bit is 0.
  [[nodiscard]] std::uint64_t count(const PairRow& row, const std::uint64_t* counted) const {
    return pairs_.count(row, counted);
  }

  [[nodiscard]] std::uint64_t bytes() const;

 private:
  /// Neighbouring rows of one kind, from which the ply starts.
  struct Sources {
    ConfigurationKind kind;
    std::size_t begin;
    std::size_t end;
    std::size_t blocks;  ///< number of blocks of the matrix in these rows
  };
  struct Kind {
    ConfigurationKind kind;
    std::vector<std::size_t> sources;  // indices of the sources_ with moves to this kind
  };
  struct EnPassantCapture {
    std::uint32_t source;
    std::uint8_t from;
    std::uint8_t to;
    std::uint32_t column;
  };

  void list_kinds(const Workers& workers, const std::stop_token& stop);
  void add_losses(const Workers& workers, const std::stop_token& stop, const Wanted& wanted);
  void place_en_passant_captures(const std::stop_token& stop);
  void add_extra(std::uint32_t source, const LoneMove& move, std::uint32_t row,
                 PairRows& rows) const;
  void settle_pushes(const PairRows& rows, std::size_t row, Scratch& scratch) const;

  const Kernel& kernel_;
  const PairKernel& pairs_;
  MatrixBudget& budget_;
  PairStage before_;   // the constructor adds columns that have lost a piece
  BudgetShare share_;  // bytes that before_.share does not include
  std::vector<Sources> sources_;
  std::vector<Kind> kinds_;
  Bitboard taken_ = 0;  // squares where the mover may capture
  Losses losses_{huge_pages()};
  std::vector<EnPassantCapture> captures_;  // sorted by source
  PairPlanes planes_;
};

/// Decides which rows of a ply are made. Any thread may call it.
struct RowFilter {
  std::function<bool(const Configuration&)> wanted;   ///< whether to make and keep a row
  std::function<bool(const Configuration&)> counted;  ///< whether to count a row that is wanted
};

/// Plays `ply` without the rows that `filter` rejects, and transposes it: its rows become columns,
/// because the other side moves next. Leaves out rows and columns without pairs. Sets `distinct` to
/// the number of positions in the rows that `filter` counts. The caller must have started
/// `progress` with ply.kinds() units. After a stop request the result is unusable. Throws
/// MatrixDoesNotFit.
PairStage next_stage(const PairPly& ply, const RowFilter* filter, const Workers& workers,
                     const std::stop_token& stop, Progress& progress, MatrixBudget& budget,
                     std::uint64_t& distinct);

/// Returns the number of positions in the rows of kind number `kind`, without storing them. If
/// `wanted` is not empty, counts only rows for which it returns true. If `counted` is not null,
/// counts only pairs in columns whose bit is set in `counted`. `scratch` must belong to the calling
/// thread. After a stop request the result is meaningless. Throws MatrixDoesNotFit.
std::uint64_t count_rows(const PairPly& ply, std::size_t kind,
                         const std::function<bool(const Configuration&)>& wanted,
                         const std::uint64_t* counted, const std::stop_token& stop,
                         PairPly::Scratch& scratch);

}  // namespace manyply
