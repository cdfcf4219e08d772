// The positions that a counting kernel meets at its last plies: drawn from two well-known trees by
// a fixed recipe, so that figures of different days and machines speak of the same work.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/board.h"

namespace manyply {

/// Positions of one tree at one ply, in the order a depth-first search meets them: all with the
/// same side to move, as Kernel::count_two_plies wants them.
struct Sample {
  std::string name;  ///< "start-5"
  std::vector<Board> boards;
  std::uint64_t children = 0;       ///< sum of perft(1)
  std::uint64_t grandchildren = 0;  ///< sum of perft(2)
};

/// Plies 5 and 6 behind the start position, 4 and 5 behind Kiwipete: some 30,000 positions each.
/// Drawn and summed by the portable kernel on first use; BugError when the sums are not those
/// written down with the recipe. Any thread.
std::span<const Sample> samples();

}  // namespace manyply
