// Hashed counting: the recursion above the two-ply kernel, with its tables.
#pragma once

#include <cstddef>
#include <span>

#include "core/kernel.h"
#include "core/node_count.h"
#include "core/stop_view.h"
#include "hash/deep_table.h"
#include "hash/hash_stats.h"
#include "hash/wide_table.h"
#include "hash/window_table.h"
#include "hash/zobrist.h"

namespace manyply {

/// Everything one worker needs. `Window` is PrivateWindow or SharedWindow.
template <typename Deep, typename Window>
struct SearchContextOf {
  const KeySet& keys;
  const Kernel& kernel;
  Deep& deep;
  WideTable& wide;
  Window& window;
  StopView stop;
  HashStats& stats;
};

/// The children of one position, each as the recursion makes it and with the key it gives it: what
/// audits look at.
struct KeyedChildren {
  struct Child {
    Board board;
    ZobristKey key;
    Move move;
  };
  std::size_t size = 0;
  Child items[MoveList::kCapacity];

  [[nodiscard]] std::span<const Child> all() const { return {items, size}; }
};

/// Hashed counting in one instruction set. Immutable; any thread, each with its own context.
struct HashedKernel {
  /// Least remaining depth that count takes.
  static constexpr int kMinDepth = 3;

  /// Leaves of `board`, whose key is `key`, at `depth` >= kMinDepth plies. When stop was requested
  /// meanwhile the value means nothing, and nothing wrong was stored. Throws CountOverflow.
  template <typename Window>
  using Count = NodeCount (*)(const Board& board, const ZobristKey& key, int depth,
                              SearchContextOf<DeepTable, Window>& context);

  HashedPartner partner;  ///< what kernels call it
  Extensions needs;       ///< of the processor; no more than the kernels it belongs to
  Count<PrivateWindow> count_private;
  Count<SharedWindow> count_shared;
  /// Lists the children of `board`, whose key is `key`, with the recursion's own functions.
  void (*children)(const Board& board, const ZobristKey& key, const KeySet& keys,
                   KeyedChildren& children);
};

/// The hashed counterpart of `kernel`, which must run here.
const HashedKernel& hashed_kernel_for(const Kernel& kernel);

/// A kernel and its hashed counterpart: found once, then carried.
struct KernelPair {
  explicit KernelPair(const Kernel& kernel) : plain(kernel), hashed(hashed_kernel_for(kernel)) {}

  const Kernel& plain;
  const HashedKernel& hashed;
};

}  // namespace manyply
