// Inserts many configurations into a set, on all workers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/configurations/configuration_set.h"
#include "parallel/workers.h"

namespace manyply {

/// Inserts `items`, fewer than 2^31, and writes the number of each to the same index of `numbers`,
/// which must be as long. The numbers are those that insertion in order by one thread would give.
/// Cannot be stopped, so `items` should be few enough to be inserted in an instant.
void insert_all(ConfigurationSet& set, std::span<const Configuration> items,
                std::span<std::uint32_t> numbers, const Workers& workers);

}  // namespace manyply
