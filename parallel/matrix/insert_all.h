// Many configurations into a set, by all workers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/configurations/configuration_set.h"
#include "parallel/workers.h"

namespace manyply {

/// Inserts `items`, fewer than 2^31, and writes the number of each to the same place of `numbers`,
/// which has room: the numbers that one thread would give which inserted one after the other. Is
/// not stopped, so items should be no more than workers insert in an instant.
void insert_all(ConfigurationSet& set, std::span<const Configuration> items,
                std::span<std::uint32_t> numbers, const Workers& workers);

}  // namespace manyply
