// Counts the last two plies by configurations, for 64 columns at a time in lanes of bytes.
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

/// Most rows in a chunk.
inline constexpr std::size_t kLeafRows = 64;

/// Lanes multiply numbers of 15 bits, so paths to a pair are split into a lower half and an upper
/// half.
inline constexpr int kHalfBits = 15;
inline constexpr std::uint32_t kMostHalf = (std::uint32_t{1} << kHalfBits) - 1;
/// Set in a lower half if the number also has an upper half.
inline constexpr std::uint32_t kHasUpperHalf = kMostHalf + 1;
/// Most paths to one pair that two halves can hold. The two-ply kernel counts pairs with more.
inline constexpr std::uint32_t kMostLeafPaths = (std::uint32_t{1} << 2 * kHalfBits) - 1;

/// Returns the number of entries to allocate for the paths of one row: its columns, rounded up to
/// whole blocks. All kLeafRows rows are read, even if the chunk has fewer.
constexpr std::size_t leaf_stride(std::size_t columns) {
  return (columns + kBlockColumns - 1) / kBlockColumns * kBlockColumns;
}

/// Rows that are counted together, and the paths to their pairs, 0 to kMostLeafPaths for each pair.
struct LeafChunk {                      ///< at most kLeafRows
  std::span<const Configuration> rows;  ///< kLeafRows at most
  /// By row, then by column of LeafColumns::columns(): the number of paths. Above kMostHalf: the
  /// lower half with kHasUpperHalf.
  const std::uint16_t* paths;
  const std::uint16_t* upper;  ///< upper halves in the same layout; null if all are 0
  std::size_t stride;          ///< entries from one row to the next: at least leaf_stride()
  StopView stop = {};          ///< after a stop the count is invalid
};

/// The result of counting a chunk.
struct LeafCount {
  NodeCount::Word leaves = 0;
  std::uint64_t pairs = 0;  ///< number of positions whose moves were counted
};

/// A worker's memory, reused for successive chunks.
class LeafScratch {
 public:
  virtual ~LeafScratch() = default;
};

/// The functions of one instruction set. Immutable; any thread may call them with its own scratch.
struct LeafKernel {
  std::unique_ptr<LeafScratch> (*make_scratch)(const LeafColumns& columns);
  /// Counts the leaves two plies below all pairs of `chunk`, multiplied by the paths to each pair.
  /// `moves` counts the rare cases that lanes do not handle.
  LeafCount (*count)(const LeafColumns& columns, const LeafChunk& chunk, const Kernel& moves,
                     LeafScratch& scratch);
};

/// Returns the kernel for the instruction set of `kernel`; never null.
const LeafKernel* leaf_kernel_for(const Kernel& kernel);

}  // namespace manyply
