// Counts distinct positions by pairs of configurations. A pair is a bit of a matrix; positions are
// not stored one by one.
#pragma once

#include <optional>

#include "parallel/jobs/unique_job.h"
#include "parallel/jobs/workforce.h"

namespace manyply {

/// The smallest depth at which this method is the default. Shallower counts are fast by any method.
inline constexpr int kMinPairDepth = 5;

/// Does the same as find_unique(), by pairs and with at most `memory_bytes`, but never calls
/// on_position. For all plies except the last two, stores the whole matrix of bits. Makes the last
/// but one ply in as many parts as memory requires. For each part, counts the rows of the last ply
/// without storing them. Counts paths separately with run_job(). If `memory_bytes` is too small,
/// the error is kUnavailable with field "memory". MatrixDoesNotFit is the only exception that it
/// catches. Precondition: spec.depth >= 2.
std::optional<Error> find_unique_by_pairs(const UniqueSpec& spec, std::uint64_t memory_bytes,
                                          const Workforce& by, const UniqueObserver& observer);

}  // namespace manyply
