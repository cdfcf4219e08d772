// Counting kernels. All kernels except the reference kernel implement the same algorithm, each for
// one instruction set. A job counts with one kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/stop_view.h"
#include "core/board.h"
#include "core/position.h"
#include "core/processor.h"

namespace manyply {

/// Statistics of one count. Not thread-safe, so each thread has its own.
struct CountStats {
  /// Number of positions in plies 1 to depth - 1, so without the root and the leaves. A position
  /// counts once for each path to it.
  std::uint64_t visited = 0;
};

struct StatisticsKernel;  // defined in core/move_statistics.h

/// An instruction set. For each kernel, the program uses the hashed search (hash/) and the
/// configuration kernels (core/configurations) that are made for the same instruction set. core/
/// knows nothing else about hashed searches.
enum class HashedPartner : std::uint8_t {
#define MANYPLY_NAME(space, name) name,
  MANYPLY_ALL_SETS(MANYPLY_NAME)
#undef MANYPLY_NAME
};

/// One implementation of the counting functions. Immutable. Any thread may use it.
struct Kernel {
  /// Greatest depth for count(). Up to this depth, perft of every position fits into 64 bits.
  static constexpr int kMaxDepth = 7;

  std::string_view name;  ///< the value of --kernel that selects it
  std::string_view description;
  Extensions needs;                    ///< processor extensions that the kernel uses
  HashedPartner hashed;                ///< the hashed search for the same instruction set
  const StatisticsKernel& statistics;  ///< the statistics functions for the same instruction set

  /// Returns the number of leaves at `depth` plies, and adds the number of visited positions to
  /// `stats`. Precondition: 1 <= depth <= kMaxDepth. If `stop` was requested during the call, the
  /// result is meaningless. So the caller must check `stop` before it uses the result.
  std::uint64_t (*count)(const Board& board, int depth, StopView stop, CountStats& stats);
  /// Stores perft(2) of boards[i] in leaves[i], for each i below `count`. Returns the sum of
  /// perft(1) of these boards. All boards must have the same side to move.
  std::uint64_t (*count_two_plies)(const Board* boards, std::size_t count, std::uint32_t* leaves);
  /// Like count_two_plies(), for the first `count` of `boards`.
  std::uint64_t (*count_two_plies_in_lanes)(const BoardLanes& boards, std::size_t count,
                                            std::uint32_t* leaves);
  /// Appends the legal moves to `moves`, in legal_moves() order.
  void (*generate)(const Board& board, MoveList& moves);
  /// Returns the board after `move`, which must be legal.
  Board (*make_unchecked)(const Board& board, Move move);
};

/// Returns all kernels in this program except the reference kernel, fastest first. The list
/// includes kernels that this machine cannot run.
std::span<const Kernel> all_kernels();

/// Returns whether this machine can run `kernel`.
bool runs_here(const Kernel& kernel);

/// Returns the fastest kernel that this machine can run.
const Kernel& best_kernel();

/// Returns the kernel `name`. The name `auto` means best_kernel(). Errors: kInvalidInput if there
/// is no kernel with this name; kUnavailable if this machine cannot run the kernel.
Result<const Kernel*> find_kernel(std::string_view name);

/// Returns the reference kernel, with which tests compare the other kernels. It makes every child
/// and counts the child's moves, one position at a time. It runs on every machine.
///
/// Tests need this kernel because the other kernels share one method: a comparison among them would
/// not find the errors that they share. Jobs do not count with this kernel, because every other
/// kernel is several times faster. find_kernel() does not return this kernel.
const Kernel& scalar_kernel();

}  // namespace manyply
