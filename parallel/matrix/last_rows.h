// Ends a count by configurations: makes the rows of the last ply of the matrix, and counts the
// leaves two plies below them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/node_count.h"
#include "core/base/stop_view.h"
#include "core/configurations/leaf_kernel.h"
#include "parallel/matrix/matrix_divide.h"
#include "parallel/matrix/matrix_job.h"
#include "parallel/matrix/matrix_ply.h"
#include "parallel/progress.h"
#include "parallel/workers.h"

namespace manyply {

/// Counts the rows of the last ply soon after it has made them, so that each worker has only few
/// rows in memory.
///
/// A configuration is *ordinary* if it has as many pieces as its side had at the root, and as many
/// pawns on each file. In nearly all pairs, both configurations are ordinary. Lanes of bytes count
/// such pairs, 64 at a time, if this is faster and if the numbers of moves fit into bytes
/// (RowPlan::fits()). The two-ply kernel counts all other pairs.
class LastRows {
 public:
  /// `root` is the root of the count. After a stop request the object is unusable.
  LastRows(const MatrixPly& ply, const Board& root, const Kernel& kernel, const Workers& workers,
           StopView stop);

  /// Returns whether lanes are expected to be faster than the kernel in a large count. `density` is
  /// the result of density_of() for the stage before the last ply or an earlier stage.
  static bool lanes_pay(double density);
  /// Returns whether this count is large enough for lanes. `density` is the result of density_of()
  /// for the stage from which the last ply starts.
  [[nodiscard]] bool has_enough_for_lanes(double density) const;

  /// Returns the approximate bytes of the tables that use_lanes(workers, stop) makes.
  [[nodiscard]] std::uint64_t expected_table_bytes() const {
    return static_cast<std::uint64_t>(kLeafColumnBytes *
                                      static_cast<double>(ordinary_columns_.size()));
  }
  /// Prepares the count in lanes, with all workers. After a stop request the object is unusable.
  void use_lanes(const Workers& workers, StopView stop);
  /// Does the same with `tables`, which several objects can share. The tables must outlive this
  /// object. Each column of the tables must be an ordinary column of the ply. The two-ply kernel
  /// counts the columns that are not in the tables. The tables must have been made for all ordinary
  /// rows of the ply, and all blocks of the tables must be filled.
  void use_lanes(const LeafColumns& tables, const Workers& workers, StopView stop);

  /// Returns the number of leaves two plies below the rows in `share`. After a stop request the
  /// result is meaningless. If `divide` is not null, adds the leaves of each pair to `divide`. Call
  /// it only once.
  NodeCount count(const Workers& workers, StopView stop, Progress& progress,
                  MatrixDivide* divide = nullptr, CountShare share = {});

  [[nodiscard]] std::uint64_t kernel_pairs() const { return kernel_pairs_; }
  [[nodiscard]] std::uint64_t lane_pairs() const { return lane_pairs_; }
  /// Returns the bytes of this object's own tables for lanes; 0 if it has none.
  [[nodiscard]] std::uint64_t bytes() const { return own_leaf_ ? own_leaf_->bytes() : 0; }
  /// Returns the number of bytes that each worker needs for a count. If `divides` is true, includes
  /// the memory that only a divide needs.
  [[nodiscard]] std::uint64_t worker_bytes(bool divides) const;

 private:
  struct Worker;
  class PairBatch;

  void sort_rows(const Workers& workers, StopView stop);
  void count_plain(std::size_t chunk, Worker& worker) const;
  void count_pairs(std::size_t chunk, Worker& worker, MatrixDivide& divide) const;
  void count_in_lanes(std::size_t chunk, Worker& worker, MatrixDivide* divide) const;
  [[nodiscard]] Board pushed(std::size_t row, const EnPassantChance& chance) const;
  void give_chances(std::size_t row, Worker& worker) const;
  void take_ordinary(std::size_t place, Worker& worker) const;
  [[nodiscard]] std::size_t lane_chunks() const;
  [[nodiscard]] std::uint64_t weight_of(std::size_t chunk,
                                        const std::vector<std::uint32_t>& pairs) const;

  const MatrixPly& ply_;
  const Kernel& kernel_;
  const LeafKernel& lanes_;
  std::vector<std::uint32_t> ordinary_rows_;     // in the order in which lanes count them
  std::vector<std::uint32_t> ordinary_columns_;  // ascending, or in the order of shared tables
  std::vector<std::uint32_t> other_rows_;        // the rows that lanes do not count
  std::unique_ptr<LeafColumns> own_leaf_;
  const LeafColumns* leaf_ = nullptr;  // not null if lanes are used
  std::size_t leaf_stride_ = 0;        // stride for the columns of leaf_

  Mutex mutex_;
  NodeCount sum_ MANYPLY_GUARDED_BY(mutex_);
  std::uint64_t kernel_pairs_ = 0;
  std::uint64_t lane_pairs_ = 0;
};

/// The properties that the ordinary configurations of one side have in common with the root.
class Ordinary {
 public:
  explicit Ordinary(const Configuration& root)
      : pieces_(popcount(root.pieces.all())), pawns_(pawn_files(root.pieces)) {}

  [[nodiscard]] bool includes(const Configuration& configuration) const {
    return popcount(configuration.pieces.all()) == pieces_ &&
           pawn_files(configuration.pieces) == pawns_;
  }

 private:
  int pieces_;
  std::uint64_t pawns_;
};

}  // namespace manyply
