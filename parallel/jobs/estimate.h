// Unbiased estimates of perft(N) for depths that are too large to count.
//
// One sample is a random walk from the root. It multiplies the inverse probabilities of its
// choices, and when `kExact` plies are left, the exact count below the position reached. The mean
// over all walks is perft(N) for any probabilities, provided that every child with paths below it
// can be chosen (D. E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of
// Computation 29, 1975).
//
// A child is chosen in proportion to its exact count of `kGuide` plies (importance sampling). The
// samples are then nearly equal: they differ only as far as shallow counts mispredict deep ones.
// The interval is the mean ± Student's t times the standard error, which is correct in the limit of
// many samples.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "core/fen.h"
#include "core/kernel.h"
#include "parallel/jobs/workforce.h"

namespace manyply {

/// The perft to estimate. Estimates use no tables, but workers may be pinned (TaskSpec::placement).
struct EstimateSpec : TaskSpec {
  static constexpr std::uint64_t kMinSamples = 100;
  static constexpr std::uint64_t kMaxSamples = 1'000'000'000'000;
  static constexpr int kGuide = 2;  ///< depth in plies of the counts that guide a walk
  static constexpr int kExact = 4;  ///< plies below the end of a walk that are counted exactly

  std::uint64_t samples = 10'000;
  std::uint64_t seed = 1;
};

/// The result of an estimate: numbers of leaves.
struct EstimateReport {
  double estimate = 0;  ///< unbiased
  double low = 0;       ///< bounds of the 99 % confidence interval
  double high = 0;
  double standard_error = 0;
  double sample_deviation = 0;  ///< standard deviation of one sample, relative to the estimate
  /// True if `estimate` is the exact count, because the depth is at most kExact.
  bool exact = false;
  std::uint64_t samples = 0;
  double seconds = 0;
  std::uint64_t visited = 0;
  int threads = 0;
  std::string kernel;
};

/// Estimates perft(spec.depth) and blocks until done. The report depends on the seed only, not on
/// threads or kernel, except for times. Returns the same errors as run_job. Throws nothing. Any
/// thread; hold no lock. `progress` is used as in run_job: its units are blocks of samples, its
/// leaves those of the exact counts.
Result<EstimateReport> estimate_nodes(const EstimateSpec& spec, const std::stop_token& stop,
                                      Progress* progress = nullptr);

/// Returns the two-sided 99 % point of Student's t distribution, with an error below 1e-4 for at
/// least 30 degrees of freedom. Uses the Cornish-Fisher expansion (1937) around the normal
/// quantile.
[[nodiscard]] double student_99(std::uint64_t degrees);

}  // namespace manyply
