// Distinct positions by pairs of configurations: as bits of matrices, never written down.
#pragma once

#include <optional>

#include "parallel/jobs/unique_job.h"
#include "parallel/jobs/workforce.h"

namespace manyply {

/// Least depth that is counted so where nobody says otherwise: below, nothing takes long.
inline constexpr int kMinPairDepth = 5;

/// find_unique by pairs, with at most `memory_bytes`; the observer's positions are not asked for.
/// Plies are counted as far as the last two as whole matrices of bits. The last but one is made in
/// as many parts as memory asks for, the last one row by row from each of them. Paths are counted
/// apart, as run_job does. kUnavailable, "memory", where it takes more. Throws as run_job's parts
/// do.
std::optional<Error> find_unique_by_pairs(const UniqueSpec& spec, std::uint64_t memory_bytes,
                                          const Workforce& by, const UniqueObserver& observer);

}  // namespace manyply
