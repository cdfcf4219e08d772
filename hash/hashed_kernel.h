// Declares hashed counting, a recursion that looks up counts in tables and counts the last two
// plies with the two-ply kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "core/base/check.h"
#include "core/base/node_count.h"
#include "core/base/stop_view.h"
#include "core/kernel.h"
#include "core/processor.h"
#include "hash/count_tables.h"
#include "hash/hash_stats.h"
#include "hash/zobrist.h"

namespace manyply {

/// The state of one worker's search. `Window` is PrivateWindow or SharedWindow.
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

/// The children of one position, with the keys that the recursion computes for them.
/// StatisticsSearch and the verification of keys use this list.
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

/// The functions of hashed counting for one instruction set. Immutable. Any thread may call the
/// functions with its own context.
struct HashedKernel {
  /// The smallest remaining depth that the functions accept.
  static constexpr int kMinDepth = 3;

  /// Returns the number of leaves of `board` at `depth` plies. `key` must be the key of `board`,
  /// and depth >= kMinDepth. If a stop was requested during the call, the result is meaningless,
  /// but the tables remain correct. Throws CountOverflow above 128 bits.
  template <typename Window>
  using Count = NodeCount (*)(const Board& board, const ZobristKey& key, int depth,
                              SearchContextOf<DeepTable, Window>& context);

  HashedPartner partner;  ///< the value of Kernel::hashed that selects this object
  Extensions needs;       ///< extensions that the code uses, a subset of the kernel's `needs`
  Count<PrivateWindow> count_private;
  Count<SharedWindow> count_shared;
  /// Lists the children of `board` in `children`, with the same code as the recursion. `key` must
  /// be the key of `board`.
  void (*children)(const Board& board, const ZobristKey& key, const KeySet& keys,
                   KeyedChildren& children);
};

}  // namespace manyply

// The hashed kernels in this program, one per translation unit.
#define MANYPLY_DECLARE(space, name)       \
  namespace manyply::space {               \
  extern const HashedKernel kHashedKernel; \
  }
MANYPLY_ALL_SETS(MANYPLY_DECLARE)
#undef MANYPLY_DECLARE

namespace manyply {

/// Returns the hashed counterpart of `kernel`. Precondition: this machine can run `kernel`.
inline const HashedKernel& hashed_kernel_for(const Kernel& kernel) {
#define MANYPLY_CASE(space, name) \
  case HashedPartner::name:       \
    return space::kHashedKernel;
  switch (kernel.hashed) { MANYPLY_ALL_SETS(MANYPLY_CASE) }
#undef MANYPLY_CASE
  fail_check("a kernel without a hashed partner");
}

/// A kernel and its hashed counterpart.
struct KernelPair {
  explicit KernelPair(const Kernel& kernel) : plain(kernel), hashed(hashed_kernel_for(kernel)) {}

  const Kernel& plain;
  const HashedKernel& hashed;
};

}  // namespace manyply
