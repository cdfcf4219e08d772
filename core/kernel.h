// Counting kernels: one algorithm per instruction set, chosen once per job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/board.h"
#include "core/board_lanes.h"
#include "core/instruction_sets.h"
#include "core/movegen.h"
#include "core/processor.h"
#include "core/stop_view.h"

namespace manyply {

/// Statistics of one count; owned by the thread that counts.
struct CountStats {
  std::uint64_t visited = 0;  ///< positions generated: every interior node below the root
};

struct StatisticsKernel;  // move_statistics.h

/// The hashed searches that hash/ has. All that core/ knows of them is which one goes with which
/// kernel.
enum class HashedPartner : std::uint8_t {
#define MANYPLY_NAME(space, name) name,
  MANYPLY_ALL_SETS(MANYPLY_NAME)
#undef MANYPLY_NAME
};

/// One set of counting functions, what they need and what goes with them. Immutable; any thread.
struct Kernel {
  /// Largest `depth` that `count` accepts. The result fits 64 bits for every position.
  static constexpr int kMaxDepth = 7;

  std::string_view name;  ///< as in --kernel
  std::string_view description;
  Extensions needs;  ///< of the processor
  HashedPartner hashed;
  const StatisticsKernel& statistics;

  /// Leaves at `depth` plies, 1 <= depth <= kMaxDepth. When `stop` was requested meanwhile the
  /// return value means nothing: the caller looks at `stop` before it uses the value.
  std::uint64_t (*count)(const Board& board, int depth, StopView stop, CountStats& stats);
  /// perft(2) of each of `count` boards into `leaves`; answers how many children they have
  /// together. The boards share one side to move.
  std::uint64_t (*count_two_plies)(const Board* boards, std::size_t count, std::uint32_t* leaves);
  /// The same of the first `count` of `boards`.
  std::uint64_t (*count_two_plies_in_lanes)(const BoardLanes& boards, std::size_t count,
                                            std::uint32_t* leaves);
  /// Appends the legal moves, in legal_moves() order.
  void (*generate)(const Board& board, MoveList& moves);
  /// The board after `move`, which must be legal.
  Board (*make_unchecked)(const Board& board, Move move);
};

/// Every kernel built into this program, best first, whether this machine can run it or not.
std::span<const Kernel> all_kernels();

/// True if this machine can run `kernel`.
bool runs_here(const Kernel& kernel);

/// The fastest kernel for this machine.
const Kernel& best_kernel();

/// `auto` or a kernel's name. Fails for unknown names and for kernels this machine cannot run.
Result<const Kernel*> find_kernel(std::string_view name);

}  // namespace manyply
