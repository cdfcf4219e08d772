// Positions that a counting kernel meets at its last plies. A fixed recipe draws them from two
// well-known trees, so that measurements of different days and machines are comparable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/board.h"

namespace manyply {

/// Positions of one tree at one ply, in the order of a depth-first search. All have the same side
/// to move, as Kernel::count_two_plies requires.
struct Sample {
  std::string name;  ///< such as "start-5"
  std::vector<Board> boards;
  std::uint64_t children = 0;       ///< sum of perft(1)
  std::uint64_t grandchildren = 0;  ///< sum of perft(2)
};

/// Returns samples at plies 5 and 6 after the start position and at plies 4 and 5 after Kiwipete,
/// about 30,000 positions each. The first call draws them and computes their sums with the
/// portable kernel. Throws BugError if the sums differ from those in the recipe. Any thread may
/// call it.
std::span<const Sample> samples();

}  // namespace manyply
