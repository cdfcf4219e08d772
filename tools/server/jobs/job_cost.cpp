#include "tools/server/jobs/job_cost.h"

#include <algorithm>
#include <cmath>

#include "core/counting.h"

namespace manyply {
namespace {

// Leaves per second on one core; at most 1/7 of the measured rates
// (bench/results/zen5-2-cores/notes.md). A job that is overestimated waits longer than needed. One
// that is underestimated is stopped and queued again, after some wasted work.
constexpr double kCountPace = 1e9;
constexpr double kStatisticsPace = 1e8;
constexpr double kEstimatePace = 2e8;
constexpr double kUniquePace = 2e6;

/// Returns the speed-up that a table gives at this depth: a factor of 1.3 per ply beyond the sixth.
double table_gain(Depth depth) { return std::pow(1.3, std::max(0, depth.plies() - 6)); }

/// Returns the paths of the last ply per child of a distinct position: a factor of 1.6 per ply
/// beyond the third.
double unique_gain(Depth depth) { return std::pow(1.6, std::max(0, depth.plies() - 3)); }

double leaves_at(const Position& root, int plies) {
  const auto counted = count_nodes(root, Depth(plies));
  return counted ? counted->approximate() : 0;
}

/// Each sample plays moves until four plies remain, and counts three plies ahead at each step.
double estimate_seconds(const JobRequest& request) {
  const Position& root = request.line.here();
  const int steps = std::max(0, request.depth.plies() - 4);
  const double sample = expected_leaves(root, Depth(4)) + steps * expected_leaves(root, Depth(3));
  return static_cast<double>(request.samples.value_or(Question::kUsualSamples)) * sample /
         kEstimatePace;
}

/// Adds up the expected counts, which the batch itself states.
double suite_seconds(const Batch& batch) {
  double leaves = 0;
  for (const SuiteLine& line : batch.lines) {
    for (const EpdCount& count : line.record.counts) leaves += count.nodes.approximate();
  }
  return leaves / kCountPace;
}

}  // namespace

double expected_leaves(const Position& root, Depth depth) {
  const int plies = depth.plies();
  if (plies <= 3) return leaves_at(root, plies);
  const double one = leaves_at(root, 1);
  const double three = leaves_at(root, 3);
  return one > 0 ? three * std::pow(three / one, (plies - 3) / 2.0) : 0;
}

double expected_core_seconds(const JobRequest& request) {
  if (request.suite) return suite_seconds(*request.suite);
  if (request.mode == CountMode::kEstimate) return estimate_seconds(request);
  const double leaves = expected_leaves(request.line.here(), request.depth);
  const double hashed = leaves / kCountPace / table_gain(request.depth);
  switch (request.mode) {
    case CountMode::kUnhashed:
      return leaves / kCountPace;
    case CountMode::kVerify:
      return hashed + leaves / kCountPace;
    case CountMode::kUnique:
      return leaves / kUniquePace / unique_gain(request.depth);
    case CountMode::kStatistics:
      return leaves / kStatisticsPace / table_gain(request.depth);
    default:
      return hashed;
  }
}

}  // namespace manyply
