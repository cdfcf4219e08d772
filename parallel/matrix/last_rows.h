// The end of a count by configurations: rows after the matrix's last ply, and what lies below them.
#pragma once

#include <array>
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

/// Rows are made, counted at once and never stored. Pairs of two *ordinary* configurations, which
/// have lost nothing and captured nothing by pawns, are nearly all there: in lanes of bytes, 64 at
/// a time, where that pays. All other pairs go to the two-ply kernel.
class LastRows {
 public:
  /// `root` is where the count began. After `stop` it is good for nothing.
  LastRows(const MatrixPly& ply, const Board& root, const Kernel& kernel, const Workers& workers,
           StopView stop);

  /// Whether lanes of `kernel` are expected to pay in a large count, from `density`, the share of
  /// pairs of ordinary configurations that there are some plies before.
  static bool lanes_pay(const Kernel& kernel, double density);
  /// Whether that is what this count is, from `density`, the same before the ply.
  [[nodiscard]] bool has_enough_for_lanes(double density) const;

  /// All workers prepare the count in lanes. Precondition: there are lanes for the kernel. After
  /// `stop` it is good for nothing.
  void use_lanes(const Workers& workers, StopView stop);
  /// The same with `tables` that serve many counts and outlive them: they have ordinary columns of
  /// the ply, and their blocks are filled for all of its ordinary rows.
  void use_lanes(const LeafColumns& tables, const Workers& workers, StopView stop);

  /// Leaves two plies below all rows. After `stop` the sum means nothing. `divide`, if there is
  /// one, is told of them pair by pair.
  NodeCount count(const Workers& workers, StopView stop, Progress& progress,
                  MatrixDivide* divide = nullptr);

  [[nodiscard]] std::uint64_t kernel_pairs() const { return kernel_pairs_; }
  [[nodiscard]] std::uint64_t lane_pairs() const { return lane_pairs_; }
  /// Of its own tables for lanes.
  [[nodiscard]] std::uint64_t bytes() const { return own_leaf_ ? own_leaf_->bytes() : 0; }
  /// What each worker needs to count.
  [[nodiscard]] std::uint64_t worker_bytes() const;

 private:
  struct Worker;
  class PairBatch;

  void sort_rows(const Workers& workers, StopView stop);
  void count_plain(std::size_t chunk, Worker& worker) const;
  void count_pairs(std::size_t chunk, Worker& worker, MatrixDivide& divide) const;
  void count_in_lanes(std::size_t chunk, Worker& worker) const;
  [[nodiscard]] Board pushed(std::size_t row, const EnPassantChance& chance) const;
  void give_chances(std::size_t row, Worker& worker) const;
  void make_row(std::size_t row, Worker& worker) const;
  void take_ordinary(std::size_t place, Worker& worker) const;
  [[nodiscard]] std::size_t lane_chunks() const;

  const MatrixPly& ply_;
  const Kernel& kernel_;
  const LeafKernel* const lanes_;
  std::vector<std::uint32_t> ordinary_rows_;     // in the order in which lanes take them
  std::vector<std::uint32_t> ordinary_columns_;  // ascending
  std::vector<std::uint32_t> other_rows_;        // all that do not go to lanes
  std::unique_ptr<LeafColumns> own_leaf_;
  const LeafColumns* leaf_ = nullptr;  // if lanes are used
  std::size_t leaf_stride_ = 0;        // of its columns

  Mutex mutex_;
  NodeCount sum_ MANYPLY_GUARDED_BY(mutex_);
  std::uint64_t kernel_pairs_ = 0;
  std::uint64_t lane_pairs_ = 0;
};

/// What ordinary configurations of one side have in common with the root's.
class Ordinary {
 public:
  explicit Ordinary(const Configuration& root)
      : pieces_(popcount(root.pieces.all())), pawns_(root) {}

  [[nodiscard]] bool includes(const Configuration& configuration) const {
    return popcount(configuration.pieces.all()) == pieces_ && PawnFiles(configuration) == pawns_;
  }

 private:
  /// How many pawns stand on each file: others have captured, been captured or promoted.
  struct PawnFiles {
    explicit PawnFiles(const Configuration& configuration) {
      for (int file = 0; file < 8; ++file) {
        count[static_cast<std::size_t>(file)] =
            popcount(configuration.pieces.pawns & file_mask(file));
      }
    }
    std::array<int, 8> count;
    friend bool operator==(const PawnFiles&, const PawnFiles&) = default;
  };

  int pieces_;
  PawnFiles pawns_;
};

}  // namespace manyply
