// Inserts many configurations into a set, on all workers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/configurations/configuration_set.h"
#include "parallel/workers.h"

namespace manyply {

/// Inserts `items` and writes the number of each to the same index of `numbers`, which must have
/// the same length. The numbers are the same as after insertion in order by one thread. Cannot be
/// stopped, so pass only as many items as are inserted in an instant; always fewer than 2^31.
void insert_all(ConfigurationSet& set, std::span<const Configuration> items,
                std::span<std::uint32_t> numbers, const Workers& workers);

}  // namespace manyply
