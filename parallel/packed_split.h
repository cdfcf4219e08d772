// Splits a count into very many units: the distinct positions of one ply, 40 bytes each, with the
// number of paths that lead to each, but not from which root move they come.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/kernel.h"
#include "core/position.h"
#include "hash/memory.h"
#include "hash/packed_board.h"
#include "parallel/workers.h"

namespace manyply {

/// The distinct positions `ply` plies below a root, in groups of those in which the men that wait
/// are the same: what a window likes (README.md, "Order of work"). For totals: a divide needs
/// RootSplit. Order and groups depend on nothing but the root and the ply.
class PackedSplit {
 public:
  [[nodiscard]] int ply() const { return ply_; }
  [[nodiscard]] Color side_to_move() const { return side_to_move_; }
  /// Every position of the ply, once.
  [[nodiscard]] std::span<const ReachedPosition> units() const;
  /// Where each group begins in units(); ascending from 0, none if there is no unit.
  [[nodiscard]] std::span<const std::uint64_t> group_begin() const { return group_begin_; }
  [[nodiscard]] std::size_t groups() const { return group_begin_.size(); }
  [[nodiscard]] std::uint64_t group_end(std::size_t group) const {
    return group + 1 < groups() ? group_begin_[group + 1] : units().size();
  }
  [[nodiscard]] std::uint64_t generated() const { return generated_; }  ///< before merging

 private:
  friend class PackedSplitter;
  int ply_ = 0;
  Color side_to_move_ = Color::kWhite;
  TableMemory memory_;
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> group_begin_;
  std::uint64_t generated_ = 0;
};

/// Splits at exactly `ply` >= 0; there may be no unit where no game goes on so long. Errors:
/// kUnavailable when more than `most_units` positions, or more memory than there is, would be
/// needed, kCancelled after `stop`, kOverflow when 64 bits do not hold the paths to one position.
/// Throws what workers throw. Any thread; hold no lock.
Result<PackedSplit> split_packed(const Position& root, int ply, const Kernel& kernel,
                                 const Workers& workers, std::uint64_t most_units,
                                 const std::stop_token& stop);

}  // namespace manyply
