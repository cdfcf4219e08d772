// Counts the last two plies with configurations. Lanes of bytes handle 64 columns at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/node_count.h"
#include "core/base/stop_view.h"
#include "core/configurations/leaf_tables.h"
#include "core/kernel.h"

namespace manyply {

/// The largest number of rows in a LeafChunk.
inline constexpr std::size_t kLeafRows = 64;

/// Returns the number of entries to allocate for the paths of one row. This is the number of
/// columns, rounded up to whole blocks.
constexpr std::size_t leaf_stride(std::size_t columns) {
  return (columns + kBlockColumns - 1) / kBlockColumns * kBlockColumns;
}

/// Rows that are counted together, and their pairs.
struct LeafChunk {
  std::span<const Configuration> rows;  ///< at most kLeafRows
  /// Each row has stride / 64 words. Bit i of these words is set if the row forms a pair with
  /// column i of LeafColumns::columns().
  const std::uint64_t* pairs;
  /// paths[row * stride + column] is the number of paths to the pair of this row and column.
  const std::uint32_t* paths;
  std::size_t stride;               ///< columns per row: leaf_stride(number of columns)
  std::uint16_t* values = nullptr;  ///< if not null, gets each pair's leaves, stored like `paths`
  StopView stop = {};               ///< if a stop was requested, the count is invalid
};

/// The result of counting a chunk.
struct LeafCount {
  NodeCount::Word leaves = 0;  ///< sum over all pairs of (leaves below the pair) * (paths to it)
  std::uint64_t pairs = 0;     ///< number of positions one ply above the leaves
};

/// Memory of one worker. The worker uses it again for each chunk.
class LeafScratch {
 public:
  virtual ~LeafScratch() = default;
};

/// The functions of one instruction set. Immutable. Any thread may call them with its own scratch.
struct LeafKernel {
  /// Returns memory for one worker, for chunks with these columns.
  std::unique_ptr<LeafScratch> (*make_scratch)(const LeafColumns& columns);
  /// Counts the leaves two plies below the pairs of `chunk` (see LeafCount). Uses the kernel
  /// `moves` for the rare cases that lanes do not handle.
  LeafCount (*count)(const LeafColumns& columns, const LeafChunk& chunk, const Kernel& moves,
                     LeafScratch& scratch);
};

/// Returns the kernel for the instruction set of `kernel`.
const LeafKernel& leaf_kernel_for(const Kernel& kernel);

}  // namespace manyply
