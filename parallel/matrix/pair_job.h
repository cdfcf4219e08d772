// Counts distinct positions by pairs of configurations: as bits of matrices, never stored singly.
#pragma once

#include <optional>

#include "parallel/jobs/unique_job.h"
#include "parallel/jobs/workforce.h"

namespace manyply {

/// Least depth at which this method is the default. Smaller counts are fast by any method.
inline constexpr int kMinPairDepth = 5;

/// find_unique() by pairs, with at most `memory_bytes`; does not call the observer with positions.
/// Makes whole matrices of bits for all plies except the last two, makes the last but one in as
/// many parts as memory requires, and counts the last row by row from each part. Counts paths
/// separately, as run_job() does. Errors: kUnavailable, "memory", if memory is too small. Throws
/// what run_job's parts throw.
std::optional<Error> find_unique_by_pairs(const UniqueSpec& spec, std::uint64_t memory_bytes,
                                          const Workforce& by, const UniqueObserver& observer);

}  // namespace manyply
