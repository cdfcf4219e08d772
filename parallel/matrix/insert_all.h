// Inserts many configurations into a set, with all workers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/configurations/configuration_set.h"
#include "parallel/workers.h"

namespace manyply {

/// Inserts `items` into `set`. Writes the number of each item to the same index of `numbers`, which
/// must have the same length. The numbers are the same as if one thread had inserted the items in
/// order.
///
/// It cannot be stopped. So pass only as many items as can be inserted in an instant, and always
/// fewer than 2^31.
void insert_all(ConfigurationSet& set, std::span<const Configuration> items,
                std::span<std::uint32_t> numbers, const Workers& workers);

}  // namespace manyply
