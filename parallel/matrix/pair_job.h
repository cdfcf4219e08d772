// Counts distinct positions by pairs of configurations. A pair is a bit of a matrix; positions are
// not stored one by one.
#pragma once

#include <optional>

#include "parallel/jobs/unique_job.h"
#include "parallel/jobs/workforce.h"

namespace manyply {

/// The smallest depth at which this method is the default. Smaller counts are fast by any method.
inline constexpr int kMinPairDepth = 5;

/// Does what find_unique() does, by pairs and with at most `memory_bytes`, but never calls
/// on_position. Stores whole matrices of bits for all plies except the last two. Makes the last ply
/// but one in as many parts as memory requires. Counts the last ply row by row from each part,
/// without storing it. Counts paths separately, as run_job() does. Errors: kUnavailable with field
/// "memory" if memory is too small. Throws what the functions behind run_job() throw.
std::optional<Error> find_unique_by_pairs(const UniqueSpec& spec, std::uint64_t memory_bytes,
                                          const Workforce& by, const UniqueObserver& observer);

}  // namespace manyply
