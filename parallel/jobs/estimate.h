// Unbiased estimates of perft(N) for depths that nobody can count.
//
// One sample walks down from the root, from each position to one child, and multiplies the inverse
// probabilities of its choices; where `exact` plies are left it multiplies by the exact count. The
// mean over all walks is perft(N) whatever the probabilities, if no child with paths below it has
// none (D. E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation
// 29, 1975). Here a child is chosen in proportion to its own exact count of `guide` plies
// (importance sampling), which makes walks nearly alike: the estimate is off only by how much
// counts `guide` plies deep mislead about deeper ones. The interval is the mean -+ Student's t
// times the standard error, right in the limit of many samples.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "core/fen.h"
#include "core/kernel.h"
#include "parallel/jobs/workforce.h"

namespace manyply {

/// It has no tables, but workers may be pinned.
struct EstimateSpec : TaskSpec {
  static constexpr std::uint64_t kMinSamples = 100;
  static constexpr std::uint64_t kMaxSamples = 1'000'000'000'000;
  static constexpr int kGuide = 2;  ///< plies, see above
  static constexpr int kExact = 4;

  std::uint64_t samples = 10'000;
  std::uint64_t seed = 1;
};

struct EstimateReport {
  double estimate = 0;  ///< unbiased
  double low = 0;       ///< of the 99 % interval
  double high = 0;
  double standard_error = 0;
  double sample_deviation = 0;  ///< of one sample, relative to the estimate
  /// The walk had nothing to choose: the depth is at most kExact, and this is the count.
  bool exact = false;
  std::uint64_t samples = 0;
  double seconds = 0;
  std::uint64_t visited = 0;
  int threads = 0;
  std::string kernel;
};

/// The same report (but for times) for the same seed, whatever the threads and the kernel. Errors
/// as run_job's. Throws nothing. Any thread; hold no lock. `progress` as for run_job: leaves are
/// those of exact counts, units are blocks of samples.
Result<EstimateReport> estimate_nodes(const EstimateSpec& spec, const std::stop_token& stop,
                                      Progress* progress = nullptr);

/// The two-sided 99 % point of Student's distribution, for at least 30 degrees of freedom (error
/// below 1e-4): Cornish and Fisher's expansion (1937) around the normal point.
[[nodiscard]] double student_99(std::uint64_t degrees);

}  // namespace manyply
