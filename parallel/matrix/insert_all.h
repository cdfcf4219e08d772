// Inserts many configurations into a set, with all workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "core/base/stop_view.h"
#include "core/configurations/configuration_set.h"
#include "parallel/workers.h"

namespace manyply {

/// Inserts `items` into `set`, and sets numbers[i] to the number of items[i]. `numbers` must be as
/// long as `items`. The numbers are the same as if one thread had inserted the items in order.
///
/// The call cannot be stopped, so pass only as many items as can be inserted in an instant. There
/// must be fewer than 2^31 items. If more calls follow, `expected` is the number of configurations
/// that the set will have after the last call, or 0 if this number is unknown.
void insert_all(ConfigurationSet& set, std::span<const Configuration> items,
                std::span<std::uint32_t> numbers, const Workers& workers, std::size_t expected = 0);

/// Inserts item(0) to item(count - 1) into `set`. The number of each item is its index. The items
/// must be distinct, and `set` must be empty. Several threads call item(). After a stop request the
/// set is incomplete.
void insert_each(std::size_t count, const std::function<Configuration(std::size_t)>& item,
                 ConfigurationSet& set, const Workers& workers, StopView stop);

}  // namespace manyply
