// Unbiased estimates of perft(N), for depths that are too large to count.
//
// One sample is a random walk from the root. The walk ends when `kExact` plies remain. The value of
// the sample is the exact count below the last position, divided by the probability of each choice.
// A walk that meets a position without a path of kGuide + 1 plies ends there with the value 0. The
// expected value of a sample is perft(N) for any probabilities that are above 0 for all children
// with paths below them (D. E. Knuth, "Estimating the efficiency of backtrack programs",
// Mathematics of Computation 29, 1975).
//
// The probability of a child is proportional to the child's exact count of `kGuide` plies
// (importance sampling). Because of this, all samples are nearly equal. They differ only because
// shallow counts do not predict deep counts exactly.
//
// The confidence interval is the mean ± Student's t times the standard error. It is correct in the
// limit of many samples.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "core/counting.h"
#include "core/fen.h"
#include "core/kernel.h"
#include "parallel/jobs/workforce.h"

namespace manyply {

/// The perft to estimate. An estimate has no tables, so only `pin_workers` of TaskSpec::placement
/// matters.
struct EstimateSpec : TaskSpec {
  static constexpr std::uint64_t kMinSamples = 100;
  static constexpr std::uint64_t kMaxSamples = 1'000'000'000'000;
  static constexpr int kGuide = 2;  ///< depth in plies of the counts that determine probabilities
  static constexpr int kExact = 4;  ///< depth in plies of the exact count at the end of a walk

  std::uint64_t samples = kUsualSamples;
  std::uint64_t seed = 1;
};

/// The result of an estimate, in leaves.
struct EstimateReport {
  double estimate = 0;  ///< unbiased
  double low = 0;       ///< the 99 % confidence interval is from low to high
  double high = 0;
  double standard_error = 0;
  /// True if `estimate` is the exact count. This is the case at depths up to kExact.
  bool exact = false;
  std::uint64_t samples = 0;  ///< 0 if `exact`
  double seconds = 0;
  std::uint64_t visited = 0;
  int threads = 0;
  std::string kernel;
};

/// Estimates perft(spec.depth) and blocks until done. The estimate and its interval depend only on
/// root, depth, samples and seed, and not on threads or kernel. Returns the same errors as
/// run_job(), and kInvalidInput if `samples` is out of range. Throws nothing. Any thread may call
/// it. The caller must not hold a lock.
///
/// `progress` is used as in run_job(). Each unit of `progress` is a block of samples. The leaves in
/// `progress` are those of the exact counts.
Result<EstimateReport> estimate_nodes(const EstimateSpec& spec, const std::stop_token& stop,
                                      Progress* progress = nullptr);

/// Returns the two-sided 99 % point of Student's t distribution with `degrees` degrees of freedom.
/// The error is below 1e-4 if `degrees` is at least 30. Uses the Cornish-Fisher expansion (1937)
/// around the normal quantile.
[[nodiscard]] double student_99(std::uint64_t degrees);

}  // namespace manyply
