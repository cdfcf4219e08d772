// Plies of distinct positions: counted, stored, and turned over for the next one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/configurations/configuration_set.h"
#include "parallel/matrix_stage.h"
#include "parallel/pair_matrix.h"
#include "parallel/pair_ply.h"
#include "parallel/progress.h"
#include "parallel/workers.h"

namespace manyply {

/// What a ply has come to, of all of its rows or of some.
struct PlayedPairs {
  std::uint64_t distinct = 0;               ///< positions
  std::vector<std::uint32_t> row_blocks;    ///< by row of the ply: how many it has; 0 if not played
  std::vector<std::uint64_t> used_columns;  ///< a bit for each that any row has pairs in
  // The rows themselves, if they were kept.
  std::vector<std::uint32_t> rows;  ///< numbers in the ply, as they stand in `chunks`
  std::vector<PairChunk> chunks;
  std::vector<std::vector<PairRight>> rights;  ///< by chunk; `row` is a number of the ply
  std::uint64_t bytes = 0;                     ///< taken from the budget
};

/// Makes `rows` of `ply`, or all if there is no list. After `stop` the answer is good for nothing.
/// `progress` is started, with a unit for each chunk of rows. Throws MatrixDoesNotFit.
PlayedPairs play_pairs(const PairPly& ply, const std::vector<std::uint32_t>* rows, bool keep,
                       const Workers& workers, const std::stop_token& stop, Progress& progress,
                       MatrixBudget& budget);

/// The other side's configurations that are left after a ply, numbered anew.
struct LeftColumns {
  std::vector<std::uint32_t> number;  ///< by column before
  ConfigurationSet set;
};
LeftColumns left_columns(const PairPly& ply, const std::vector<std::uint64_t>& used_columns);

/// Turns kept rows over: they become columns, since now the other side moves. Rows are those of
/// `left`. `played` is used up. What the stage takes beyond its rows is not in the budget.
PairStage turned_over(const PairPly& ply, PlayedPairs played, const LeftColumns& left,
                      const Workers& workers, const std::stop_token& stop, MatrixBudget& budget);

}  // namespace manyply
