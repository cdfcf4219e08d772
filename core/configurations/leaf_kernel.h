// The last two plies of a count by configurations, 64 columns at a time in lanes of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/node_count.h"
#include "core/base/stop_view.h"
#include "core/configurations/leaf_columns.h"
#include "core/kernel.h"

namespace manyply {

inline constexpr std::size_t kLeafRows = 64;

/// Lanes multiply numbers of 15 bits: the lower half of the paths to a pair, and the upper half.
inline constexpr int kHalfBits = 15;
inline constexpr std::uint32_t kMostHalf = (std::uint32_t{1} << kHalfBits) - 1;
/// Marks the lower half of a number that has an upper half.
inline constexpr std::uint32_t kHasUpperHalf = kMostHalf + 1;
/// Most paths to one pair that both halves hold. The two-ply kernel counts pairs with more.
inline constexpr std::uint32_t kMostLeafPaths = (std::uint32_t{1} << 2 * kHalfBits) - 1;

/// Room for the paths of one row: its columns, in whole blocks, of which all kLeafRows rows are
/// read.
constexpr std::size_t leaf_stride(std::size_t columns) {
  return (columns + kBlockColumns - 1) / kBlockColumns * kBlockColumns;
}

/// Rows that are counted together, and the paths to them: 0 to kMostLeafPaths for each pair.
struct LeafChunk {
  std::span<const Configuration> rows;  ///< kLeafRows at most
  /// By row, then by column of LeafColumns::columns(): the paths, or above kMostHalf their lower
  /// half with kHasUpperHalf.
  const std::uint16_t* paths;
  const std::uint16_t* upper;  ///< laid out as `paths`: upper halves; null if all of them are 0
  std::size_t stride;          ///< from row to row: leaf_stride() at least
  StopView stop = {};          ///< after it the count means nothing
};

struct LeafCount {
  NodeCount::Word leaves = 0;
  std::uint64_t pairs = 0;  ///< positions whose moves were counted
};

/// What a worker needs for chunk after chunk.
class LeafScratch {
 public:
  virtual ~LeafScratch() = default;
};

/// Immutable; any thread, each with its own scratch.
struct LeafKernel {
  std::unique_ptr<LeafScratch> (*make_scratch)(const LeafColumns& columns);
  /// Leaves two plies below all pairs of `chunk`, each as often as paths lead to it. `moves` counts
  /// what is too seldom for lanes.
  LeafCount (*count)(const LeafColumns& columns, const LeafChunk& chunk, const Kernel& moves,
                     LeafScratch& scratch);
};

/// In `kernel`'s instruction set; null if there is none.
const LeafKernel* leaf_kernel_for(const Kernel& kernel);

}  // namespace manyply
