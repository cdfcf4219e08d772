// Jobs as most tests ask for them.
#pragma once

#include <string_view>

#include "parallel/jobs/job.h"
#include "parallel/split/range_plan.h"

namespace manyply {

inline constexpr int kWorkerCounts[] = {1, 2, 3, 8};

inline constexpr UnitStorage kStorages[] = {UnitStorage::kByRootMove, UnitStorage::kPacked};

/// A wall of pawns between the kings: few positions, and five times more paths with each ply.
inline constexpr std::string_view kWalledKings = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1";

/// A count without a table.
inline JobSpec job_spec(std::string_view fen, int depth, int threads = 2) {
  JobSpec spec;
  spec.root = parse_position(fen).value();
  spec.depth = Depth(depth);
  spec.threads = threads;
  return spec;
}

inline JobSpec job_spec(std::string_view fen, int depth, int threads, const HashSpec& hash) {
  JobSpec spec = job_spec(fen, depth, threads);
  spec.hash = hash;
  return spec;
}

/// Of units that are all the same.
inline UnitWeights equal_weights(std::size_t units, float weight = 1) {
  return {.units = units, .of_step = std::vector<float>(units, weight)};
}

inline Report run(const JobSpec& spec) { return run_job(spec, {}).value(); }

}  // namespace manyply
